"""Figures over time, from the counts alone.

Nothing here reads articles, however many there are, but for one case: nobody counts a tag and a
publisher together, or words. Then articles are read, up to 5,000, and the answer says if there
were more. Who asks for the same within two seconds, or for a part of it, gets the same answer, and
all who ask at once wait for one reading.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tablewright.service.gathering import at_most
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment.rules.figures import (
    NOTHING,
    Figures,
    index_change,
    volume_change,
)
from tablewright.systems.sentiment.rules.filters import ArticleFilter
from tablewright.systems.sentiment.rules.pieces import Piece, Sums, covers, merged, pieces_of
from tablewright.systems.sentiment.rules.series import (
    LENGTHS,
    Interval,
    Point,
    checked_interval,
    slots_of,
)
from tablewright.systems.sentiment.rules.spans import (
    HOUR,
    MINUTE,
    Span,
    ceiling,
    compared_spans,
    counted_span,
    floor,
    passed_part,
)
from tablewright.systems.sentiment.service.voices import (
    AT_ONCE,
    MOST_READ,
    Asked,
    Shares,
    Voice,
    Voices,
    tallies,
)
from tablewright.systems.sentiment.shapes import hour_of, minute_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: How long an answer is given again.
_KEPT_SECS = 2.0
#: Minutes that ended more than an hour ago hardly change; they are read again after this time.
_SETTLED_SECS = 60.0
#: Readings that others may find their part in: in all, and of the same.
_MOST_RECENT, _RECENT_OF_ONE = 500, 8


@dataclass(frozen=True)
class Change:
    """A window against one of the same length before it."""

    before: Span
    after: Span
    figures_before: Figures
    figures_after: Figures
    volume_percent: float | None
    index_points: float | None
    #: False if some articles of the two windows were not read: they cannot be compared.
    complete: bool = True

    @property
    def volume_before(self) -> int:
        return self.figures_before.articles

    @property
    def volume_after(self) -> int:
        return self.figures_after.articles


@dataclass(frozen=True)
class Overview:
    """How things stand in a span."""

    #: As it was counted: whole minutes, or hours where there are no minutes.
    span: Span
    figures: Figures
    per_minute: float
    per_hour: float
    change: Change
    #: Articles before this moment were not read; None if all were.
    read_from: datetime | None = None

    @property
    def partial(self) -> bool:
        return self.read_from is not None


@dataclass(frozen=True)
class Timeseries:
    """Figures of a span, bucket by bucket."""

    span: Span
    interval: Interval
    points: list[Point]
    #: Articles before this moment were not read; None if all were.
    read_from: datetime | None = None

    @property
    def partial(self) -> bool:
        return self.read_from is not None


@dataclass(frozen=True)
class _Counted:
    buckets: Mapping[str, Figures]
    #: Articles before this moment were not read; None if all were.
    read_from: datetime | None = None

    def has(self, span: Span) -> bool:
        """Return whether everything in a span was read."""
        return self.read_from is None or self.read_from < span.since

    @cached_property
    def sums(self) -> Sums:
        return Sums(self.buckets)


class _Question(NamedTuple):
    asked: Asked
    pieces: tuple[Piece, ...]


class Counts:
    """Totals, series, changes and shares."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        clock = newsroom.runtime.clock
        self._counted: Remembered[_Question, _Counted] = Remembered(
            self._read, clock, secs=_KEPT_SECS, size=500
        )
        self._settled: Remembered[_Question, _Counted] = Remembered(
            self._read_settled, clock, secs=_SETTLED_SECS, size=500
        )
        #: What was read of each, and when.
        self._recent: dict[Asked, deque[tuple[_Question, float]]] = {}
        self._voices = Voices(newsroom)

    def forget(self) -> None:
        """This process has just changed what is counted."""
        self._counted.forget_all()
        self._settled.forget_all()
        self._recent.clear()
        self._voices.forget()

    # --- questions -------------------------------------------------------------------------------

    async def overview(
        self,
        span: Span,
        *,
        tag: str | None = None,
        source: str | None = None,
        words: tuple[str, ...] = (),
    ) -> Overview:
        """Totals and rates of a span, and how they have changed from the one before."""
        asked, now = Asked(tag, source, words), self._newsroom.now()
        whole = counted_span(span, now, minutes=asked.by_minutes)
        earlier, later = compared_spans(whole, now, minutes=asked.by_minutes)
        read = counted_span(later, now, minutes=asked.by_minutes) if later.length else later
        parts = [pieces_of(each) for each in (whole, earlier, read)]
        counted = await self._counts_of_overview(asked, [each for part in parts for each in part])
        total, before, after = map(counted.sums.of, parts)
        volume = total.ingested if asked.subject == "all" else total.articles
        since = max(whole.since, counted.read_from or whole.since)
        passed = max(min(whole.until, now) - since, MINUTE)
        return Overview(
            span=passed_part(whole, now),
            figures=total,
            per_minute=volume / (passed / MINUTE),
            per_hour=volume / (passed / HOUR),
            change=_change(
                earlier,
                later,
                before,
                after,
                complete=counted.has(earlier) and counted.has(later),
            ),
            read_from=counted.read_from,
        )

    async def timeseries(
        self,
        span: Span,
        interval: Interval | None = None,
        *,
        tag: str | None = None,
        source: str | None = None,
        words: tuple[str, ...] = (),
    ) -> Timeseries:
        """The same by buckets; their sums are the totals of the overview."""
        asked, now = Asked(tag, source, words), self._newsroom.now()
        interval = checked_interval(span, interval, now, minutes=asked.by_minutes)
        whole = counted_span(span, now, minutes=asked.by_minutes)
        fine = LENGTHS[interval] < HOUR
        slots = slots_of(whole, interval, now)
        parts = [pieces_of(slot.span, fine=fine) for slot in slots]
        counted = await self._counts(asked, (piece for part in parts for piece in part))
        points = [
            Point(slot, counted.sums.of(part) if counted.has(slot.span) else None)
            for slot, part in zip(slots, parts, strict=True)
        ]
        return Timeseries(passed_part(whole, now), interval, points, counted.read_from)

    async def share(
        self,
        span: Span,
        by: Voice,
        *,
        tag: str | None = None,
        source: str | None = None,
        words: tuple[str, ...] = (),
    ) -> Shares:
        """Of topics that are followed, or of publishers; in whole hours.

        Of publishers, only what they say about ``tag``; of topics, only what ``source`` says.
        """
        now, asked = self._newsroom.now(), Asked(tag, source, words)
        found = await self._voices.get(counted_span(span, now, minutes=False), by, asked)
        return replace(found, span=passed_part(found.span, now))

    async def hours(self, span: Span, asked: Asked) -> dict[str, Figures]:
        """The figures of each hour that has some, by its bucket."""
        whole = counted_span(span, self._newsroom.now(), minutes=False)
        counted = await self._counts(asked, pieces_of(whole))
        first, last = hour_of(whole.since), hour_of(whole.until - HOUR)
        return {hour: counted.buckets[hour] for hour in counted.buckets if first <= hour <= last}

    # --- counts ----------------------------------------------------------------------------------

    async def _counts(self, asked: Asked, pieces: Iterable[Piece]) -> _Counted:
        question = _Question(asked, tuple(merged(pieces)))
        return await self._counted.get(self._wider(question))

    async def _counts_of_overview(self, asked: Asked, pieces: Sequence[Piece]) -> _Counted:
        """Read the counts of several windows.

        The earlier window of a comparison begins within an hour that is long over. Its minutes are
        read once for all viewers, as a whole hour.
        """
        over = floor(self._newsroom.now(), HOUR)
        settled = {
            _Question(asked, (Piece(MINUTE, floor(each.since, HOUR), ceiling(each.until, HOUR)),))
            for each in pieces
            if each.unit == MINUTE and each.until <= over and asked.subject is not None
        }
        rest = [each for each in pieces if not _is_in(each, settled)]
        counted, *others = await asyncio.gather(
            self._counts(asked, rest), *(self._settled.get(each) for each in settled)
        )
        if not others:
            return counted
        buckets = dict(counted.buckets)
        for each in others:
            buckets |= each.buckets
        return replace(counted, buckets=buckets)

    async def _read_settled(self, question: _Question) -> _Counted:
        assert question.asked.subject is not None
        return _Counted(await self._read_subject(question.asked.subject, question.pieces))

    def _wider(self, question: _Question) -> _Question:
        """One that was read a moment ago and has all that is asked for; else the question."""
        now = self._newsroom.runtime.clock.now()
        for other, began in self._recent.get(question.asked, ()):
            if began <= now < began + _KEPT_SECS and covers(other.pieces, question.pieces):
                return other
        return question

    async def _read(self, question: _Question) -> _Counted:
        subject = question.asked.subject
        if subject is None:
            return await self._read_articles(question)
        if len(self._recent) >= _MOST_RECENT:
            self._recent.clear()
        read = self._recent.setdefault(question.asked, deque(maxlen=_RECENT_OF_ONE))
        read.appendleft((question, self._newsroom.runtime.clock.now()))
        return _Counted(await self._read_subject(subject, question.pieces))

    async def _read_subject(self, subject: str, pieces: Iterable[Piece]) -> dict[str, Figures]:
        """All shards at once, and their sums."""
        shards = (await self._newsroom.setup.current()).shards
        db = self._newsroom.db
        rows = await at_most(
            AT_ONCE,
            (tallies(db, subject, shard, piece) for piece in pieces for shard in range(shards)),
        )
        found: dict[str, Figures] = {}
        for row in (row for some in rows for row in some):
            found[row.bucket] = found.get(row.bucket, NOTHING) + row
        return found

    async def _read_articles(self, question: _Question) -> _Counted:
        """What nobody counts: the latest articles of the time, one by one."""
        pieces, asked = question.pieces, question.asked
        span = Span(min(p.since for p in pieces), max(p.until for p in pieces))
        wanted = ArticleFilter(tag=asked.tag, source=asked.source, words=asked.words).within(span)
        found: dict[str, Figures] = {}
        async for row in self._newsroom.articles.walk(wanted, MOST_READ):
            if isinstance(row, datetime):
                return _Counted(found, read_from=row)
            if row.is_counted:
                for bucket in (hour_of(row.timestamp), minute_of(row.timestamp)):
                    found[bucket] = found.get(bucket, NOTHING) + row.figures
        return _Counted(found)


def _is_in(piece: Piece, settled: Iterable[_Question]) -> bool:
    return piece.unit == MINUTE and any(covers(each.pieces, (piece,)) for each in settled)


def _change(
    earlier: Span, later: Span, before: Figures, after: Figures, *, complete: bool
) -> Change:
    if not complete:
        return Change(earlier, later, before, after, None, None, complete=False)
    return Change(
        before=earlier,
        after=later,
        figures_before=before,
        figures_after=after,
        volume_percent=volume_change(before, after),
        index_points=index_change(before, after),
    )
