"""Recording usage: every report once, whoever sends it how often."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.recording.entry import Entry, Ticket
from tablewright.systems.pricekeeper.service.recording.flushing import PASSING, Flushing
from tablewright.systems.pricekeeper.service.recording.lane import Lane
from tablewright.systems.pricekeeper.service.recording.markers import Markers
from tablewright.systems.pricekeeper.service.recording.outcome import Outcome, stopping
from tablewright.systems.pricekeeper.service.recording.preparing import Preparing
from tablewright.systems.pricekeeper.service.recording.streaming import Streaming

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: How long the end of a process may wait for what was accepted.
_DRAIN_SECS = 15.0


class Recorder:
    """Takes reports and says what became of each, once that is durable."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._preparing = Preparing(keeper)
        self._streaming = Streaming(keeper)
        self._wait_secs = keeper.runtime.options(Options).flush_millis / 1000
        self._lanes: dict[str, Lane] = {}
        self._under_way: set[asyncio.Task[list[Outcome]]] = set()
        self._stopping = False
        self._results = keeper.runtime.metrics.counter(
            "pricekeeper_records", "Reports of usage, by what became of them.", ("result",)
        )
        self._flushing = Flushing(keeper)

    @property
    def markers(self) -> Markers:
        """The marks of counts that this process writes to."""
        return self._flushing.markers

    @property
    def writer(self) -> str | None:
        """The slot under which counters know this process, as totals name it: ``07``."""
        current = self._flushing.slot.current
        return None if current is None else f"{current.slot:02d}"

    async def open(self) -> None:
        """Take a writer's slot; if that fails, the first flush tries again."""
        try:
            await self._flushing.slot.writer()
        except PASSING as error:
            log.warning("no writer's slot yet: %s", error)

    async def close(self) -> None:
        """Take no more, write what was accepted, give the slot back."""
        self._stopping = True
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECS):
                while self._under_way:
                    await asyncio.wait(self._under_way)
        await self._flushing.slot.release()

    async def record(self, account: Account, usages: Sequence[Usage]) -> list[Outcome]:
        """Record usage of one app; one outcome for each report, in their order.

        Who stops waiting does not stop it: what was taken is recorded.
        """
        if self._stopping:
            raise stopping()
        recording = asyncio.create_task(self._record(account, usages))
        self._under_way.add(recording)
        recording.add_done_callback(self._ended)
        return await asyncio.shield(recording)

    def _ended(self, recording: asyncio.Task[list[Outcome]]) -> None:
        self._under_way.discard(recording)
        if not recording.cancelled():
            recording.exception()  # whoever still waits has it; nobody else needs to know

    async def _record(self, account: Account, usages: Sequence[Usage]) -> list[Outcome]:
        ticket = Ticket(len(usages))
        entries = await self._preparing.entries(account, usages, ticket)
        exact = [entry for entry in entries if not _is_streamed(entry)]
        if exact:
            self._lane(account.org_id).add(exact)
        if len(exact) < len(entries):
            await self._streaming.put([entry for entry in entries if _is_streamed(entry)])
        outcomes = await ticket.outcomes()
        self._count(outcomes)
        return outcomes

    def _count(self, outcomes: Sequence[Outcome]) -> None:
        for result, number in Counter(outcome.result for outcome in outcomes).items():
            self._results.labels(result).inc(number)

    def _lane(self, org_id: str) -> Lane:
        lane = self._lanes.get(org_id)
        if lane is None:

            def ended() -> None:
                del self._lanes[org_id]

            lane = self._lanes[org_id] = Lane(self._flushing, self._wait_secs, ended)
        return lane


def _is_streamed(entry: Entry) -> bool:
    """Gates and promises move with their record: a single put cannot do that."""
    org = entry.account.org
    streamed = org.write_mode == "stream" and org.reservations == "off"
    return streamed and entry.promise is None
