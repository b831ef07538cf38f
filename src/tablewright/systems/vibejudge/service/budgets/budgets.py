"""The books of hackathons: what was spent, what is left, and reservations left behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from tablewright.client import Page
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import settled
from tablewright.service.in_turn import in_turn
from tablewright.service.problems import not_found
from tablewright.systems.vibejudge import cost_writes, job_reads, reads
from tablewright.systems.vibejudge.analysis import CostRecord, HackathonCost, Reservation, Run
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.llm.ports import CallCost
from tablewright.systems.vibejudge.service.budgets.estimating import (
    READING_SECS,
    Estimating,
    JobEstimate,
)
from tablewright.systems.vibejudge.service.budgets.purse import Purse, as_estimated, booked
from tablewright.systems.vibejudge.table import DUE_SHARDS

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.callers import Caller
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")


@dataclass(frozen=True)
class Books:
    """What a hackathon has cost, and what is set aside at this moment."""

    hackathon: HackathonDetail
    cost: HackathonCost
    reservations: list[Reservation]


@dataclass(frozen=True)
class Swept:
    """Reservations that were left behind: charged as estimated, or given back."""

    charged: int = 0
    freed: int = 0

    def __add__(self, other: Swept) -> Swept:
        return Swept(self.charged + other.charged, self.freed + other.freed)


class Budgets:
    """Money for calls: set aside, spent, given back."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._estimating = Estimating(courtroom)
        # All calls of a hackathon write to one item. Who waits here does not collide there.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._refunds: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        self._kept: set[asyncio.Task[None]] = set()
        metrics = courtroom.runtime.metrics
        self._calls = metrics.counter(
            "vibejudge_calls", "Calls of models that are in the books", ("agent", "estimated")
        )
        self._spend = metrics.counter("vibejudge_spend_usd", "What they have cost", ("agent",))

    # --- spending --------------------------------------------------------------------------------

    def for_run(
        self,
        hackathon: HackathonDetail,
        submission: Submission,
        run: Run,
        *,
        patience: float = 0.0,
    ) -> Purse:
        """Give the agents of a run access to the budget of their hackathon.

        ``patience`` is for how many seconds a call may wait for refunds of other calls.
        """
        return Purse(
            self._courtroom, hackathon.hack_id, hackathon.org_id, submission.sub_id, patience
        )

    def turn(self, hack_id: str) -> asyncio.Lock:
        """To be held while the books of a hackathon are written to."""
        lock = self._turns.get(hack_id)
        if lock is None:
            lock = self._turns[hack_id] = asyncio.Lock()
        return lock

    def refund(self, hack_id: str) -> asyncio.Event:
        """Return the event of the next refund to a hackathon's budget in this process."""
        event = self._refunds.get(hack_id)
        if event is None:
            event = self._refunds[hack_id] = asyncio.Event()
        return event

    def announce_refund(self, hack_id: str) -> None:
        """Wake all who wait for money of this hackathon; they wait for a new event next."""
        event = self._refunds.pop(hack_id, None)
        if event is not None:
            event.set()

    def kept(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Work that goes on when whoever waits for it is stopped."""
        task = asyncio.ensure_future(work)
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)
        return task

    def noticed(self, cost: CallCost) -> None:
        """A call is in the books."""
        self._calls.labels(cost.id.agent, str(cost.estimated).lower()).inc()
        self._spend.labels(cost.id.agent).inc(float(cost.total_usd))

    async def close(self) -> None:
        """What is being booked is booked before the process ends."""
        await asyncio.gather(*self._kept, return_exceptions=True)

    # --- reservations left behind ----------------------------------------------------------------

    async def sweep(self) -> Swept:
        """Charge for calls that nobody has settled in time, and free what was never called for.

        Each is one transaction of its own, T8 or that of ``free_reservation``; whoever settles or
        starts a call meanwhile makes it fail, and it is left alone.
        """
        now, db = self._courtroom.now(), self._courtroom.db
        pages = [db.iterate(job_reads.reservations_due(shard, now)) for shard in range(DUE_SHARDS)]
        orphans = [each for page in pages async for each in page]
        return await self._all_ended(orphans)

    async def close_books(self, hack_id: str) -> Swept:
        """The same at once, for all that a hackathon has set aside: nobody works on it any more."""
        found = self._courtroom.db.iterate(job_reads.reservations(hack_id))
        return await self._all_ended([each async for each in found])

    async def _all_ended(self, orphans: Sequence[Reservation]) -> Swept:
        swept = await in_turn(
            orphans, self._ended, lambda each: f"a reservation of hackathon {each.hack_id}"
        )
        return sum(swept, Swept())

    async def _ended(self, orphan: Reservation) -> Swept:
        if orphan.call_started_at is None:
            return Swept(freed=int(await self._freed(orphan, self._courtroom.now())))
        return Swept(charged=int(await self._charged(orphan, orphan.call_started_at)))

    async def _charged(self, orphan: Reservation, at: datetime) -> bool:
        done = await booked(self._courtroom, orphan, as_estimated(orphan, at))
        if done:
            log.warning("a call that was never settled is charged with $%s", orphan.amount_usd)
        return done

    async def _freed(self, orphan: Reservation, now: datetime) -> bool:
        try:
            async with self.turn(orphan.hack_id):
                await settled(self._courtroom.db, lambda: cost_writes.free_reservation(orphan, now))
        except TransactionCancelled:
            return False
        self.announce_refund(orphan.hack_id)
        return True

    # --- reading ---------------------------------------------------------------------------------

    async def costs(self, caller: Caller, hack_id: str) -> Books:
        """What a hackathon has cost, and what is set aside at this moment."""
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        cost = await self._courtroom.db.run(reads.hackathon_cost(hack_id))
        if cost is None:
            raise not_found("hackathon")
        waiting = self._courtroom.db.iterate(job_reads.reservations(hack_id))
        return Books(hackathon, cost, [each async for each in waiting])

    async def costs_of(
        self, caller: Caller, hack_id: str, sub_id: str, limit: int, cursor: str | None
    ) -> Page[CostRecord]:
        """Every call that was paid for a submission, run by run."""
        await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        found = reads.costs_of_submission(sub_id)
        return await self._courtroom.db.run(found, limit=limit, cursor=cursor)

    async def estimate(
        self, caller: Caller, hack_id: str, secs: float = READING_SECS
    ) -> JobEstimate:
        """What an analysis of all submissions would set aside for its first calls.

        Repositories are read for so long at the most.
        """
        return await self._estimating.estimate(caller, hack_id, secs)
