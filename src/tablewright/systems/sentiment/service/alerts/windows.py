"""The figures of windows, from the counts.

Windows that are over hardly change, so they are kept: with every look, only the last one is read
again, for articles of it that were analysed late. Now and then all are read anew, since people and
new models change what was counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from tablewright.model import PageOp
from tablewright.systems.sentiment.articles import Tally
from tablewright.systems.sentiment.config import AlertRule, Window
from tablewright.systems.sentiment.rules.deviation import (
    LENGTHS,
    MOST_WEEKS,
    PRIOR,
    WEEK,
    Deviation,
    Season,
    deviation,
    season_of,
)
from tablewright.systems.sentiment.rules.figures import NOTHING, Figures
from tablewright.systems.sentiment.rules.spans import HOUR, MINUTE, floor
from tablewright.systems.sentiment.shapes import hour_of, minute_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Reads one shard of a count.
Read: TypeAlias = Callable[..., PageOp[Tally]]

_KEPT = HOUR


def subject_of(watch_tag: str | None) -> str:
    return "all" if watch_tag is None else f"tag#{watch_tag}"


@dataclass
class _Known:
    """What is known of one series."""

    since: datetime
    figures: dict[datetime, Figures] = field(default_factory=dict)
    #: When its first count is of.
    began: datetime | None = None
    #: The hours of earlier weeks and days, by the time that was read.
    past: dict[tuple[datetime, datetime], dict[datetime, Figures]] = field(default_factory=dict)


class Windows:
    """The windows of series, as one component reads them."""

    def __init__(self, newsroom: Newsroom, read: Read) -> None:
        self._newsroom = newsroom
        self._read = read
        self._known: dict[tuple[str, Window], _Known] = {}

    async def deviations(
        self, rule: AlertRule, starts: list[datetime]
    ) -> list[tuple[Figures, Deviation | None]]:
        """Judge windows that follow each other; before the first one, 24 others are read."""
        subject, window = subject_of(rule.watch_tag), rule.window
        length = LENGTHS[window]
        wanted = [starts[0] - length * back for back in range(PRIOR, 0, -1)] + starts
        figures = await self.figures(subject, window, wanted)
        began = await self._began(subject, window, rule.created_at)
        season = None
        if rule.metric == "volume" and began is not None:
            season = season_of(starts[0], began)
        numbers = await self._season(subject, window, starts, season)
        found: list[tuple[Figures, Deviation | None]] = []
        for at, start in enumerate(starts):
            prior, judged = figures[at : at + PRIOR], figures[at + PRIOR]
            known = began is not None and began < start - length * (PRIOR - 1)
            kind = season.kind if season else "windows"
            found.append(
                (
                    judged,
                    deviation(
                        rule.metric,
                        prior,
                        judged,
                        season=numbers[at],
                        kind=kind,
                        coarse=length < HOUR,
                    )
                    if known
                    else None,
                )
            )
        return found

    async def _began(
        self, subject: str, window: Window, created_at: datetime | None
    ) -> datetime | None:
        """Return when a series began: with its first count, or with the rule that watches it."""
        known = self._series(subject, window)
        if known.began is None:
            shards = (await self._newsroom.setup.current()).shards
            last = floor(known.since, HOUR)
            bounds = {"first": hour_of(last - MOST_WEEKS * WEEK), "last": hour_of(last)}
            pages = await asyncio.gather(
                *(
                    self._newsroom.db.run(self._read(subject, shard, **bounds), limit=1)
                    for shard in range(shards)
                )
            )
            known.began = min((_moment(row.bucket) for page in pages for row in page), default=None)
        return min((each for each in (known.began, created_at) if each is not None), default=None)

    async def _season(
        self, subject: str, window: Window, starts: list[datetime], season: Season | None
    ) -> list[list[float]]:
        """Read the numbers of articles at the same times of earlier weeks or days.

        Minutes are kept for three days, so a quarter of an hour is a quarter of its hour.
        """
        if season is None:
            return [[] for _ in starts]
        length = LENGTHS[window]
        part = min(length / HOUR, 1.0)
        first, last = floor(starts[0], HOUR), floor(starts[-1] + max(length, HOUR), HOUR)
        past = await asyncio.gather(
            *(self._past(subject, window, first - shift, last - shift) for shift in season.shifts)
        )
        found: list[list[float]] = []
        for start in starts:
            hours = [floor(start, HOUR) + HOUR * step for step in range(max(length // HOUR, 1))]
            found.append(
                [
                    part * sum(counts.get(hour - shift, NOTHING).articles for hour in hours)
                    for shift, counts in zip(season.shifts, past, strict=True)
                ]
            )
        return found

    async def _past(
        self, subject: str, window: Window, since: datetime, until: datetime
    ) -> dict[datetime, Figures]:
        """The hours of an earlier time, which are read once an hour."""
        past = self._series(subject, window).past
        if (since, until) not in past:
            found: dict[datetime, Figures] = {}
            for hour, figures in await self.rows(subject, since, until, fine=False):
                found[hour] = found.get(hour, NOTHING) + figures
            past[since, until] = found
        return past[since, until]

    async def figures(self, subject: str, window: Window, starts: list[datetime]) -> list[Figures]:
        """Of these windows, which follow each other; the last one as it is now."""
        known = self._series(subject, window).figures
        missing = [start for start in starts[:-1] if start not in known]
        first = min((*missing, starts[-1]))
        known |= await self._fetched(subject, window, first, starts[-1])
        for old in [start for start in known if start < starts[0]]:
            del known[old]
        return [known.get(start, NOTHING) for start in starts]

    def _series(self, subject: str, window: Window) -> _Known:
        now = self._newsroom.now()
        known = self._known.get((subject, window))
        if known is None or not known.since <= now < known.since + _KEPT:
            known = self._known[subject, window] = _Known(now)
        return known

    async def _fetched(
        self, subject: str, window: Window, first: datetime, last: datetime
    ) -> dict[datetime, Figures]:
        """The windows from ``first`` to ``last``, empty ones too."""
        length = LENGTHS[window]
        rows = await self.rows(subject, first, last + length, fine=length < HOUR)
        found = {first + length * step: NOTHING for step in range((last - first) // length + 1)}
        for moment, figures in rows:
            start = floor(moment, length)
            found[start] = found[start] + figures
        return found

    async def rows(
        self, subject: str, since: datetime, until: datetime, *, fine: bool
    ) -> list[tuple[datetime, Figures]]:
        """All counts of minutes, or of hours, in a time that begins and ends with one."""
        shards = (await self._newsroom.setup.current()).shards
        name, unit = (minute_of, MINUTE) if fine else (hour_of, HOUR)
        bounds = {"first": name(since), "last": name(until - unit)}
        read = [self._shard(self._read(subject, shard, **bounds)) for shard in range(shards)]
        return [row for rows in await asyncio.gather(*read) for row in rows]

    async def _shard(self, op: PageOp[Tally]) -> Iterable[tuple[datetime, Figures]]:
        return [(_moment(row.bucket), NOTHING + row) async for row in self._newsroom.db.iterate(op)]


def _moment(bucket: str) -> datetime:
    """When a minute or an hour began: ``m#2026-11-20T12:07Z``, ``h#2026-11-20T12Z``."""
    text = bucket[2:-1]
    return datetime.fromisoformat(f"{text if ':' in text else f'{text}:00'}+00:00")


def ending(until: datetime, length: timedelta) -> tuple[datetime, datetime]:
    """The whole minutes of so long a time up to the last one that is over."""
    end = floor(until, MINUTE)
    return end - length, end
