"""The money of one run, for its agents to spend.

The order around a call is told in :mod:`tablewright.systems.vibejudge.llm.ports`. Each step is one
write, and whoever dies between two of them leaves a reservation that says how far it came. Where
units are few they are waited for: an answer that cannot be booked would be paid for twice.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.model import Delete, Op, together
from tablewright.model.errors import (
    AlreadyExists,
    NotFound,
    OutcomeUnknown,
    TransactionCancelled,
)
from tablewright.service.conflicts import settled
from tablewright.systems.vibejudge import cost_writes, job_reads, reads
from tablewright.systems.vibejudge.analysis import CostRecord, HackathonCost, Reservation
from tablewright.systems.vibejudge.llm.failures import BudgetRefused, Refused
from tablewright.systems.vibejudge.llm.ports import CallCost, CallId
from tablewright.systems.vibejudge.rules.rates import Cost, TokenUsage

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: Refunds of other processes are looked for this often.
_REFUND_POLL_SECS = 1.0
#: To say that a call goes out, which may be said again.
_TRIES = 4


class Purse:
    """What the agents of one run may spend: the budget of its hackathon."""

    def __init__(
        self, courtroom: Courtroom, hack_id: str, org_id: str, sub_id: str, patience: float = 0.0
    ) -> None:
        self._courtroom = courtroom
        #: Seconds to wait for refunds of other calls before a call is refused.
        self._patience = patience
        self._hack_id = hack_id
        self._org_id = org_id
        self._sub_id = sub_id

    async def reserve(self, most: CallCost) -> SetAside:
        """Set aside what a call may cost at the most, from the budget of the hackathon.

        T7: one transaction, the reservation with the budget that it is taken from. Its conditions:
        so much is left, and this call was not reserved before.

        Other calls have set aside more than they will cost. While their refunds could make up what
        is missing, this waits for them instead of being refused.
        """
        until = time.monotonic() + self._patience
        while True:
            # Asked for before the attempt: a refund right after it is not missed.
            refunded = self._courtroom.budgets.refund(self._hack_id)
            now = self._courtroom.now()
            wanted = reservation_of(most, self._hack_id, self._sub_id, self._org_id, now)
            try:
                await self._reserve(wanted, now)
            except BudgetRefused:
                late = time.monotonic() >= until
                if late or not await self._refunds_may_suffice(wanted.amount_usd):
                    raise
                with suppress(TimeoutError):
                    await asyncio.wait_for(refunded.wait(), _REFUND_POLL_SECS)
            else:
                return SetAside(self._courtroom, wanted)

    async def _reserve(self, wanted: Reservation, now: datetime) -> None:
        try:
            async with self._courtroom.budgets.turn(self._hack_id):
                await settled(self._courtroom.patient, lambda: cost_writes.reserve(wanted, now))
        except TransactionCancelled as cancelled:
            raise _refusal(cancelled, wanted) from cancelled

    async def _refunds_may_suffice(self, amount: Decimal) -> bool:
        """Tell whether enough would be left if all other calls cost nothing.

        The sum is only true if nobody wrote to the budget between the two reads; else it is worth
        another attempt anyway.
        """
        db = self._courtroom.patient
        before = await db.run(reads.hackathon_cost(self._hack_id))
        found = db.iterate(job_reads.reservations(self._hack_id))
        aside = sum([each.amount_usd async for each in found], Decimal(0))
        after = await db.run(reads.hackathon_cost(self._hack_id))
        if after is None:
            return False
        return before != after or after.budget_remaining_usd + aside >= amount


class SetAside:
    """Money for one call."""

    def __init__(self, courtroom: Courtroom, reservation: Reservation) -> None:
        self._courtroom = courtroom
        self._reservation = reservation

    async def started(self) -> None:
        """One write; its condition: the reservation is there still. It may be said twice."""
        noted = cost_writes.start_call(self._reservation, self._courtroom.now())
        for _ in range(_TRIES):
            try:
                await self._courtroom.patient.run(noted)
            except OutcomeUnknown:
                continue
            except NotFound as gone:
                reason = "the money was given back: it had waited too long for its call"
                raise Refused("reservation_lost", reason) from gone
            return
        raise Refused("store_unavailable", "the store does not say whether a call may go out")

    async def settle(self, cost: CallCost) -> None:
        """T8; who is told to stop meanwhile does so after the books are right."""
        await asyncio.shield(self._courtroom.budgets.kept(self._settle(cost)))

    async def _settle(self, cost: CallCost) -> None:
        if not await booked(self._courtroom, self._reservation, cost):
            # It took so long that it was taken for an orphan: it is charged as estimated.
            log.warning("call %s was charged before it was settled", cost.id.request_id)


async def booked(courtroom: Courtroom, reservation: Reservation, cost: CallCost) -> bool:
    """T8: what a call has cost, instead of what was set aside for it; False if somebody else did.

    One transaction: the budget, the reservation deleted, the record, the organiser's year and, if
    somebody wants to know, the message to them. Its conditions: the reservation is there, and no
    record of this call.
    """
    now = courtroom.now()
    record = CostRecord.model_validate(
        {
            "sub_id": reservation.sub_id,
            "hack_id": reservation.hack_id,
            "created_at": cost.at.replace(microsecond=0),
            **cost.values(),
        }
    )
    op: Op[Any] = cost_writes.settle(reservation, record, now)
    if (told := courtroom.pricekeeper.spent(cost)) is not None:
        op = together(op, told)
    try:
        async with courtroom.budgets.turn(reservation.hack_id):
            await settled(courtroom.patient, lambda: op)
    except TransactionCancelled as cancelled:
        if not _gone(cancelled):
            raise
        return False
    courtroom.budgets.noticed(cost)
    courtroom.budgets.announce_refund(reservation.hack_id)
    return True


def reservation_of(
    most: CallCost, hack_id: str, sub_id: str, org_id: str, now: datetime
) -> Reservation:
    """What is set aside for a call that may cost so much."""
    return Reservation(
        hack_id=hack_id,
        run_id=most.id.run_id,
        agent_name=most.id.agent,
        attempt=most.id.attempt,
        call=most.id.call,
        sub_id=sub_id,
        org_id=org_id,
        model_id=most.model_id,
        label=most.label,
        service_tier=most.service_tier,
        input_tokens=most.usage.input,
        output_tokens=most.usage.output,
        input_cost_usd=most.cost.input,
        output_cost_usd=most.cost.output,
        amount_usd=most.total_usd,
        created_at=now,
    )


def as_estimated(reservation: Reservation, at: datetime) -> CallCost:
    """What a call is charged with that nobody has settled."""
    found = reservation
    return CallCost(
        id=CallId(found.run_id, found.agent_name, found.attempt, found.call),
        model_id=found.model_id,
        label=found.label,
        service_tier=found.service_tier,
        usage=TokenUsage(input=found.input_tokens, output=found.output_tokens),
        cost=Cost(found.input_cost_usd, found.output_cost_usd, found.amount_usd * 0),
        latency_ms=0,
        at=at,
        estimated=True,
    )


def _refusal(cancelled: TransactionCancelled, wanted: Reservation) -> Exception:
    for each in cancelled.failures:
        if isinstance(each.error, AlreadyExists):
            return Refused("call_repeated", "this call was made before")
        if isinstance(each.error, NotFound):
            return BudgetRefused("there is no budget: the hackathon is gone")
    left = next((_left(each.error) for each in cancelled.failures), "less")
    return BudgetRefused(f"a call may cost ${wanted.amount_usd}, and ${left} is left")


def _left(error: object) -> str:
    item = getattr(error, "item", None)
    return str(item.budget_remaining_usd) if isinstance(item, HackathonCost) else "less"


def _gone(cancelled: TransactionCancelled) -> bool:
    """Whether the reservation was not there any more."""
    return any(
        isinstance(each.error, NotFound) and isinstance(each.op, Delete)
        for each in cancelled.failures
    )
