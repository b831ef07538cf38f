"""VADER, the lexicon that is always there: no training, no download, thousands of texts a second.

Hutto, C.J. & Gilbert, E.E. (2014): VADER, a parsimonious rule-based model for sentiment analysis of
social media text. The package ``vaderSentiment`` is theirs (MIT).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version as installed
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.verdicts import NOTHING, is_nothing, of_compound

_FILES = ("emoji_utf8_lexicon.txt", "vader_lexicon.txt", "vaderSentiment.py")


class Scorer(Protocol):
    """What the package gives."""

    #: What a word is worth.
    lexicon: dict[str, float]

    def polarity_scores(self, text: str) -> dict[str, float]: ...


@cache
def scorer() -> Scorer:
    """The lexicon, read once in a process. It is only ever read, by any thread."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return cast("Scorer", SentimentIntensityAnalyzer())


@cache
def version() -> str:
    """``v3.3.2+vader``: the version of the package that is installed."""
    return f"v{installed('vaderSentiment')}+vader"


def files() -> list[Path]:
    """What its verdicts depend on."""
    found = find_spec("vaderSentiment")
    assert found is not None, "the extra `systems` brings vaderSentiment"
    assert found.submodule_search_locations is not None
    folder = Path(found.submodule_search_locations[0])
    return [folder / name for name in _FILES]


class Vader:
    """VADER as a model."""

    #: Its words are English.
    languages = frozenset({"en"})

    #: A tenth of a millisecond for a headline.
    quick = True

    @property
    def version(self) -> str:
        return version()

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        lexicon = scorer()
        return [
            NOTHING if is_nothing(text) else of_compound(lexicon.polarity_scores(text)["compound"])
            for text in texts
        ]
