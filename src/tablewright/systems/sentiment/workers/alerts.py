"""Judges the rules of alerts, each minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Worker

if TYPE_CHECKING:
    from tablewright.service.workers import Held
    from tablewright.systems.sentiment.service.newsroom import Newsroom

NAME = "alerts"
EVERY_SECS = 60.0


def worker(newsroom: Newsroom) -> Worker:
    async def run(held: Held) -> None:
        await newsroom.alerts.evaluate()

    return Worker(NAME, EVERY_SECS, run)
