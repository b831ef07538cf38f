"""Where the words of a rule stand in a text, so that people see why it was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tablewright.systems.sentiment.rules.matching import Finder
from tablewright.systems.sentiment.rules.words import places_of


class Part(NamedTuple):
    """Some of a text, and whether a term stands there."""

    text: str
    is_term: bool


def marked(text: str, terms: Iterable[str]) -> list[Part]:
    """The text in parts, in their order; put together they are the text again."""
    finder = Finder()
    for term in terms:
        finder.add(term)
    places = places_of(text)
    found = [False] * len(text)
    for hit in finder.find([each.token for each in places]):
        start, end = places[hit.first].start, places[hit.last].end
        found[start:end] = [True] * (end - start)
    return _parts(text, found)


def _parts(text: str, found: list[bool]) -> list[Part]:
    parts: list[Part] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or found[at] != found[start]:
            parts.append(Part(text[start:at], found[start]))
            start = at
    return parts
