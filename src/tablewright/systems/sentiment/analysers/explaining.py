"""Which words a verdict comes from: what the polarity would be without each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from string import punctuation

from tablewright.systems.sentiment.analysers.analyser import Analyser

#: As many as somebody looks at.
TOP = 10
_PIECES = re.compile(r"\S+").finditer
#: Also the quotation marks, dashes and dots that newspapers use.
_AROUND = punctuation + "\u201c\u201d\u201e\u2018\u2019\xab\xbb\u2013\u2014\u2026"


@dataclass(frozen=True)
class Term:
    """A word of a text, where it stands, and what it adds to the polarity."""

    word: str
    weight: Decimal
    start: int
    end: int


def explain(analyser: Analyser, text: str, top: int = TOP) -> list[Term]:
    """The words that count most, the heaviest first; those that change nothing are left out."""
    spans = list(_words(text))
    whole, *others = analyser.judge([text, *(text[:start] + text[end:] for start, end in spans)])
    terms = [
        Term(text[start:end], whole.polarity - without.polarity, start, end)
        for (start, end), without in zip(spans, others, strict=True)
        if without.polarity != whole.polarity
    ]
    return sorted(terms, key=lambda term: (-abs(term.weight), term.start))[:top]


def _words(text: str) -> Iterator[tuple[int, int]]:
    """What stands between spaces, without the punctuation around it; a smiley is nothing else."""
    for piece in _PIECES(text):
        inner = piece[0].strip(_AROUND)
        start = piece.start() + piece[0].index(inner) if inner else piece.start()
        yield start, start + len(inner or piece[0])
