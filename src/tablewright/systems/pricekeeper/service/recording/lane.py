"""The lane of an organisation: its reports queue up, and are written in groups.

Theory of operation. Each organisation has one lane in a process, for as long as it has reports to
write. A lane sends one flush after the other, so the numbers of its flushes rise in the order of
their commits, which is what :mod:`totals` rests on, and a flush never meets another one of this
process at a counter. While a flush is on its way, reports queue up; they are the next group, which
is made meanwhile if it is whole (:mod:`turns`). So groups are as large as the store is slow, and a
report in an empty lane does not wait for company: a flush begins

* when a turn of the event loop has brought nothing new (the lane is idle), or
* after ``flush_millis``, or
* when the group is full: 100 actions, of rows, counters, kept promises and gates.

A caller hears of a report once the transaction that holds it is committed; nothing is answered on
the strength of a queue. What may happen on the way:

==========================  ===================================================================
the process dies            nothing was promised; the caller sends it again, under the same id
  before the commit         and it is recorded then
  after the commit          and it is a duplicate then: the row is its proof
the answer is lost          the same transaction again, under the same token
an id is in the ledger      it leaves the group, with the row that is there; the others go on
an id is in the queue twice the second follows the first and takes no place in the transaction
the store is busy           the same transaction again, for 5 seconds; then 503 for its callers
the slot is lost            no flush until there is one again; see :mod:`slot`
too many wait               503 at once, rather than later
==========================  ===================================================================

Counters and rows are one transaction, so the counters are the sum of the ledger at every moment.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable

from tablewright.systems.pricekeeper.service.recording.entry import Entry
from tablewright.systems.pricekeeper.service.recording.flushing import PATIENCE_SECS, Flushing
from tablewright.systems.pricekeeper.service.recording.group import MAX_ACTIONS, take
from tablewright.systems.pricekeeper.service.recording.outcome import (
    overloaded,
    rejected,
    unavailable,
)
from tablewright.systems.pricekeeper.service.recording.turns import Turn

#: Flushes of one lane: one that is on its way, and one that is made meanwhile.
_AT_ONCE = 2
#: Reports that may wait in one lane; about two seconds of work.
MAX_WAITING = 20_000


class Lane:
    """One organisation's reports in this process."""

    def __init__(self, flushing: Flushing, wait_secs: float, ended: Callable[[], object]) -> None:
        """``ended`` is called when nothing is left to do; the lane is of no use after that."""
        self._flushing = flushing
        self._wait_secs = wait_secs
        self._ended = ended
        self._queue: deque[Entry] = deque()
        self._task: asyncio.Task[None] | None = None
        #: Done when there is a whole group in the queue.
        self._full: asyncio.Future[None] | None = None

    @property
    def task(self) -> asyncio.Task[None] | None:
        """What writes them."""
        return self._task

    def add(self, entries: Iterable[Entry]) -> None:
        """Have reports written; their tickets tell when."""
        if len(self._queue) >= MAX_WAITING:
            for entry in entries:
                entry.settle(rejected(entry.usage, overloaded()))
            return
        self._queue.extend(entries)
        if len(self._queue) >= MAX_ACTIONS and self._full is not None and not self._full.done():
            self._full.set_result(None)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        turn: Turn | None = None
        flushes: deque[asyncio.Task[None]] = deque()
        try:
            while self._queue:
                await self._gather()
                self._give_up_late()
                turn = Turn(turn)
                entries = take(self._queue).entries
                flushes.append(asyncio.create_task(self._flushing.flush(entries, turn)))
                await self._room(flushes)
        finally:
            # No await between the last look at the queue and this: nobody can add in between.
            self._ended()
            for entry in self._queue:
                entry.settle(rejected(entry.usage, unavailable()))

    async def _room(self, flushes: deque[asyncio.Task[None]]) -> None:
        """Wait until the flushes have ended; if a whole group waits, until all but one have."""
        while flushes:
            awaited: set[asyncio.Future[None]] = {flushes[0]}
            if len(flushes) < _AT_ONCE:
                if len(self._queue) >= MAX_ACTIONS:
                    return
                self._full = asyncio.get_running_loop().create_future()
                awaited.add(self._full)
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            while flushes and flushes[0].done():
                flushes.popleft().result()

    async def _gather(self) -> None:
        """Let others come in, as long as each turn of the loop brings some."""
        until = time.monotonic() + self._wait_secs
        seen = -1
        while seen < len(self._queue) < MAX_ACTIONS and time.monotonic() < until:
            seen = len(self._queue)
            await asyncio.sleep(0)

    def _give_up_late(self) -> None:
        """Whoever has waited too long hears that, instead of waiting for a turn."""
        late = time.monotonic() - PATIENCE_SECS
        while self._queue and self._queue[0].ticket.since < late:
            entry = self._queue.popleft()
            entry.settle(rejected(entry.usage, unavailable()))
