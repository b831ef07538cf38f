"""A small model of our own: weights of words, trained on sentences of the news.

A multinomial logistic regression over the words of a text, their stems, and what VADER says. It was
trained once (``training/sentiment``), ships as a text file, and needs nothing but Python.
``MODEL_CARD.md`` says what it was trained on, how good it is, and what it is not for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log1p, sqrt
from pathlib import Path
from typing import Final, TypeAlias
from unicodedata import normalize

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.vader import scorer
from tablewright.systems.sentiment.analysers.verdicts import NOTHING, is_nothing, of_three

WEIGHTS: Final = Path(__file__).parent / "linear.tsv"
CARD: Final = Path(__file__).parent / "MODEL_CARD.md"
VERSION: Final = "v1.0.0+linear"
#: What VADER says, in figures; the order is that of the weights.
FIGURES: Final = ("compound", "pos", "neg", "up", "down", "good", "bad")
#: Endings that change little: attack, attacks, attacked, attacking.
_ENDINGS: Final = ("'s", "edly", "ing", "ies", "ed", "es", "ly", "s")
_SHORTEST_STEM: Final = 4

#: Of negative, neutral and positive.
Three: TypeAlias = tuple[float, float, float]

_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*").findall


def written(text: str) -> list[str]:
    """The words of a text, as they are written."""
    found: list[str] = _WORDS(normalize("NFKC", text).replace("\u2019", "'"))
    return found


def terms(words: Iterable[str]) -> set[str]:
    """What weights are looked up by: the words (in small letters), and their stems."""
    found = set(words)
    return found | {stem(word) for word in found}


def stem(word: str) -> str:
    """``attack*`` of attacked; as crude as it is quick."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return f"{word[: -len(ending)]}*"
    return f"{word}*"


def figures(text: str, words: Sequence[str]) -> list[float]:
    """What VADER says: its result, its shares, its verdict, and the sums of its lexicon."""
    vader = scorer()
    said = vader.polarity_scores(text)
    known = [vader.lexicon.get(word, 0.0) for word in words]
    compound = said["compound"]
    return [
        compound,
        3 * said["pos"],
        3 * said["neg"],
        float(compound >= 0.05),
        float(compound <= -0.05),
        log1p(sum(each for each in known if each > 0)),
        log1p(-sum(each for each in known if each < 0)),
    ]


@dataclass(frozen=True)
class Weights:
    """What was learnt."""

    terms: Mapping[str, Three]
    figures: Sequence[Three]
    bias: Three


class Linear:
    """The model, with the weights that ship unless others are given."""

    #: Its words are English.
    languages = frozenset({"en"})

    #: A tenth of a millisecond for a headline.
    quick = True

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights or bundled_weights()

    @property
    def version(self) -> str:
        return VERSION

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        return [NOTHING if is_nothing(text) else of_three(*self.chances(text)) for text in texts]

    def chances(self, text: str) -> Three:
        """The probabilities of negative, neutral and positive."""
        weights = self._weights
        words = [word.casefold() for word in written(text)]
        # In an order of their own: sums of floats depend on it, and that of sets on the process.
        known = [weights.terms[term] for term in sorted(terms(words)) if term in weights.terms]
        share = 1 / sqrt(len(known)) if known else 0.0
        said = figures(text, words)
        sums = [
            weights.bias[at]
            + share * sum(each[at] for each in known)
            + sum(figure * each[at] for figure, each in zip(said, weights.figures, strict=True))
            for at in range(3)
        ]
        return _softmax(sums)


def _softmax(sums: Sequence[float]) -> Three:
    top = max(sums)
    negative, neutral, positive = (exp(each - top) for each in sums)
    whole = negative + neutral + positive
    return negative / whole, neutral / whole, positive / whole


# --- the file ------------------------------------------------------------------------------------


@cache
def bundled_weights() -> Weights:
    """What ships, read once in a process."""
    return read_weights(WEIGHTS.read_text("utf-8"))


def read_weights(text: str) -> Weights:
    """A line of JSON, then a term and its three weights on each line, in steps of ``scale``."""
    head, _, rest = text.partition("\n")
    told = json.loads(head)
    scale = float(told["scale"])
    found: dict[str, Three] = {}
    for row in rest.splitlines():
        term, negative, neutral, positive = row.split("\t")
        found[term] = (int(negative) * scale, int(neutral) * scale, int(positive) * scale)
    return Weights(found, [_three(each) for each in told["figures"]], _three(told["bias"]))


def _three(values: Sequence[float]) -> Three:
    negative, neutral, positive = values
    return negative, neutral, positive
