"""A headline every few seconds, so that there is something to watch.

It comes in as anything does: queued, analysed by whoever is woken by the change, and told of. Each
round brings the same headlines in another order and under other addresses. The demo's own source
says whether it goes on: a place without that source has no demo, and a source that is paused is.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker
from tablewright.systems.sentiment import config_reads
from tablewright.systems.sentiment.corpus import Headline, headlines, later
from tablewright.systems.sentiment.live_demo.cast import WIRE

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

NAME = "replay"
EVERY_SECS = 12.0
#: After so many of them, somebody has seen enough: then one a minute, or charts show nothing else.
_LIVELY, _SLOWER = 150, 5


def worker(newsroom: Newsroom) -> Worker:
    return Worker(NAME, EVERY_SECS, Replay(newsroom).run)


class Replay:
    """Goes on with the demo."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._told = 0

    async def run(self, held: Held) -> None:
        step = int(self._newsroom.runtime.clock.now() / EVERY_SECS)
        if self._told >= _LIVELY and step % _SLOWER:
            return
        # Each time: the demo may just have been filled. The engine is near, where this runs.
        source = await self._newsroom.db.run(config_reads.source(WIRE))
        if source is not None and source.enabled:
            record = headline_at(step).record(self._newsroom.now())
            await self._newsroom.intake.take([record], source_type="file")
            self._told += 1


@cache
def pool() -> tuple[Headline, ...]:
    """All headlines: it takes two hours until one of them is heard again."""
    return (*later(), *headlines())


def headline_at(step: int) -> Headline:
    """The headline of a moment: the same in every process, and one of its own."""
    edition, number = divmod(step, len(pool()))
    return Random(edition).sample(pool(), len(pool()))[number].again(edition)
