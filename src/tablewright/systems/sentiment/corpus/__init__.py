"""Headlines to begin with: six hundred of them over thirty days, and more for the days after.

Companies, people, places and publishers are invented. Each headline has the tone that a person
gives it, so that models can be held against it. ``feeds`` has a feed and a file of records, which
are sources without a network.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import get_args

from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.shapes import Sentiment

__all__ = ["FOLDER", "Headline", "headlines", "later"]

_HERE = Path(__file__).parent
#: A feed and a file that can be sources.
FOLDER = _HERE / "feeds"


@dataclass(frozen=True, slots=True)
class Headline:
    """An article that somebody might have written."""

    title: str
    text: str
    url: str
    source: str
    #: What a person says of it.
    tone: Sentiment
    author: str | None = None
    #: When it came out, before it is looked at.
    minutes_ago: int = 0

    def record(self, now: datetime) -> Record:
        """As a source tells it."""
        return Record(
            title=self.title,
            text=self.text,
            url=self.url,
            source=self.source,
            author=self.author,
            published_at=now - timedelta(minutes=self.minutes_ago),
        )

    def again(self, edition: int) -> Headline:
        """The same under another address: another article, for whoever goes by addresses."""
        return replace(self, url=f"{self.url}-{edition:x}")


@cache
def headlines() -> tuple[Headline, ...]:
    """Thirty days of news, the oldest first."""
    return _read("headlines.jsonl")


@cache
def later() -> tuple[Headline, ...]:
    """What comes after them, in no order."""
    return _read("later.jsonl")


def _read(name: str) -> tuple[Headline, ...]:
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    found = tuple(Headline(**json.loads(line)) for line in lines)
    assert all(each.tone in get_args(Sentiment) for each in found)
    return found
