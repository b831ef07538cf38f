"""The eraser: goes on with whoever was to be forgotten when a process died, or had to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 60.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: to forget somebody twice changes nothing."""

    async def run(held: Held) -> None:
        await festival.erasing.work()

    return Worker("erase", EVERY_SECS, run, lease_secs=120)
