"""What a recount finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import NamedTuple

from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.changes import COUNTED, counted_as, tags_of
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.shapes import hour_of, minute_of


class Cell(NamedTuple):
    """One number of one count."""

    subject: str
    bucket: str
    #: One of :data:`COUNTED`.
    name: str


@dataclass(frozen=True)
class Drift:
    """A number that is not what the articles say."""

    subject: str
    bucket: str
    name: str
    articles: int
    counted: int


@dataclass
class Recount:
    """How the counts stand against the articles."""

    since: datetime
    until: datetime
    hours: int = 0
    articles: int = 0
    #: What is wrong, and was not put right.
    drift: list[Drift] = field(default_factory=list)
    #: What was wrong, and is right now.
    fixed: list[Drift] = field(default_factory=list)
    #: Hours that others kept writing to, of which nothing can be said.
    unsettled: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        return {
            "since": moment_text(self.since),
            "until": moment_text(self.until),
            "hours": self.hours,
            "articles": self.articles,
            "drift": [asdict(each) for each in self.drift],
            "fixed": [asdict(each) for each in self.fixed],
            "unsettled": self.unsettled,
        }


def cells_of(article: Article, *, minutes: bool) -> Iterable[Cell]:
    """Everywhere an article counts one."""
    counted = counted_as(article)
    buckets = [hour_of(article.timestamp)]
    if minutes:
        buckets.append(minute_of(article.timestamp))
    for bucket in buckets:
        yield Cell("all", bucket, "ingested")
        if counted is not None:
            for subject in ("all", *(f"tag#{tag}" for tag in tags_of(article))):
                yield Cell(subject, bucket, counted)
    if counted is not None:
        yield Cell(f"source#{article.source_key}", buckets[0], counted)


def differences(articles: Mapping[Cell, int], counted: Mapping[Cell, int]) -> list[Drift]:
    """Each number that differs."""
    return [
        Drift(*cell, articles.get(cell, 0), counted.get(cell, 0))
        for cell in sorted(articles.keys() | counted.keys())
        if articles.get(cell, 0) != counted.get(cell, 0)
    ]


def hour_of_bucket(bucket: str) -> str:
    """The hour that a minute or an hour lies in: ``2026-11-20T12``."""
    return bucket[2:15]


def corrections(drift: Iterable[Drift]) -> dict[tuple[str, str], dict[str, int]]:
    """What to add to which count."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for each in drift:
        amounts = found.setdefault((each.subject, each.bucket), Counter())
        amounts[each.name] += each.articles - each.counted
    return {key: {name: by[name] for name in COUNTED if by[name]} for key, by in found.items()}
