"""One group into the ledger: until every report of it has an outcome.

The transaction has one condition for each row (no such id yet), one for each counter (no later
flush of this slot) and one for each promise (still there). What fails a condition is settled or
mended, the rest is built anew under another id and tried again: each round has fewer reports, or
fewer conditions. If nothing but time stands in the way (throttling, conflicts, no answer) the same
transaction is sent again for a few seconds, under the same token. After that its callers are told
that it is open whether they were counted, and nobody else is: their repeats find out.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tablewright.client import Retries
from tablewright.client.flows import flow_of
from tablewright.client.steps import Flow, Step
from tablewright.model.errors import OutcomeUnknown, TransactionCancelled, Unavailable
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.rules.uuids import uuid7
from tablewright.systems.pricekeeper.service.recording.entry import Entry
from tablewright.systems.pricekeeper.service.recording.group import Written, written
from tablewright.systems.pricekeeper.service.recording.markers import FLUSH_SECS, Markers
from tablewright.systems.pricekeeper.service.recording.outcome import (
    Outcome,
    defect,
    flags_of,
    rejected,
    unavailable,
)
from tablewright.systems.pricekeeper.service.recording.refusals import Refusals, refusals_of
from tablewright.systems.pricekeeper.service.recording.slot import NoSlot, WriterSlot
from tablewright.systems.pricekeeper.service.recording.turns import Turn
from tablewright.systems.pricekeeper.spend import UsageCounter

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: How long a flush is tried again before its callers are told that it is open.
PATIENCE_SECS = 5.0
#: How long something that was made ahead may wait for its turn.
AHEAD_SECS = 1.0
_SIZES = (1, 2, 5, 10, 20, 50, 99)
#: What time may mend.
PASSING = (Unavailable, OutcomeUnknown, NoSlot, TimeoutError)


@dataclass(slots=True)
class _Ready:
    """A transaction that only has to be sent."""

    made: Written
    flow: Flow[object]
    #: Time that passes.
    made_at: float
    #: How far the flow has come, if it has begun.
    step: Step | None = None


class Flushing:
    """Writes groups, one after the other for each organisation."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self.slot = WriterSlot(keeper.db, keeper.clock)
        self.markers = Markers(keeper.db, keeper.clock)
        self._sizes = keeper.runtime.metrics.histogram(
            "pricekeeper_flush_records", "Records of one flush.", buckets=_SIZES
        )

    async def flush(self, entries: Sequence[Entry], turn: Turn | None = None) -> None:
        """Settle every report of a group, in its turn."""
        turn = turn or Turn()
        try:
            ready = None if turn.is_next else await self._ahead(entries)
            if not await turn.come() or (ready and not self._holds(ready)):
                ready = None
            await self._settle(entries, turn, ready)
        finally:
            turn.end()

    async def _ahead(self, entries: Sequence[Entry]) -> _Ready | None:
        """The transaction, made before its turn; None if that is not possible."""
        try:
            ready = await self._ready(entries, time.monotonic() + PATIENCE_SECS)
            ready.step = self._keeper.db.begin(ready.flow)
            return ready
        except Exception:
            return None  # it will be met again in its turn, and told then

    def _holds(self, ready: _Ready) -> bool:
        """Whether what was made ahead can still be sent: same slot, and marks that are fresh."""
        made_lately = time.monotonic() < ready.made_at + AHEAD_SECS
        return made_lately and self.slot.current == ready.made.writer

    async def _settle(
        self, entries: Sequence[Entry], turn: Turn, ready: _Ready | None = None
    ) -> None:
        until = time.monotonic() + PATIENCE_SECS
        left = list(entries)
        try:
            while left:
                ready = ready or await self._ready(left, until)
                left = await self._attempt(ready, until, turn)
                ready = None
        except PASSING as error:
            log.warning("%d records are not confirmed: %s", len(left), error)
            _settle_all(left, unavailable())
        except Exception as error:
            turn.spoil()
            await self._apart(left, error, turn)

    async def _apart(self, entries: Sequence[Entry], error: Exception, turn: Turn) -> None:
        """Something is wrong that no condition explains: let it fail alone."""
        if len(entries) == 1:
            log.error("record %s cannot be written", entries[0].usage.request_id, exc_info=error)
            _settle_all(entries, defect())
            return
        half = len(entries) // 2
        await self._settle(entries[:half], turn)
        await self._settle(entries[half:], turn)

    async def _attempt(self, ready: _Ready, until: float, turn: Turn) -> list[Entry]:
        """Write the reports; gives those that have to be tried again, in another way."""
        made = ready.made
        try:
            # However long the store holds it up, its marks do not count any longer than this.
            async with asyncio.timeout(FLUSH_SECS):
                await self._keeper.db.drive(ready.flow, ready.step)
        except TransactionCancelled as cancelled:
            refused = refusals_of(made, cancelled.failures)
            if not refused.committed:
                turn.spoil()
                return await self._mended(made, refused, until)
        await turn.pass_on()
        self._committed(made)
        return []

    async def _ready(self, entries: Sequence[Entry], until: float) -> _Ready:
        """The transaction; it will be sent until it is answered, or too late."""
        made_at = time.monotonic()
        made = await self._made(entries)
        db = self._keeper.db
        budget = max(0.0, until - time.monotonic())
        patient = Retries(attempts=1000, budget=budget, base=0.01, cap=0.5)
        flow = flow_of(replace(db.context, retries=patient), made.op())
        return _Ready(made, flow, made_at)

    async def _made(self, entries: Sequence[Entry]) -> Written:
        writer = await self.slot.writer()
        shards = await self.markers.shards({entry.count: entry.account for entry in entries})
        return written(
            entries,
            shards,
            writer,
            flush_id=uuid7(self._keeper.clock.now()),
            number=self.slot.number(),
            now=self._keeper.now(),
            gates_for=self._keeper.reservations.gates_for,
        )

    def _committed(self, made: Written) -> None:
        self._sizes.observe(len(made.rows))
        for entry, row in zip(made.entries, made.rows, strict=True):
            flags = flags_of(entry.account, entry.usage, row)
            entry.settle(Outcome(row.request_id, "recorded", row, flags))
        try:
            self._keeper.totals.flushed(made.writer.slot, made.number, made.sums)
        except Exception:  # what is committed stands, and its callers are told so
            log.exception("own spend is not known before the next sum")

    async def _mended(self, made: Written, refused: Refusals, until: float) -> list[Entry]:
        """Settle what is in the ledger, change what was refused; gives what is left to write."""
        left = list(made.entries)
        for place, stored in sorted(refused.taken.items(), reverse=True):
            left.pop(place).settle_stored(stored)
        for stored in refused.overtaken:
            await self._overtaken(stored)
        for entry in refused.unpromised:
            entry.promise = None
        if refused.gates_ended:
            for entry in left:
                entry.gates, entry.promise = (), None
        if len(left) == len(made.entries):
            await _pause(until)
        return left

    async def _overtaken(self, stored: object) -> None:
        writer = self.slot.current
        if writer is not None and isinstance(stored, UsageCounter):
            await self.slot.make_sure(getattr(stored, writer.field) or 0)


async def _pause(until: float) -> None:
    """A little time, unless there is none left."""
    if time.monotonic() >= until:
        raise TimeoutError("the store stayed busy")
    await asyncio.sleep(random.uniform(0.0, 0.02))


def _settle_all(entries: Sequence[Entry], problem: Problem) -> None:
    for entry in entries:
        entry.settle(rejected(entry.usage, problem))
