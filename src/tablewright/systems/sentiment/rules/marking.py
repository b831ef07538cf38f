"""Where the words of a rule stand in a text, so that people see why it was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tablewright.systems.sentiment.rules.matching import places_of, tokens_of


class Part(NamedTuple):
    """Some of a text, and whether a term stands there."""

    text: str
    is_term: bool


def marked(text: str, terms: Iterable[str]) -> list[Part]:
    """The text in parts, in their order; put together they are the text again."""
    tokens = places_of(text)
    found = [False] * len(text)
    for term in map(tokens_of, terms):
        for start, end in _stands(tokens, term):
            found[start:end] = [True] * (end - start)
    return _parts(text, found)


def _stands(tokens: list[tuple[str, int, int]], term: list[str]) -> Iterable[tuple[int, int]]:
    """From where to where the term's tokens follow one another."""
    length = len(term)
    for at in range(len(tokens) - length + 1 if length else 0):
        some = tokens[at : at + length]
        if [token for token, _, _ in some] == term:
            yield some[0][1], some[-1][2]


def _parts(text: str, found: list[bool]) -> list[Part]:
    parts: list[Part] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or found[at] != found[start]:
            parts.append(Part(text[start:at], found[start]))
            start = at
    return parts
