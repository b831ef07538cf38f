"""The folder of a service that has ended: what is in it, by sentiment's own use cases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.sentiment.running import DATA
from tablewright.client import AsyncEmbedded
from tablewright.clock import Clock
from tablewright.engine import Engine
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.sentiment import reads
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import Status
from tablewright.systems.sentiment.system import system

_STATUSES: tuple[Status, ...] = ("pending", "analyzed", "failed")


def newsroom_on(engine: Engine, clock: Clock | None = None) -> Newsroom:
    """The use cases of a process, without its workers."""
    settings = Settings(local=True)
    return Newsroom(runtime_of(system, AsyncEmbedded(engine), settings, clock=clock, environ={}))


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Newsroom]:
    with Engine(folder / DATA) as engine:
        yield newsroom_on(engine)


async def all_articles(newsroom: Newsroom) -> list[Article]:
    """Every article there is, in whatever state."""
    return [
        each
        for status in _STATUSES
        async for each in newsroom.db.iterate(reads.articles_with_status(status))
    ]
