"""Shares of voice: who speaks, and what about.

Topics and publishers are counted each by themselves. Nobody counts who speaks about a topic, or
what a publisher speaks about, or where words are said: then articles are read, up to 5,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from tablewright.client import AsyncDb
from tablewright.service.gathering import at_most
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment.articles import Tally
from tablewright.systems.sentiment.config_reads import (
    watches,
)
from tablewright.systems.sentiment.reads import (
    series,
)
from tablewright.systems.sentiment.rules.figures import NOTHING, Figures, total
from tablewright.systems.sentiment.rules.filters import ArticleFilter, ArticleRow
from tablewright.systems.sentiment.rules.pieces import Piece, pieces_of
from tablewright.systems.sentiment.rules.publishers import OTHER
from tablewright.systems.sentiment.rules.shares import Share, shares_of
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.service.intake.publishers import OTHERS

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

Voice: TypeAlias = Literal["tag", "source"]

#: Shares take many reads, and change slowly; those that are read from articles take more.
_KEPT_SECS, _READ_KEPT_SECS = 10.0, 60.0
#: Reads that one answer has under way at once.
AT_ONCE: Final = 64
#: Publishers that are listed by name in a share of everything; the others are summed up.
MOST_PUBLISHERS: Final = 50
#: Articles that are read where nothing is counted.
MOST_READ: Final = 5_000


class Asked(NamedTuple):
    """Of what figures are wanted; nothing is everything together."""

    tag: str | None = None
    source: str | None = None
    words: tuple[str, ...] = ()

    @property
    def subject(self) -> str | None:
        """What counts it; None if nothing does."""
        if self.words or (self.tag and self.source):
            return None
        if self.tag:
            return f"tag#{self.tag}"
        return f"source#{self.source}" if self.source else "all"

    @property
    def by_minutes(self) -> bool:
        """Publishers are counted by the hour."""
        return self.subject is None or not self.source


@dataclass(frozen=True)
class Shares:
    """Who has which share of what is said."""

    span: Span
    by: Voice
    shares: list[Share]
    #: There were more articles than were read.
    partial: bool = False


class _Question(NamedTuple):
    span: Span
    by: Voice
    asked: Asked


async def tallies(db: AsyncDb, subject: str, shard: int, piece: Piece) -> list[Tally]:
    """The counts of one shard, in a row."""
    op = series(subject, shard, first=piece.first, last=piece.last)
    return [row async for row in db.iterate(op)]


class Voices:
    """Topics and publishers, side by side."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        clock = newsroom.runtime.clock
        self._counted: Remembered[_Question, Shares] = Remembered(
            self._count, clock, secs=_KEPT_SECS, size=100
        )
        self._found: Remembered[_Question, Shares] = Remembered(
            self._look, clock, secs=_READ_KEPT_SECS, size=100
        )

    def forget(self) -> None:
        """This process has just changed what is counted."""
        self._counted.forget_all()
        self._found.forget_all()

    async def get(self, span: Span, by: Voice, asked: Asked) -> Shares:
        """Those of topics do not change with the topic that is asked for: it is one of them."""
        asked = asked._replace(tag=None) if by == "tag" else asked._replace(source=None)
        question = _Question(span, by, asked)
        return await (self._counted if asked.subject == "all" else self._found).get(question)

    async def _count(self, question: _Question) -> Shares:
        span, by, _ = question
        voices = await self._named(by, span)
        pieces = pieces_of(span)
        shards = range((await self._newsroom.setup.current()).shards)
        places = [(key, shard, piece) for key in voices for shard in shards for piece in pieces]
        db = self._newsroom.db
        rows = await at_most(
            AT_ONCE, (tallies(db, f"{by}#{key}", shard, piece) for key, shard, piece in places)
        )
        sums = dict.fromkeys(voices, NOTHING)
        for (key, _, _), some in zip(places, rows, strict=True):
            for row in some:
                sums[key] += row
        if by == "source":
            voices[OTHER] = OTHERS
            sums[OTHER] = await self._others(span, sums)
        return Shares(span, by, shares_of((key, voices[key], sums[key]) for key in voices))

    async def _others(self, span: Span, known: Mapping[str, Figures]) -> Figures:
        """What is left of everything together, for the publishers that are not listed."""
        shards = range((await self._newsroom.setup.current()).shards)
        places = [(shard, piece) for shard in shards for piece in pieces_of(span)]
        db = self._newsroom.db
        rows = await at_most(AT_ONCE, (tallies(db, "all", shard, piece) for shard, piece in places))
        left = total(row for some in rows for row in some) - total(known.values())
        return Figures(
            0,
            max(0, left.positive),
            max(0, left.neutral),
            max(0, left.negative),
            max(0, left.unjudged),
        )

    async def _look(self, question: _Question) -> Shares:
        """What articles say, one by one; those of whom nothing is said are left out."""
        span, by, asked = question
        voices = await self._named(by, None)
        wanted = ArticleFilter(tag=asked.tag, source=asked.source, words=asked.words).within(span)
        sums: dict[str, Figures] = {}
        partial = False
        async for row in self._newsroom.articles.walk(wanted, MOST_READ):
            if isinstance(row, datetime):
                partial = True
            elif row.is_counted:
                for key in _keys(row, by):
                    sums[key] = sums.get(key, NOTHING) + row.figures
                    if by == "source":
                        voices.setdefault(key, OTHERS if key == OTHER else row.source_name)
        known = ((key, voices[key], sums[key]) for key in sums if key in voices)
        return Shares(span, by, shares_of(known), partial)

    async def _named(self, by: Voice, span: Span | None) -> dict[str, str]:
        """Those that can have a share, and what they are called; the largest publishers."""
        if by == "tag":
            found = self._newsroom.db.iterate(watches())
            return {each.watch_tag: each.label async for each in found if each.enabled}
        publishers = await self._newsroom.intake.publishers.ranked()
        heard = [each for each in publishers if span is None or each.last_seen >= span.since]
        largest = heard if span is None else heard[:MOST_PUBLISHERS]
        return {each.source_key: each.name for each in largest if each.source_key != OTHER}


def _keys(row: ArticleRow, by: Voice) -> list[str]:
    return [row.source_key] if by == "source" else [each.casefold() for each in row.tags or ()]
