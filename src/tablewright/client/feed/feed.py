"""``ChangeFeed`` and ``AsyncChangeFeed``: the two drivers of a feed.

Both deliver in pages, of one shard each, and commit when they are told to. What was delivered and
not committed comes again, after a restart as well as after an error: at least once, in order for
each item. :mod:`tablewright.client.feed.effects` makes that exactly once where it matters.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from tablewright.client.context import Context
from tablewright.client.db import AsyncDb, Db
from tablewright.client.feed.change import Change
from tablewright.client.feed.checkpoints import Checkpoints
from tablewright.client.feed.errors import HandlerFailed
from tablewright.client.feed.following import Following, Start
from tablewright.client.feed.gaps import Gaps, OnGap
from tablewright.client.feed.records import UnknownPolicy, decoder
from tablewright.client.feed.streams import Streams
from tablewright.client.feed.tracks import Polling
from tablewright.model.entity import Entity
from tablewright.model.table import Table

Driver = TypeVar("Driver", Db, AsyncDb)

#: Seconds of handling after which ``run`` commits within a page.
_COMMIT_SECONDS = 5.0


class _Feed(Generic[Driver]):
    """What both feeds are made from."""

    def __init__(
        self,
        db: Driver,
        table: Table,
        *,
        consumer: str,
        checkpoints: Checkpoints,
        start: Start = "oldest",
        entities: Iterable[type[Entity]] | None = None,
        unknown: UnknownPolicy = "raise",
        locks: bool = False,
        on_gap: OnGap = "raise",
        polling: Polling | None = None,
        component: str | None = None,
    ) -> None:
        self.consumer = consumer
        self._db: Driver = db
        context: Context = db.context
        self._following = Following(
            Streams(context, table, component),
            decoder(table, entities, unknown, locks),
            checkpoints,
            Gaps(consumer, table.name, on_gap),
            start,
            polling,
        )

    def rewind(self) -> None:
        """Deliver again what was not committed."""
        self._following.rewind()


class ChangeFeed(_Feed[Db]):
    """The changes of a table, typed and in order::

    feed = ChangeFeed(db, app, consumer="mailer", checkpoints=TableCheckpoints(kit))
    while True:
        with feed.batch(wait=20) as changes:    # committed at the end, unless it raises
            for change in changes:
                ...

    * ``consumer`` names the reader: each name gets every change. One process at a time reads under
      a name; if two do, the later start wins, and the earlier one gets :class:`ConsumerReplaced`.
    * ``start`` says where the first start under this name begins; later ones go on.
    * ``entities``: only changes of these are delivered.
    * ``unknown``: what happens to items that the model does not know or cannot read. "raise" is an
      error, and the feed stays before it; "raw" delivers images alone; "skip" leaves them out.
    * ``locks`` delivers the lock items of unique constraints too.
    * ``on_gap``: "raise", "continue" or a function, for changes that are gone: a stream keeps them
      for 24 hours.

    A feed belongs to one thread or task.
    """

    def start(self) -> None:
        """Claim the consumer's name and find the stream; the first ``poll`` does it otherwise."""
        self._db.drive(self._following.begin())

    def poll(self, wait: float = 0.0) -> list[Change]:
        """The next changes; none if there are none within ``wait`` seconds."""
        until = time.monotonic() + wait
        while True:
            changes = self._db.drive(self._following.poll())
            left = until - time.monotonic()
            if changes or left <= 0:
                return changes
            time.sleep(min(left, self._following.idle()))

    def commit(self, through: Change | None = None) -> None:
        """What was delivered is handled, all of it or up to one change: it will not come again."""
        self._db.drive(self._following.commit(through))

    @contextmanager
    def batch(self, wait: float = 0.0) -> Iterator[list[Change]]:
        """The next changes, committed at the end of the block; if it raises, they come again."""
        changes = self.poll(wait)
        try:
            yield changes
        except BaseException:
            self.rewind()
            raise
        self.commit()

    def run(self, handler: Callable[[Change], object], stop: threading.Event | None = None) -> None:
        """Give every change to ``handler``, one by one, until ``stop`` is set.

        If it raises, what came before is committed, and :class:`HandlerFailed` tells the change:
        the next start begins with it.
        """
        stop = stop or threading.Event()
        # An earlier run may have ended in the middle of a page: by a signal, or by its commit.
        self.rewind()
        while not stop.is_set():
            changes = self.poll()
            if changes:
                self._handle(changes, handler, stop)
            else:
                stop.wait(self._following.idle())
        self.close()

    def _handle(
        self, changes: list[Change], handler: Callable[[Change], object], stop: threading.Event
    ) -> None:
        steps = _Steps()
        for change in changes:
            if stop.is_set():
                break
            try:
                handler(change)
            except Exception as error:
                self._commit_some(steps.handled)
                raise HandlerFailed(change, error) from error
            if steps.add(change):
                self.commit(change)
        self._commit_some(steps.handled)

    def _commit_some(self, last: Change | None) -> None:
        if last is not None:
            self.commit(last)
        self.rewind()

    def close(self) -> None:
        """Keep how far it read where nothing was delivered; what was not committed stays so."""
        self._db.drive(self._following.settle())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()

    def __iter__(self) -> Iterator[Change]:
        """Every change, for ever; a page is committed when the change after it is asked for."""
        self.rewind()
        while True:
            yield from self.poll(wait=60.0)
            self.commit()


class AsyncChangeFeed(_Feed[AsyncDb]):
    """The same with ``await``, ``async with feed.batch()`` and ``async for change in feed``.

    See :class:`ChangeFeed` for the settings.
    """

    async def start(self) -> None:
        """Claim the consumer's name and find the stream; the first ``poll`` does it otherwise."""
        await self._db.drive(self._following.begin())

    async def poll(self, wait: float = 0.0) -> list[Change]:
        """The next changes; none if there are none within ``wait`` seconds."""
        until = time.monotonic() + wait
        while True:
            changes = await self._db.drive(self._following.poll())
            left = until - time.monotonic()
            if changes or left <= 0:
                return changes
            await asyncio.sleep(min(left, self._following.idle()))

    async def commit(self, through: Change | None = None) -> None:
        """What was delivered is handled, all of it or up to one change: it will not come again."""
        await self._db.drive(self._following.commit(through))

    @asynccontextmanager
    async def batch(self, wait: float = 0.0) -> AsyncIterator[list[Change]]:
        """The next changes, committed at the end of the block; if it raises, they come again."""
        changes = await self.poll(wait)
        try:
            yield changes
        except BaseException:
            self.rewind()
            raise
        await self.commit()

    async def run(
        self,
        handler: Callable[[Change], Awaitable[Any]],
        stop: asyncio.Event | None = None,
    ) -> None:
        """Give every change to ``handler``, one by one, until ``stop`` is set.

        If it raises, what came before is committed, and :class:`HandlerFailed` tells the change:
        the next start begins with it.
        """
        stop = stop or asyncio.Event()
        # An earlier run may have ended in the middle of a page: by a signal, or by its commit.
        self.rewind()
        while not stop.is_set():
            changes = await self.poll()
            if changes:
                await self._handle(changes, handler, stop)
            else:
                await _wait(stop, self._following.idle())
        await self.close()

    async def _handle(
        self,
        changes: list[Change],
        handler: Callable[[Change], Awaitable[Any]],
        stop: asyncio.Event,
    ) -> None:
        steps = _Steps()
        for change in changes:
            if stop.is_set():
                break
            try:
                await handler(change)
            except Exception as error:
                await self._commit_some(steps.handled)
                raise HandlerFailed(change, error) from error
            if steps.add(change):
                await self.commit(change)
        await self._commit_some(steps.handled)

    async def _commit_some(self, last: Change | None) -> None:
        if last is not None:
            await self.commit(last)
        self.rewind()

    async def close(self) -> None:
        """Keep how far it read where nothing was delivered; what was not committed stays so."""
        await self._db.drive(self._following.settle())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            await self.close()

    async def __aiter__(self) -> AsyncIterator[Change]:
        """Every change, for ever; a page is committed when the change after it is asked for."""
        self.rewind()
        while True:
            for change in await self.poll(wait=60.0):
                yield change
            await self.commit()


class _Steps:
    """How far the handling of a page came."""

    def __init__(self) -> None:
        self.handled: Change | None = None
        self._since = time.monotonic()

    def add(self, change: Change) -> bool:
        """One more is handled; True if it is time to commit, which is then expected."""
        self.handled = change
        if time.monotonic() - self._since < _COMMIT_SECONDS:
            return False
        self.handled, self._since = None, time.monotonic()
        return True


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return
