"""The writer's slot of a process, and the numbers of its flushes.

Theory of operation. A counter keeps, for each writer, the number of its last flush (``w_07``), so
that a reader can tell which of its own flushes a sum has seen. Writers are slots, 64 of them, that
processes lease, or restarts would make counters grow.

A number is the fence of the lease and a count under it, so the numbers of a slot rise from owner to
owner without anybody reading them. A process that has lost its slot and does not know yet cannot
do harm either: a counter refuses a flush whose number is below the one it has
(:func:`~tablewright.systems.pricekeeper.recording.flush`). Whoever is refused makes sure of the
lease first. If it is still ours, the fences must have started anew (the leases were lost, or
restored from a backup); then the numbers go on above the one that was seen.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import NamedTuple

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.service.workers.leases import Keeping, LeaseLost, Leases
from tablewright.systems.pricekeeper.spend import WRITER_FIELDS, WRITERS

log = logging.getLogger("tablewright.pricekeeper")

LEASE_SECS = 30.0
_PREFIX = "writer-"
_NAMES = tuple(f"{_PREFIX}{slot:02d}" for slot in range(WRITERS))
#: Flushes under one fence. At a thousand a second they last for seven weeks; then the slot is
#: taken anew.
_COUNT_BITS = 32


class NoSlot(Exception):
    """All writers' slots are taken."""


class Writer(NamedTuple):
    """Who writes: the slot, and the fence under which it is held."""

    slot: int
    fence: int

    @property
    def field(self) -> str:
        """The attribute of a counter that holds the number of this writer's last flush."""
        return WRITER_FIELDS[self.slot]

    def shard(self, count: int) -> int:
        """The shard of a counter that this writer adds to: writers share none if they need not."""
        return self.slot % count


class WriterSlot:
    """The slot of this process. It is taken when it is first needed, and again if it is lost."""

    def __init__(self, db: AsyncDb, clock: Clock) -> None:
        self._leases = Leases(db, clock)
        self._taking = asyncio.Lock()
        self._kept = AsyncExitStack()
        self._keeping: Keeping | None = None
        self._writer: Writer | None = None
        self._last = 0

    @property
    def current(self) -> Writer | None:
        """The writer, as long as its slot is held."""
        keeping = self._keeping
        if keeping is None or keeping.lost.is_set():
            return None
        return self._writer

    async def writer(self) -> Writer:
        """The writer; takes a slot if none is held. :class:`NoSlot` if all are taken."""
        return self.current or await self._taken()

    def number(self) -> int:
        """A number for the next flush, above all that this slot has had."""
        self._last += 1
        return self._last

    async def make_sure(self, seen: int) -> None:
        """Check a lease after a counter has refused a flush for a higher number of this slot."""
        if seen <= self._last:
            # A later flush of this process came first. The next number is above that one.
            return
        keeping = self._keeping
        if keeping is None or keeping.lost.is_set():
            return
        try:
            await self._leases.renew(keeping.held, LEASE_SECS)
        except LeaseLost:
            keeping.lost.set()
        else:
            log.warning("flush numbers of slot %s start anew above %s", self._writer, seen)
            self._last = max(self._last, seen)

    async def release(self) -> None:
        """Give the slot back."""
        self._keeping = None
        await self._kept.aclose()

    async def _taken(self) -> Writer:
        async with self._taking:
            if (current := self.current) is not None:
                return current
            await self.release()
            held = await self._leases.hold_any(_NAMES, LEASE_SECS)
            if held is None:
                raise NoSlot(f"all {WRITERS} writers' slots are taken")
            self._keeping = await self._kept.enter_async_context(
                self._leases.keeping(held, LEASE_SECS)
            )
            self._writer = Writer(int(held.lease.removeprefix(_PREFIX)), held.fence)
            self._last = held.fence << _COUNT_BITS
            return self._writer
