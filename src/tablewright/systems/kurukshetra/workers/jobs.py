"""Jobs: does what is due, every three seconds; each kind has a lease of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker
from tablewright.systems.kurukshetra.service.jobs import LEASE_SECS, WORKER

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 3.0


def worker(festival: Festival) -> Worker:
    """What it writes about a job carries the lease's fence."""

    async def run(held: Held) -> None:
        await festival.jobs.work(held)

    return Worker(WORKER, EVERY_SECS, run, partitions=festival.jobs.kinds, lease_secs=LEASE_SECS)
