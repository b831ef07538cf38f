"""Which run is when: at its time or when asked for, and never two of one source at once.

Each source has a lease, ``ingest/{name}``. A run is begun under it with a row of its own, which the
source's row points to. If its process dies, the lease ends, and whoever begins the next run finds
the row and says that it was abandoned.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model import together
from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.problems import conflict, not_found
from tablewright.service.workers import Held, LeaseLost, Leases, under_lease
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.config import Run, Source
from tablewright.systems.sentiment.fetching.failures import Sleep
from tablewright.systems.sentiment.rules.breaker import Breaker
from tablewright.systems.sentiment.rules.pacing import interval_secs, is_due
from tablewright.systems.sentiment.service.sources.calling import Calls
from tablewright.systems.sentiment.service.sources.quotas import Quotas
from tablewright.systems.sentiment.service.sources.reading import Reading

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom
    from tablewright.systems.sentiment.service.sources.fetchers import Fetchers

log = logging.getLogger("tablewright.sentiment")

LEASE_SECS = 60.0
#: How long runs can be looked at.
KEPT = timedelta(days=30)


class Runs:
    """The runs of one process."""

    def __init__(self, newsroom: Newsroom, fetchers: Fetchers) -> None:
        self._newsroom = newsroom
        self._fetchers = fetchers
        self._leases = Leases(newsroom.db, newsroom.runtime.clock)
        self._quotas = Quotas(newsroom)
        self._under_way: set[asyncio.Task[Run]] = set()
        #: How long is waited between tries.
        self.sleep: Sleep = asyncio.sleep
        self._ended = newsroom.runtime.metrics.counter(
            "sentiment_source_runs", "Runs of sources, by how they ended", ("source_type", "state")
        )
        self._open = newsroom.runtime.metrics.gauge(
            "sentiment_breaker_open", "1 while a source is left alone after failures.", ("source",)
        )

    # --- beginning -------------------------------------------------------------------------------

    async def start(self, name: str) -> Run:
        """Begin a run now, and go on with it in the background."""
        run, _ = await self._started(name)
        return run

    async def run(self, name: str) -> Run:
        """Begin a run now, and wait for its end."""
        _, task = await self._started(name)
        return await task

    async def _started(self, name: str) -> tuple[Run, asyncio.Task[Run]]:
        source = await self._newsroom.db.run(config_reads.source(name))
        if source is None:
            raise not_found("source")
        await self._check(source)
        begun = await self._begin(source)
        if begun is None:
            raise conflict("ALREADY_RUNNING", "The source is being read at this moment.")
        return begun

    async def start_due(self) -> list[str]:
        """Begin the runs whose time has come; those of which sources."""
        begun = []
        sources = [each async for each in self._newsroom.db.iterate(config_reads.sources_to_read())]
        topics = await self._topics(sources)
        for source in sources:
            self._open.labels(source.name).set(not breaker_of(source).allows(self._newsroom.now()))
            due = self._is_due(source, topics) and await self._may_call(source)
            if due and await self._begin(source) is not None:
                begun.append(source.name)
        return begun

    async def _topics(self, sources: list[Source]) -> int:
        """How many topics are followed, if a source has to be asked for each."""
        if not any(each.source_type == "newsapi" and each.query is None for each in sources):
            return 0
        watches = self._newsroom.db.iterate(config_reads.watch_rules())
        return len([each async for each in watches if each.enabled])

    def interval(self, source: Source, topics: int) -> float:
        """Seconds between its runs, so that its quota lasts."""
        asks_for_topics = source.source_type == "newsapi" and source.query is None
        calls = topics if asks_for_topics else 1
        return interval_secs(source.interval_seconds, calls, self._quotas.limit(source))

    def _is_due(self, source: Source, topics: int) -> bool:
        now = self._newsroom.now()
        if not source.enabled or not breaker_of(source).allows(now):
            return False
        if not self._fetchers.can_read(source):
            return False
        return is_due(source.last_run_at, self.interval(source, topics), now)

    async def _may_call(self, source: Source) -> bool:
        return (await self._quotas.today(source)).left != 0

    async def _check(self, source: Source) -> None:
        """Whether a run can come to anything; else why not."""
        until = source.breaker_open_until
        if not source.enabled:
            raise conflict("SOURCE_DISABLED", "The source is switched off. Switch it on first.")
        if not self._fetchers.can_read(source):
            raise conflict("NOT_CONFIGURED", "There is no key of NewsAPI in the settings.")
        if not breaker_of(source).allows(self._newsroom.now()):
            raise conflict("BREAKER_OPEN", f"The source is left alone until {until:%H:%M:%S} UTC.")
        if not await self._may_call(source):
            raise conflict("QUOTA_EXHAUSTED", "All calls of the day have been made.")

    # --- one run ---------------------------------------------------------------------------------

    async def _begin(self, source: Source) -> tuple[Run, asyncio.Task[Run]] | None:
        """A run under its lease; None if somebody has the lease."""
        held = await self._leases.acquire(f"ingest/{source.name}", LEASE_SECS)
        if held is None:
            return None
        try:
            # As it is under the lease: the run before may have ended just now.
            current = await self._newsroom.db.require(config_reads.source(source.name))
            run = await self._opened(current)
        except BaseException:
            with suppress(TablewrightError):
                await self._leases.release(held)
            raise
        work = self._carry_out(held, current, run)
        task = asyncio.create_task(work, name=f"source {source.name}")
        self._under_way.add(task)
        task.add_done_callback(self._over)
        return run, task

    async def _opened(self, source: Source) -> Run:
        now = self._newsroom.now()
        if source.open_run is not None and source.last_run_at is not None:
            await self._abandon(source.name, source.last_run_at, source.open_run)
        run = Run(
            source=source.name,
            started_at=now,
            run_id=self._newsroom.runtime.ids(),
            ttl_timestamp=now + KEPT,
        )
        await self._newsroom.db.run(together(writes.start_run(run), writes.begin_reading(run)))
        return run

    async def _abandon(self, name: str, started_at: datetime, run_id: str) -> None:
        with suppress(ConditionFailed):  # it has ended after all, or is gone
            now = self._newsroom.now()
            await self._newsroom.db.run(writes.abandon_run(name, started_at, run_id, now))
            log.warning("source %s: a run was abandoned", name)

    async def _carry_out(self, held: Held, source: Source, run: Run) -> Run:
        calls = Calls(self._newsroom, source, self.sleep)
        reading = Reading(self._newsroom, source, run, calls)
        ended: list[Run] = []

        async def work() -> None:
            ended.append(await reading.carry_out(self._fetchers.reader(source)))

        async with self._leases.keeping(held) as keeping:
            await under_lease(keeping, work())
        self._ended.labels(source.source_type, ended[0].state).inc()
        return ended[0]

    def _over(self, task: asyncio.Task[Run]) -> None:
        self._under_way.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, LeaseLost | TablewrightError):
            log.warning("%s: %s", task.get_name(), error)
        elif error is not None:
            log.error("%s failed", task.get_name(), exc_info=error)

    # --- the end ---------------------------------------------------------------------------------

    async def idle(self) -> None:
        """Wait until no run is under way."""
        while self._under_way:
            await asyncio.wait(set(self._under_way))

    async def close(self) -> None:
        """Break off what is under way: the next run of each source says so of this one."""
        tasks = list(self._under_way)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def breaker_of(source: Source) -> Breaker:
    return Breaker(source.failures, source.breaker_open_until)
