"""Seats that are free while people wait for them are offered, every 30 seconds.

Whoever frees a seat offers it at once. This is for those that failed in between, and for seats that
an organiser has added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 30.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: all that it writes is on condition of what it has read."""

    async def run(held: Held) -> None:
        await festival.seats.offer()

    return Worker("promote", EVERY_SECS, run, lease_secs=60)
