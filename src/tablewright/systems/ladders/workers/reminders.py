"""Reminders: writes those that are due, every hour; the outbox sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

EVERY_SECS = 3600.0


def worker(company: Company) -> Worker:
    """No fence is needed: who was told is written with the messages."""

    async def run(held: Held) -> None:
        await company.reminders.send_due()

    return Worker("reminders", EVERY_SECS, run)
