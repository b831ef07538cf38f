"""Running workers: for the life of a process, or once.

Each partition of each worker is a task. A worker that works more often than a lease lasts keeps its
lease between runs, so that what it remembers stays useful; now and then it gives the lease up, so
that processes which started later get their share. Another one (every hour, every night) takes the
lease when the time has come, and leaves in it when the work was begun: however many processes there
are and however often they restart, it is done once in that time. A worker that is shared has no
lease: every process runs it, in its own time.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tablewright.service.kit.entities import Lease
from tablewright.service.outages import is_outage, reason_of
from tablewright.service.workers.leases import Held, Keeping, LeaseLost, Leases
from tablewright.service.workers.worker import Worker

if TYPE_CHECKING:
    from tablewright.service.metrics import Metrics
    from tablewright.service.runtime import Runtime

logger = logging.getLogger(__name__)

#: A failing worker waits longer each time, up to its own time between runs; but not less than the
#: first, nor more than the second of these.
_LEAST_PAUSE, _LONGEST_PAUSE = 30.0, 300.0
#: How long a lease is kept before others get a chance, in leases or in runs.
_TERM = 20
#: How long a run may go on after the process was told to stop.
_DRAIN_SECS = 5.0
_FOREVER = float("inf")


@asynccontextmanager
async def runner(
    runtime: Runtime, workers: Sequence[Worker], *, drain_secs: float = _DRAIN_SECS
) -> AsyncIterator[Leases]:
    """The workers at work for the length of the block."""
    leases = Leases(runtime.db, runtime.clock)
    stopping = asyncio.Event()
    counted = RunMetrics(runtime.metrics, runtime.system)
    tasks = [
        asyncio.create_task(
            Shift(leases, worker, partition, stopping, counted).work(),
            name=f"worker {worker.lease(partition)}",
        )
        for worker in workers
        for partition in worker.partitions
    ]
    try:
        yield leases
    finally:
        stopping.set()
        await _ended(tasks, drain_secs)
        closing = [worker.close() for worker in workers if worker.close is not None]
        await asyncio.gather(*closing, return_exceptions=True)


async def _ended(tasks: Sequence[asyncio.Task[None]], secs: float) -> None:
    """Wait for the tasks, then make them end."""
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=secs)
    for task in late:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def run_once(
    worker: Worker, leases: Leases | None = None, *, fence: int = 1
) -> tuple[str, ...]:
    """Run every partition once, whether it is due or not; which ones were run.

    With ``leases``, those that another process holds are left to it. Without, nobody else may be
    at work: for tests.
    """
    done = []
    for partition in worker.partitions:
        if leases is None or worker.shared:
            owner = "once" if leases is None else leases.owner
            await worker.run(Held(worker.name, partition, owner, fence, _FOREVER))
        else:
            held = await leases.acquire(worker.lease(partition), worker.lease_secs)
            if held is None:
                continue
            async with leases.keeping(held) as keeping:
                at = leases.now()
                await under_lease(keeping, worker.run(held))
                keeping.ran_at = at
        done.append(partition)
    return tuple(done)


class Shift:
    """One partition of a worker, in one process."""

    def __init__(
        self,
        leases: Leases,
        worker: Worker,
        partition: str,
        stopping: asyncio.Event,
        counted: RunMetrics,
    ) -> None:
        self._leases = leases
        self._worker = worker
        self._partition = partition
        self._lease = worker.lease(partition)
        self._stopping = stopping
        self._counted = counted
        self._failures = 0

    async def work(self) -> None:
        """Until the process stops."""
        # Workers that start together do not all ask at once.
        await self._wait(random.uniform(0, min(0.3, self._worker.every)))
        while not self._stopping.is_set():
            try:
                pause = await self._turn()
            except Exception as error:
                pause = self._failed(error)
            await self._wait(pause)

    async def _turn(self) -> float:
        """Work if it is our turn; how long to wait then."""
        worker = self._worker
        if worker.shared:
            return await self._share()
        found = await self._leases.look(self._lease)
        due = 0.0 if worker.standing else self._until_due(found)
        if due > 0:
            return min(due + self._deference(found), _LONGEST_PAUSE)
        held = await self._leases.take(self._lease, found, worker.lease_secs)
        if held is None:
            return _jittered(min(worker.every, worker.lease_secs / 3))
        try:
            async with self._leases.keeping(held) as keeping:
                if worker.standing:
                    return await self._stand(keeping)
                await self._run(keeping)
        finally:
            if worker.let_go is not None:
                worker.let_go(self._partition)
        # If all went well, the next turn finds out how long to wait.
        return self._pause() if self._failures else 0.0

    async def _share(self) -> float:
        """Run as every other process does, too."""
        began = time.monotonic()
        held = Held(self._worker.name, self._partition, self._leases.owner, 0, _FOREVER)
        await self._noted(self._worker.run(held))
        return max(0.0, self._pause() - (time.monotonic() - began))

    def _deference(self, found: Lease | None) -> float:
        """How much later to come than the one who did it last, and remembers what it saw.

        Now and then that one does so too, or processes that started later would never have a turn.
        """
        if found is not None and found.owner == self._leases.owner and random.random() > 1 / _TERM:
            return 0.0
        return random.uniform(0.5, 1.5) * min(1.0, self._worker.every / 20)

    def _until_due(self, found: Lease | None) -> float:
        """Seconds until it is time again."""
        if found is None or found.ran_at is None:
            return 0.0
        passed = self._leases.now() - found.ran_at.timestamp()
        # Done in the future: the clock was wrong, then or now.
        return 0.0 if passed < 0 else self._worker.every - passed

    async def _stand(self, keeping: Keeping) -> float:
        """Run again and again under one lease, for one term."""
        ends = time.monotonic() + _jittered(_TERM * self._worker.lease_secs)
        while not self._stopping.is_set() and not keeping.lost.is_set():
            began = time.monotonic()
            await self._run(keeping)
            rest = max(0.0, self._pause() - (time.monotonic() - began))
            if time.monotonic() + rest >= ends:
                return rest
            await self._wait(rest, keeping.lost)
        return _jittered(min(self._worker.every, 1.0))

    async def _run(self, keeping: Keeping) -> None:
        """One run under a lease, which says when it was done to its end."""
        at = self._leases.now()
        if await self._noted(under_lease(keeping, self._worker.run(keeping.held))):
            keeping.ran_at = at

    async def _noted(self, run: Awaitable[None]) -> bool:
        """Whether a run came to its end; what it raises is logged and does not end the worker."""
        began = time.perf_counter()
        try:
            await run
        except LeaseLost:
            outcome = "lost"
        except Exception as error:
            outcome = "failed"
            self._failures += 1
            _log("worker %s failed: %s", self._lease, error)
        else:
            outcome = "ok"
            self._failures = 0
        self._counted.ran(self._worker.name, outcome, time.perf_counter() - began)
        return outcome == "ok"

    def _failed(self, error: Exception) -> float:
        """The lease could not be asked for: the store is away, or something is wrong with us."""
        self._failures += 1
        _log("worker %s cannot get its lease: %s", self._lease, error)
        return self._pause()

    def _pause(self) -> float:
        """Until the next run, longer after failures."""
        every = self._worker.every
        if self._failures:
            longest = min(max(every, _LEAST_PAUSE), _LONGEST_PAUSE)
            return _jittered(min(longest, 2.0 ** min(self._failures - 1, 10)))
        return _jittered(every)

    async def _wait(self, secs: float, *also: asyncio.Event) -> None:
        """For so long, or until one of the events."""
        waits = [asyncio.ensure_future(each.wait()) for each in (self._stopping, *also)]
        try:
            await asyncio.wait(waits, timeout=secs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()


async def under_lease(keeping: Keeping, run: Awaitable[None]) -> None:
    """Await ``run``, but not beyond the lease: then it is cancelled, and :class:`LeaseLost`."""
    work = asyncio.ensure_future(run)
    lost = asyncio.ensure_future(keeping.lost.wait())
    try:
        await asyncio.wait({work, lost}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            raise LeaseLost(keeping.held)
        await work
    finally:
        lost.cancel()
        if not work.done():
            work.cancel()
            await asyncio.wait({work})


def _log(text: str, lease: str, error: Exception) -> None:
    away = is_outage(error)
    level = logging.WARNING if away else logging.ERROR
    told = reason_of(error) if away else error
    logger.log(level, text, lease, told, exc_info=None if away else error)


def _jittered(secs: float) -> float:
    """About so long, so that processes do not fall into step."""
    return secs * random.uniform(0.95, 1.05)


class RunMetrics:
    """How often workers run, how long it takes, how it ends."""

    def __init__(self, metrics: Metrics, system: str) -> None:
        self._system = system
        self._runs = metrics.counter(
            "tablewright_worker_runs", "Runs of workers", ("system", "worker", "outcome")
        )
        self._seconds = metrics.histogram(
            "tablewright_worker_run_seconds", "How long runs take", ("system", "worker")
        )

    def ran(self, worker: str, outcome: str, seconds: float) -> None:
        self._runs.labels(self._system, worker, outcome).inc()
        self._seconds.labels(self._system, worker).observe(seconds)
