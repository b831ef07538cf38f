"""Every few seconds: the sources whose time has come.

One process looks; each source is read under a lease of its own, so that whoever was asked to read
one now, in any process, is never in the way.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

EVERY_SECS = 5.0


def worker(newsroom: Newsroom) -> Worker:
    """A run goes on by itself: a slow source does not keep the others waiting."""

    async def run(held: Held) -> None:
        begun = await newsroom.sources.runs.start_due()
        if begun:
            log.info("reading %s", ", ".join(begun))

    return Worker("ingest", EVERY_SECS, run)
