"""Resealing: once there is a new key, everything is sealed under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 600.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: an item is written on condition that it is as it was read."""

    async def run(held: Held) -> None:
        await festival.resealing.work()

    return Worker("reseal", EVERY_SECS, run, lease_secs=120)
