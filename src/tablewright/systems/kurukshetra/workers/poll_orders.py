"""Captures that nobody told of are found, every five minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 300.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: a capture has one effect, whoever finds it."""

    async def run(held: Held) -> None:
        await festival.payments.poll()

    return Worker("poll_orders", EVERY_SECS, run, lease_secs=60)
