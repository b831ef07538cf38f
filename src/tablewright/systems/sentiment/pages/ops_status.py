"""How the system does, in figures: what waits, sources and their runs, what is slow."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.service.gathering import at_most
from tablewright.service.slow_calls import SlowCall
from tablewright.systems.sentiment.config import Run
from tablewright.systems.sentiment.pages.paths import BASE
from tablewright.systems.sentiment.service.sources import Standing

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Runs of each source that are looked at, and those of all that are shown.
_RUNS, _SHOWN_RUNS = 5, 12
_SLOW = 20
_AT_ONCE = 8
#: A run that is older has lost its process, though nobody has said so yet.
_RUNNING = timedelta(minutes=15)


def source_path(name: str) -> str:
    return f"{BASE}/ops/sources/{name}"


@dataclass(frozen=True)
class SourceLine:
    """A source, and what can be done with it now."""

    standing: Standing
    last: Run | None
    #: It has all that it needs to be read.
    configured: bool
    now: datetime

    @property
    def name(self) -> str:
        return self.standing.source.name

    @property
    def path(self) -> str:
        return source_path(self.name)

    @property
    def running(self) -> bool:
        source = self.standing.source
        began = source.last_run_at
        return source.open_run is not None and began is not None and self.now - began < _RUNNING

    @property
    def state(self) -> str:
        """What keeps it from being read, if anything does."""
        if not self.standing.source.enabled:
            return "paused"
        if not self.configured:
            return "no key"
        if self.standing.breaker == "open":
            return "cut off"
        if self.standing.quota.left == 0:
            return "used up"
        if self.running:
            return "reading"
        return "on trial" if self.standing.breaker == "trial" else "good"

    @property
    def runnable(self) -> bool:
        return self.state in ("good", "on trial")

    @property
    def quota_pct(self) -> float | None:
        quota = self.standing.quota
        return None if not quota.limit else 100 * quota.used / quota.limit


@dataclass(frozen=True)
class Status:
    """Everything at a glance."""

    stuck: int
    #: Since when the oldest of them waits.
    oldest: datetime | None
    failed: int
    sources: Sequence[SourceLine]
    runs: Sequence[Run]
    slow: Sequence[SlowCall]

    @property
    def cut_off(self) -> int:
        return sum(each.state == "cut off" for each in self.sources)

    @property
    def fullest(self) -> SourceLine | None:
        """The source whose quota is used most."""
        counted = [each for each in self.sources if each.quota_pct is not None]
        return max(counted, key=lambda each: each.quota_pct or 0, default=None)


async def status_of(newsroom: Newsroom) -> Status:
    stuck, (waiting, _), failed, standings = await asyncio.gather(
        newsroom.queue.stuck_count(),
        newsroom.queue.stuck(1),
        newsroom.queue.failed_count(),
        newsroom.sources.standings(),
    )
    names = [each.source.name for each in standings]
    found = await at_most(_AT_ONCE, (newsroom.sources.runs_of(name, _RUNS) for name in names))
    runs = [run for page in found for run in page]
    runs.sort(key=lambda run: run.started_at, reverse=True)
    return Status(
        stuck=stuck,
        oldest=waiting[0].queued_at if waiting else None,
        failed=failed,
        sources=[
            source_line(newsroom, each, next(iter(page), None))
            for each, page in zip(standings, found, strict=True)
        ],
        runs=runs[:_SHOWN_RUNS],
        slow=newsroom.runtime.metrics.slow_calls(newsroom.runtime.system)[:_SLOW],
    )


def source_line(newsroom: Newsroom, standing: Standing, last: Run | None) -> SourceLine:
    configured = newsroom.sources.fetchers.can_read(standing.source)
    return SourceLine(standing, last, configured, newsroom.now())
