"""Refunds: the gateway is asked about those whose time has come, every 30 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 30.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: under one key the gateway pays back once, and a refund ends once."""

    async def run(held: Held) -> None:
        await festival.refunds.send_due()

    return Worker("send_refunds", EVERY_SECS, run, lease_secs=120)
