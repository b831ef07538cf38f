"""The database that `tablewright up` works on: its own engine, or one elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tablewright.cli.terminal import Failure
from tablewright.client import AsyncEmbedded, AsyncHttpTransport, Embedded, HttpTransport
from tablewright.client.transports import AsyncTransport, Transport
from tablewright.client.transports.site import Site
from tablewright.clock import Clock
from tablewright.engine import Engine, FolderError
from tablewright.engine.storage.folder import FolderInUse
from tablewright.server import ServerThread

DEFAULT_REGION = "us-east-1"


class FolderTaken(Failure):
    """Another process owns the data folder."""


@dataclass(frozen=True)
class Place:
    """A database that is open."""

    transport: AsyncTransport
    sync_transport: Transport
    #: Where other processes reach the engine of this one; "" if it has none.
    wire: str
    #: For people.
    where: str


@contextmanager
def opened(
    folder: Path | None,
    *,
    embedded: bool,
    endpoint: str | None = None,
    region: str | None = None,
    profile: str | None = None,
) -> Iterator[Place]:
    """Open it; whatever was opened is closed again at the end."""
    if not embedded:
        with _elsewhere(endpoint, region, profile) as place:
            yield place
        return
    where = "memory, gone at the end" if folder is None else str(folder)
    # For programs of this machine; web pages that somebody looks at meanwhile are refused.
    with (
        _engine(folder, region or DEFAULT_REGION) as engine,
        ServerThread(engine, browsers=False) as server,
    ):
        yield Place(AsyncEmbedded(engine), Embedded(engine), server.url, where)


class _Passing(AsyncEmbedded):
    """A database in memory that ends with its transport."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._own = engine

    async def close(self) -> None:
        await asyncio.to_thread(self._own.close)


def empty_database(clock: Clock) -> AsyncTransport:
    """For practice: nothing in it lasts."""
    return _Passing(Engine.memory(clock=clock))


@contextmanager
def _engine(folder: Path | None, region: str) -> Iterator[Engine]:
    try:
        engine = Engine.memory(region=region) if folder is None else Engine(folder, region=region)
    except FolderInUse as error:
        raise FolderTaken(str(error), "Stop it first, or give another folder.") from None
    except FolderError as error:
        raise Failure(str(error)) from None
    with engine:
        yield engine


@contextmanager
def _elsewhere(endpoint: str | None, region: str | None, profile: str | None) -> Iterator[Place]:
    site = Site(endpoint, region, profile=profile)
    sync = HttpTransport(site=site)
    try:
        # The asynchronous connections are closed with the loop that they belong to.
        yield Place(AsyncHttpTransport(site=site), sync, "", site.main.endpoint.url)
    finally:
        sync.close()
