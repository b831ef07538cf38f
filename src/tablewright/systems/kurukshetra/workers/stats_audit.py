"""Statistics beside what they count, once a night."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 24 * 3600.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: a correction rests on what was counted twice."""

    async def run(held: Held) -> None:
        await festival.statistics.audit()

    return Worker("stats-audit", EVERY_SECS, run, lease_secs=120)
