"""Re-analysis: compares models and promotes them, hour by hour, one job after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

EVERY_SECS = 5.0


def worker(newsroom: Newsroom) -> Worker:
    """No fence is needed: a job only advances from where it was read."""

    async def run(held: Held) -> None:
        await newsroom.jobs.work()

    return Worker("reanalyse", EVERY_SECS, run)
