"""The sweep: holds that have run out, every 15 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 15.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: all that it writes is on condition of what it has read."""

    async def run(held: Held) -> None:
        await festival.seats.sweep()

    return Worker("sweep", EVERY_SECS, run, lease_secs=60)
