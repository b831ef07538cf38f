"""Reminders: begins those that are due, every five minutes; sending them is a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 300.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: a reminder that was begun is not begun again."""

    async def run(held: Held) -> None:
        await festival.mailing.remind_due()

    return Worker("reminders", EVERY_SECS, run)
