"""A database to try patterns on: the model's tables with its demo items, in memory.

Whatever is done to it concerns nobody else, so every pattern may be run, those that write too. It
is filled when somebody first uses it, and can be filled anew. Its clock stands at the demo's own
time: what the demo says will end soon has not ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tablewright.client import AsyncDb
from tablewright.client.transports import AsyncTransport
from tablewright.clock import Clock, ManualClock, SystemClock
from tablewright.model import put
from tablewright.model.demo import Demo
from tablewright.model.errors import AlreadyExists, TablewrightError, UniqueViolation
from tablewright.model.model import Model

#: Bytes of requests that write; it is all in memory.
MOST_WRITTEN = 64 * 1024 * 1024

#: An empty database that lives as long as it is held; who joins engine and console gives it.
EmptyDatabase = Callable[[Clock], AsyncTransport]


class Practice:
    """The practice tables of one model."""

    def __init__(self, model: Model, demo: Demo | None, empty: EmptyDatabase) -> None:
        self._model = model
        self._demo = demo
        self._empty = empty
        self._transport: AsyncTransport | None = None
        self._filling = asyncio.Lock()
        self._written = 0

    @property
    def clock(self) -> Clock:
        """Stands at the demo's time, if it names one."""
        now = self._demo.now if self._demo else None
        return SystemClock() if now is None else ManualClock(now.timestamp())

    async def transport(self) -> AsyncTransport:
        """The database, with the demo items in it."""
        async with self._filling:
            if self._transport is None:
                self._transport = await self._filled()
            return self._transport

    def wrote(self, size: int) -> None:
        """So many bytes were sent to be written."""
        self._written += size

    @property
    def full(self) -> bool:
        """It takes nothing more before it is filled anew."""
        return self._written > MOST_WRITTEN

    async def fill_anew(self) -> None:
        """Forget what was done; the next use begins with the demo items."""
        async with self._filling:
            left, self._transport = self._transport, None
            self._written = 0
        if left is not None:
            await left.close()

    async def play_until(self, pattern: str) -> None:
        """Begin anew, and make the demo's calls up to that of the pattern: it may rest on them."""
        await self.fill_anew()
        db = AsyncDb(await self.transport(), clock=self.clock)
        for name, op in (self._demo.calls if self._demo else {}).items():
            if name == pattern:
                return
            with suppress(TablewrightError):
                await db.run(op)

    close = fill_anew

    async def _filled(self) -> AsyncTransport:
        transport = self._empty(self.clock)
        db = AsyncDb(transport, clock=self.clock)
        await db.create_tables(self._model)
        for item in self._demo.items if self._demo else ():
            # Demo items may be snapshots of one item at two times; the first is as good.
            with suppress(AlreadyExists, UniqueViolation):
                await db.run(put(item).new())
        return transport
