"""The sweep: counts what is stuck, every minute, and queues what a worker has lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

EVERY_SECS = 60.0


def worker(newsroom: Newsroom) -> Worker:
    """No fence is needed: an article that was queued a moment ago is not queued again."""

    async def run(held: Held) -> None:
        await newsroom.queue.sweep()

    return Worker("sweep", EVERY_SECS, run)
