"""What finance asks for."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, refused, refused_at, settled
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.kurukshetra import reads, refunding
from tablewright.systems.kurukshetra.fields import Moment
from tablewright.systems.kurukshetra.payments import Payment, Refund
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.derived_ids import uuid_of
from tablewright.systems.kurukshetra.rules.fees import written
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.paid_pages import page_of, refund_in
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

_TRIES: Final = 8


@dataclass(frozen=True)
class Wanted:
    """What is asked for, and by whom."""

    by: Caller
    team_id: str
    body: RefundIn
    #: The same for a request that is repeated, if it is repeatable.
    refund_id: str
    repeatable: bool


class Requesting:
    """Transaction T7: the payment has at least that much left; with the seat, the team is paid."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def request(self, by: Caller, team_id: str, body: RefundIn, key: str | None) -> Refund:
        by.require("finance")
        made = uuid_of("request", by.event_id, team_id, key) if key else str(uuid.uuid4())
        wanted = Wanted(by, team_id, body, made, repeatable=bool(key))
        for _ in range(_TRIES):
            team = await self._team(by, team_id)
            page = await self._page(team, body)
            before = refund_in(page, made)
            if before is not None:
                return before  # the same request has been here
            refund = self._checked(wanted, team, page.payment)
            if await self._written(wanted, team, page.payment, refund):
                return refund
        raise busy("BUSY")

    async def release(self, by: Caller, team_id: str) -> Team:
        """A team gives up its seat, without money: on condition that it is paid."""
        by.require("finance")
        team = await self._team(by, team_id)
        if team.payment_status != "paid":
            raise _no_seat()
        noted = self._festival.access.noted(by, "team.release", team_id=team_id)
        op = together(refunding.release_seat(team, self._festival.now()), noted)
        async with self._festival.seats.turn(by.event_id):
            try:
                await settled(self._festival.db, lambda: op, code="BUSY")
            except TransactionCancelled as error:
                if refused(error):
                    raise _no_seat() from error
                raise
        await self._festival.seats.freed(by.event_id)
        return await self._team(by, team_id)

    # --- what it is about ------------------------------------------------------------------------

    async def _team(self, by: Caller, team_id: str) -> Team:
        if not is_uuid(team_id):
            raise not_found("team")
        found = await self._festival.db.run(reads.team(by.event_id, team_id))
        if found is None:
            raise not_found("team")
        return found

    async def _page(self, team: Team, body: RefundIn) -> PaymentPage:
        """The payment that the team's seat is paid with, or another one of the team's."""
        wanted = body.payment_id or team.payment_id
        if wanted is None:
            raise conflict("NOTHING_PAID", "The team has paid nothing that could go back.")
        found = await page_of(self._festival, team.event_id, wanted)
        if found is None or found.payment.team_id != team.team_id:
            raise not_found("payment")
        return found

    def _checked(self, wanted: Wanted, team: Team, payment: Payment) -> Refund:
        body, now = wanted.body, self._festival.now()
        amount = payment.refundable if body.amount is None else body.amount
        if not 0 < amount <= payment.refundable:
            raise _exceeds(payment)
        if body.amount is not None and not wanted.repeatable:
            raise _no_key()
        seated = team.payment_status == "paid" and team.payment_id == payment.payment_id
        if body.release and not seated:
            raise _no_seat()
        return Refund(
            event_id=payment.event_id,
            payment_id=payment.payment_id,
            refund_id=wanted.refund_id,
            amount=amount,
            reason=body.reason,
            razorpay_payment_id=payment.razorpay_payment_id,
            created_at=now,
            updated_at=now,
        )

    # --- writing ---------------------------------------------------------------------------------

    async def _written(self, wanted: Wanted, team: Team, payment: Payment, refund: Refund) -> bool:
        """Whether it is; if not, something has changed since it was read."""
        config = await self._festival.events.config(payment.event_id)

        def made() -> Op[object]:
            now = self._festival.events.moment(config)
            told = self._festival.messages.refund(config, team, payment, refund.amount)
            return together(self._op(wanted, team, payment, refund, now), told)

        try:
            if not wanted.body.release:
                await settled(self._festival.db, made, code="BUSY")
                return True
            async with self._festival.seats.turn(payment.event_id):
                await settled(self._festival.db, made, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
            return refused_at(error, Refund)
        await self._festival.seats.freed(payment.event_id)
        return True

    def _op(
        self, wanted: Wanted, team: Team, payment: Payment, refund: Refund, now: Moment
    ) -> Op[object]:
        # Without the reason: it may name somebody.
        noted = self._festival.access.noted(
            wanted.by,
            "refund.request",
            team_id=team.team_id,
            payment_id=payment.payment_id,
            refund_id=refund.refund_id,
            amount=refund.amount,
            release=wanted.body.release,
        )
        released = team if wanted.body.release else None
        return together(refunding.request_refund(payment, refund, released, now), noted)


def _no_key() -> Problem:
    # All that is left goes back once by itself; a part could go back again and again.
    detail = "A part is paid back with an Idempotency-Key only: repeated, it is the same refund."
    return Problem(400, "IDEMPOTENCY_KEY_REQUIRED", detail)


def _exceeds(payment: Payment) -> Problem:
    left = payment.refundable
    much = written(left, payment.currency)
    detail = f"There is {much} left to pay back." if left else "Nothing is left to pay back."
    return Problem(422, "REFUND_EXCEEDS", detail, extra={"refundable": left})


def _no_seat() -> Problem:
    return conflict("NOT_PAID", "The team has no seat, by this payment, that it could give up.")
