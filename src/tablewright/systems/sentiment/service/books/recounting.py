"""Counting the articles of past hours again.

Most hours agree at the first look, which is all that is done about them. An hour that does not is
looked at again: a writer may have come between the reading of its articles and of its counts, or
an index may not have caught up. What is said about an hour is only believed if its counts were the
same before and after its articles were read, and if two looks agree.

A correction is an addition, so that writers who come at the same time lose nothing, and it is made
on the condition that the row it is made to has not changed, so that nothing is corrected twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.gathering import at_most
from tablewright.systems.sentiment.articles import Article, Tally
from tablewright.systems.sentiment.changes import COUNTED, correct_count
from tablewright.systems.sentiment.config_reads import (
    watches,
)
from tablewright.systems.sentiment.reads import (
    articles_with_status,
    export_slice,
    series_to_check,
)
from tablewright.systems.sentiment.rules.spans import HOUR, MINUTE, MINUTES_BACK, ceiling, floor
from tablewright.systems.sentiment.service.books.drift import (
    Cell,
    Drift,
    Recount,
    cells_of,
    corrections,
    differences,
    hour_of_bucket,
)
from tablewright.systems.sentiment.shapes import (
    ARTICLE_LIFE,
    HOUR_LIFE,
    MINUTE_LIFE,
    Sentiment,
    Status,
    hour_of,
    minute_of,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_TONES: tuple[Sentiment, ...] = ("positive", "neutral", "negative")
_WAITING: tuple[Status, ...] = ("pending", "failed", "unjudged")
#: Hours that are looked at together, and reads that are under way at once.
_CHUNK, _AT_ONCE = 24, 32
#: How often an hour is looked at, and how long it is left alone in between.
_LOOKS, _PAUSE_SECS = 6, 0.1
#: So long before articles end, their hours are left out: it takes a while to read them.
_MARGIN = timedelta(minutes=10)


@dataclass
class Counts:
    """What the store counts: sums over all shards, and the rows of the first."""

    sums: Counter[Cell]
    firsts: dict[tuple[str, str], Tally]


class Recounting:
    """One recount."""

    def __init__(self, newsroom: Newsroom, *, fix: bool) -> None:
        self._newsroom = newsroom
        self._db = newsroom.db
        self._fix = fix
        self._subjects: set[str] = set()
        self._shards = 0

    async def run(self, since: datetime, until: datetime, closed_only: bool) -> Recount:
        now = self._newsroom.now()
        first = max(floor(since, HOUR), ceiling(now - ARTICLE_LIFE + _MARGIN, HOUR))
        end = min(ceiling(until, HOUR), floor(now, HOUR) + (not closed_only) * HOUR)
        found = Recount(first, max(first, end))
        await self._learn()
        while first < end:
            last = min(first + _CHUNK * HOUR, end)
            await self._chunk(found, first, last)
            first = last
        return found

    async def _learn(self) -> None:
        """Everything that may be counted, as far as is known without reading articles."""
        settings = await self._newsroom.setup.current()
        self._shards = settings.shards
        self._subjects = {"all", "source#other"}
        known = await self._newsroom.intake.publishers.names()
        self._subjects |= {f"source#{key}" for key in known}
        async for each in self._db.iterate(watches()):
            self._subjects.add(f"tag#{each.watch_tag}")

    # --- looking ---------------------------------------------------------------------------------

    async def _chunk(self, found: Recount, first: datetime, last: datetime) -> None:
        number, articles = await self._articles(first, last)
        counted = await self._counts(first, last)
        found.hours += (last - first) // HOUR
        found.articles += number
        wrong = {hour_of_bucket(d.bucket) for d in differences(articles, counted.sums)}
        for hour in _hours(first, last):
            if hour_of_bucket(hour_of(hour)) in wrong:
                await self._hour(found, hour)

    async def _hour(self, found: Recount, hour: datetime) -> None:
        """An hour that did not agree, until it is known how it stands."""
        known: list[Drift] | None = None
        for _ in range(_LOOKS):
            drift, counts = await self._look(hour)
            if drift == []:
                return
            if drift is not None and drift == known:
                if not self._fix:
                    found.drift += drift
                    return
                done = await self._corrected(drift, counts)
                found.fixed += done
                if done == drift:
                    return
                drift = None
            known = drift
            await asyncio.sleep(_PAUSE_SECS)
        found.unsettled.append(hour_of(hour))

    async def _look(self, hour: datetime) -> tuple[list[Drift] | None, Counts]:
        """What is wrong with an hour, if nobody wrote to it meanwhile; and its counts."""
        before = await self._counts(hour, hour + HOUR)
        _, articles = await self._articles(hour, hour + HOUR)
        after = await self._counts(hour, hour + HOUR)
        same = before.sums == after.sums and before.firsts == after.firsts
        return (differences(articles, after.sums) if same else None), after

    # --- reading ---------------------------------------------------------------------------------

    async def _articles(self, first: datetime, last: datetime) -> tuple[int, Counter[Cell]]:
        """How many articles there are, and what they count; new subjects are remembered."""
        hours = list(_hours(first, last))
        waiting = {each.source_id: each async for each in self._waiting(first, last)}
        slices = await at_most(8, (self._analysed(hour) for hour in hours))
        # One that was analysed in between is in both; the later reading counts.
        articles = waiting | {key: each for one in slices for key, each in one.items()}
        found: Counter[Cell] = Counter()
        for each in articles.values():
            found.update(cells_of(each, minutes=self._has_minutes(each.timestamp)))
        self._subjects |= {cell.subject for cell in found}
        return len(articles), found

    async def _waiting(self, first: datetime, last: datetime) -> AsyncIterator[Article]:
        for status in _WAITING:
            async for each in self._db.iterate(
                articles_with_status(status, since=first, until=last)
            ):
                yield each

    async def _analysed(self, hour: datetime) -> dict[str, Article]:
        found: dict[str, Article] = {}
        for tone in _TONES:
            async for each in self._db.iterate(export_slice(tone, since=hour, until=hour + HOUR)):
                found[each.source_id] = each
        return found

    async def _counts(self, first: datetime, last: datetime) -> Counts:
        ranges = [(hour_of(first), hour_of(last - HOUR))]
        fine = max(first, self._minutes_from())
        with_minutes = [*ranges]
        if fine < last:
            with_minutes.append((minute_of(fine), minute_of(last - MINUTE)))
        reads = (
            self._shard(subject, shard, each)
            for subject in sorted(self._subjects)
            for shard in range(self._shards)
            for each in (ranges if subject.startswith("source#") else with_minutes)
        )
        found = Counts(Counter(), {})
        for rows in await at_most(_AT_ONCE, reads):
            for row in rows:
                _add(found, row)
        return found

    async def _shard(self, subject: str, shard: int, ends: tuple[str, str]) -> list[Tally]:
        op = series_to_check(subject, shard, first=ends[0], last=ends[1])
        return [row async for row in self._db.iterate(op)]

    def _minutes_from(self) -> datetime:
        return ceiling(self._newsroom.now() - MINUTES_BACK, HOUR)

    def _has_minutes(self, moment: datetime) -> bool:
        return moment >= self._minutes_from()

    # --- putting right ---------------------------------------------------------------------------

    async def _corrected(self, drift: list[Drift], counts: Counts) -> list[Drift]:
        """What of it could be corrected; the rest is looked at again."""
        wanted = corrections(drift)
        done: set[tuple[str, str]] = set()
        for (subject, bucket), by in wanted.items():
            seen = counts.firsts.get((subject, bucket)) or _none_yet(subject, bucket)
            with suppress(ConditionFailed, TransactionCancelled):
                await self._db.run(correct_count(seen, by))
                done.add((subject, bucket))
        return [each for each in drift if (each.subject, each.bucket) in done]


def _add(found: Counts, row: Tally) -> None:
    for name in COUNTED:
        if amount := getattr(row, name):
            found.sums[Cell(row.subject, row.bucket, name)] += amount
    if row.shard == 0:
        found.firsts[row.subject, row.bucket] = row


def _none_yet(subject: str, bucket: str) -> Tally:
    minute = bucket.startswith("m#")
    form = "m#%Y-%m-%dT%H:%MZ%z" if minute else "h#%Y-%m-%dT%HZ%z"
    start = datetime.strptime(f"{bucket}+0000", form)
    ends = start + (MINUTE_LIFE if minute else HOUR_LIFE)
    return Tally(subject=subject, shard=0, bucket=bucket, ttl_timestamp=ends)


def _hours(first: datetime, last: datetime) -> Iterable[datetime]:
    while first < last:
        yield first
        first += HOUR
