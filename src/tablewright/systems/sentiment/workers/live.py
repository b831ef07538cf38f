"""Makes events of what changes, for whoever is looking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Worker
from tablewright.systems.sentiment.service.live.reader import LiveReader

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

NAME = "live"
#: A run without anything to read costs nothing: the feed says itself when it is time again.
EVERY_SECS = 0.2


def worker(newsroom: Newsroom) -> Worker:
    reader = LiveReader(newsroom)
    return Worker(NAME, EVERY_SECS, reader.run, lease_secs=15, close=reader.close)
