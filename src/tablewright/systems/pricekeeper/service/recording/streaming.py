"""Recording for organisations whose counters may lag: one conditional put for each report.

The rows are as unique as any; the counters follow from the ledger's stream (:mod:`fold`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablewright.model.errors import AlreadyExists, OutcomeUnknown, Unavailable
from tablewright.systems.pricekeeper.recording import record_for_stream
from tablewright.systems.pricekeeper.rules.uuids import uuid7
from tablewright.systems.pricekeeper.service.recording.entry import Entry
from tablewright.systems.pricekeeper.service.recording.outcome import (
    Outcome,
    flags_of,
    rejected,
    unavailable,
)

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Puts of one process at the same time.
_AT_ONCE = 64


class Streaming:
    """Puts rows that the fold will count."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def put(self, entries: Sequence[Entry]) -> None:
        """Settle every report."""
        flush_id = uuid7(self._keeper.clock.now())
        first: dict[tuple[str, str], Entry] = {}
        for entry in entries:
            if first.setdefault(entry.key, entry) is not entry:
                first[entry.key].followers.append(entry)
        await asyncio.gather(*(self._put(entry, flush_id) for entry in first.values()))

    async def _put(self, entry: Entry, flush_id: str) -> None:
        row = entry.row(flush_id, "S")
        async with self._turns:
            try:
                await self._keeper.db.run(record_for_stream(row))
            except AlreadyExists as taken:
                entry.settle_stored(taken.item)
                return
            except (Unavailable, OutcomeUnknown):
                entry.settle(rejected(entry.usage, unavailable()))
                return
        flags = flags_of(entry.account, entry.usage, row)
        entry.settle(Outcome(row.request_id, "recorded", row, flags))
