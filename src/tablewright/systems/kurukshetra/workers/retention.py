"""Retention: four times a day, who was at an event that is long over is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 6 * 3600.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: to forget somebody twice changes nothing."""

    async def run(held: Held) -> None:
        await festival.erasing.retention.run()

    return Worker("retention", EVERY_SECS, run, lease_secs=120)
