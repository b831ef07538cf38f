"""The text of an article in pieces: words that its tone comes from, and what lies between."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from tablewright.systems.sentiment.analysers.explaining import Term


class Piece(NamedTuple):
    """Some text; with a weight, a word that counts."""

    text: str
    weight: Decimal | None = None

    @property
    def tone(self) -> str:
        return "positive" if self.weight is not None and self.weight > 0 else "negative"


def pieces_of(text: str, terms: Sequence[Term]) -> list[Piece]:
    """The whole text, in order. What does not stand where it should is not marked."""
    found: list[Piece] = []
    at = 0
    for term in sorted(terms, key=lambda each: each.start):
        if term.start < at or text[term.start : term.end] != term.word:
            continue
        if term.start > at:
            found.append(Piece(text[at : term.start]))
        found.append(Piece(term.word, term.weight))
        at = term.end
    if at < len(text):
        found.append(Piece(text[at:]))
    return found
