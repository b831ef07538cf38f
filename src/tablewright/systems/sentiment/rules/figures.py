"""What is counted, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from tablewright.systems.sentiment.shapes import Sentiment


class Counted(Protocol):
    """Whatever has amounts: a count of the store, or figures."""

    @property
    def ingested(self) -> int: ...
    @property
    def positive(self) -> int: ...
    @property
    def neutral(self) -> int: ...
    @property
    def negative(self) -> int: ...
    @property
    def unjudged(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Figures:
    """How many articles came in, how many of each tone there are, and how many have none.

    What came in is only counted for everything together; of a tag or a publisher it is 0.
    """

    ingested: int = 0
    positive: int = 0
    neutral: int = 0
    negative: int = 0
    #: In languages that the model in use does not cover.
    unjudged: int = 0

    def __add__(self, other: Counted) -> Figures:
        return Figures(
            self.ingested + other.ingested,
            self.positive + other.positive,
            self.neutral + other.neutral,
            self.negative + other.negative,
            self.unjudged + other.unjudged,
        )

    def __sub__(self, other: Counted) -> Figures:
        return Figures(
            self.ingested - other.ingested,
            self.positive - other.positive,
            self.neutral - other.neutral,
            self.negative - other.negative,
            self.unjudged - other.unjudged,
        )

    @property
    def analysed(self) -> int:
        """How many have a tone."""
        return self.positive + self.neutral + self.negative

    @property
    def articles(self) -> int:
        """The volume of anything: articles with a tone, and those that cannot be judged."""
        return self.analysed + self.unjudged

    @property
    def pending(self) -> int:
        """How many wait or have failed; of everything together only."""
        return max(0, self.ingested - self.articles)

    @property
    def index(self) -> float | None:
        """From -1, all negative, to 1, all positive; None where there is nothing."""
        return (self.positive - self.negative) / self.analysed if self.analysed else None

    def of(self, tone: Sentiment) -> int:
        return {"positive": self.positive, "neutral": self.neutral, "negative": self.negative}[tone]


NOTHING = Figures()


def figures_of(tone: Sentiment | None, *, unjudged: bool = False) -> Figures:
    """What one article counts."""
    if unjudged:
        return Figures(1, 0, 0, 0, 1)
    if tone == "positive":
        return Figures(1, 1, 0, 0)
    if tone == "negative":
        return Figures(1, 0, 0, 1)
    return Figures(1, 0, 1 if tone == "neutral" else 0, 0)


def total(figures: Iterable[Counted]) -> Figures:
    found = NOTHING
    for each in figures:
        found += each
    return found


def volume_change(before: Figures, after: Figures) -> float | None:
    """In percent; None from nothing, of which nothing is a percentage."""
    if not before.articles:
        return None
    return 100 * (after.articles - before.articles) / before.articles


def index_change(before: Figures, after: Figures) -> float | None:
    """In points of the index; None unless both windows have one."""
    if before.index is None or after.index is None:
        return None
    return after.index - before.index
