"""The effect of a capture, whoever tells of it.

Theory of operation. The browser, the webhook, the poll and reconciliation all come here with what
the gateway says. What is stored says which way to go, and the transaction of that way says so again
by its conditions; the lock on the gateway's payment id is in each of them, so that only one ever
commits. If one is refused, something has moved in between: it is all read and thought again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import busy, refused, refused_at, settled
from tablewright.systems.kurukshetra import gateway, paying, reads, refunding, seating
from tablewright.systems.kurukshetra.events import Config, Seats
from tablewright.systems.kurukshetra.fields import Moment, VoucherCode
from tablewright.systems.kurukshetra.paying import Capture
from tablewright.systems.kurukshetra.payments import (
    GatewayEvent,
    OrderLink,
    Payment,
    PaymentLock,
    Refund,
    Voucher,
    VoucherUse,
)
from tablewright.systems.kurukshetra.rules.captures import Way, is_spent, way
from tablewright.systems.kurukshetra.rules.derived_ids import uuid_of
from tablewright.systems.kurukshetra.rules.windows import cut
from tablewright.systems.kurukshetra.service.checkout.holding import renewed_payment
from tablewright.systems.kurukshetra.teams import Member, Team

if TYPE_CHECKING:
    from tablewright.model import Put
    from tablewright.service.kit.entities import OutboxEntry
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: ``done``: it had its effect before. ``unknown_order``: it is none of ours.
Result: TypeAlias = Literal["paid", "late", "double", "done", "unknown_order"]

#: How often things may move under a capture before whoever tells of it is asked to come again.
_TRIES: Final = 12
_WHY: Final = {
    "late": "the money came too late, or was not the right amount",
    "double": "the order was paid twice",
}


@dataclass(frozen=True)
class Captured:
    """What the gateway says to have captured."""

    order_id: str
    razorpay_payment_id: str
    amount: int
    currency: str
    method: str


@dataclass(frozen=True)
class Applied:
    """What came of it."""

    result: Result
    link: OrderLink | None = None


@dataclass(frozen=True)
class Subject:
    """What a capture is about, as it was read."""

    config: Config
    payment: Payment
    team: Team
    lock: PaymentLock | None


def captured_of(payment: gateway.Payment | None) -> Captured | None:
    """What was captured; None if nothing was, or not for an order."""
    if payment is None or not payment.captured or payment.order_id is None:
        return None
    return Captured(
        payment.order_id,
        payment.id,
        payment.amount,
        payment.currency,
        (payment.method or "unknown")[:40],
    )


class Captures:
    """Gives captures their effect."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._count = festival.runtime.metrics.counter(
            "kurukshetra_captures", "Captures of the gateway, by what came of them", ("result",)
        )

    async def apply(self, fact: Captured, notice: GatewayEvent | None = None) -> Applied:
        """One of T4, T4b, refuse_late and refuse_double; or nothing, if that was done before.

        ``notice`` is the delivery that tells of it, and joins the transaction.
        """
        link = await self._festival.db.run(reads.order_link(fact.order_id))
        if link is None:
            log.warning("a capture is of an order that is not ours: %s", fact.order_id)
            return await self._nothing(Applied("unknown_order"), notice)
        applied = await self._with(link, fact, notice)
        self._count.labels(result=applied.result).inc()
        return applied

    async def subject(self, link: OrderLink, razorpay_payment_id: str) -> Subject:
        """What a capture is about: one read."""
        found = await self._festival.db.run(reads.captured(link, razorpay_payment_id))
        config, payment, team, lock = found
        assert isinstance(config, Config)
        assert isinstance(payment, Payment)
        assert isinstance(team, Team)
        assert lock is None or isinstance(lock, PaymentLock)
        return Subject(config, payment, team, lock)

    async def noted(self, notice: GatewayEvent) -> bool:
        """Write a delivery down that changes nothing; False if it was there already."""
        try:
            await settled(self._festival.db, lambda: paying.note_delivery(notice), code="BUSY")
        except ConditionFailed:
            return False
        return True

    # --- inside ----------------------------------------------------------------------------------

    async def _with(self, link: OrderLink, fact: Captured, notice: GatewayEvent | None) -> Applied:
        no_seat = no_voucher = False
        for _ in range(_TRIES):
            known = await self.subject(link, fact.razorpay_payment_id)
            if known.lock is not None:
                if notice is not None:
                    await self._confirm(known.payment, known.lock, notice)
                return Applied("done", link)
            known = await self._current(known, fact)
            wanted = self._way(known, fact)
            if wanted == "expire":
                await self._festival.seats.expire(known.team, notify=False)
                continue
            chosen: Way = "late" if wanted == "revive" and no_seat else wanted
            try:
                # Without a voucher that others have used up: the price is the one that was agreed.
                voucher = None if no_voucher else known.payment.voucher
                await self._write(chosen, known, fact, notice, voucher)
            except TransactionCancelled as error:
                if not refused(error):
                    raise
                no_seat = refused_at(error, Seats)
                no_voucher = any(refused_at(error, kind) for kind in (Voucher, VoucherUse))
                if refused_at(error, GatewayEvent):
                    # Its id is not signed: what counts is whether the capture had its effect.
                    notice = None
                continue
            return Applied(_result(chosen), link)
        raise busy("BUSY")

    async def _confirm(self, payment: Payment, lock: PaymentLock, notice: GatewayEvent) -> None:
        """Note a delivery about a capture that had its effect before.

        If the browser or a poll reported that capture first, the same transaction marks the payment
        as verified by a webhook, on condition that it was paid with this capture.
        """
        done = notice.model_copy(update={"result": "done"})
        if lock.owner != payment.payment_id:
            payment = await self._festival.db.require(reads.payment(payment.event_id, lock.owner))
        captured = lock.razorpay_payment_id
        if payment.webhook_verified or payment.razorpay_payment_id != captured:
            await self.noted(done)
            return
        op = paying.confirm_capture(payment, captured, done)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
            if not refused_at(error, GatewayEvent):
                await self.noted(done)

    async def _current(self, known: Subject, fact: Captured) -> Subject:
        """The subject with the payment that the seat is held for now, if the capture pays that one.

        A wrong amount is refused for good, and its payment with it. If the right amount follows on
        the same order while the seat is held, it pays the payment that has taken its place.
        """
        payment, team, price = known.payment, known.team, (fact.amount, fact.currency)
        if not is_spent(payment) or price != (payment.amount, payment.currency):
            return known
        if team.payment_status == "pending" and team.payment_id == payment.payment_id:
            team = await self._replaced(known, fact)
        if team.payment_status != "pending" or team.payment_id is None:
            return known
        latest = await self._festival.db.require(reads.payment(team.event_id, team.payment_id))
        if price != (latest.amount, latest.currency):
            return known
        return Subject(known.config, latest, team, known.lock)

    async def _replaced(self, known: Subject, fact: Captured) -> Team:
        """The team with another payment for its seat, which goes by the order that was paid."""
        now = self._festival.events.moment(known.config)
        made = renewed_payment(known.payment, now)
        payment = made.model_copy(update={"razorpay_order_id": fact.order_id})
        op = seating.replace_payment(known.team, payment, now.at)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
        team = known.team
        return await self._festival.db.require(reads.team(team.event_id, team.team_id))

    def _way(self, known: Subject, fact: Captured) -> Way:
        ended = cut(known.config, self._festival.now())
        return way(known.payment, known.team, fact.amount, fact.currency, ended)

    async def _write(
        self,
        chosen: Way,
        known: Subject,
        fact: Captured,
        notice: GatewayEvent | None,
        voucher: VoucherCode | None,
    ) -> None:
        told = None if notice is None else notice.model_copy(update={"result": _result(chosen)})
        members = await self._members(known.team) if _result(chosen) == "paid" else ()
        paid_by = fact.razorpay_payment_id, fact.method
        capture = Capture(known.payment, known.team, *paid_by, notice=told, voucher=voucher)

        def made() -> Op[object]:
            return self._op(chosen, known.config, capture, fact.amount, members)

        if chosen != "revive":
            await settled(self._festival.db, made, code="BUSY")
            return
        async with self._festival.seats.turn(known.team.event_id):
            await settled(self._festival.db, made, code="BUSY")
        self._festival.watching.look(known.team.event_id)

    async def _members(self, team: Team) -> tuple[Member, ...]:
        page = await self._festival.db.run(reads.team_page(team.event_id, team.team_id))
        return page.members

    def _op(
        self,
        chosen: Way,
        config: Config,
        capture: Capture,
        amount: int,
        members: tuple[Member, ...],
    ) -> Op[object]:
        """The transaction of a way, with the mails about it."""
        now = self._festival.events.moment(config)
        if chosen in ("late", "double"):
            return self._returned(chosen, config, capture, amount, now)
        messages = self._festival.messages
        mails = (
            messages.confirmation(config, capture.team, capture.payment),
            *messages.tickets(config, capture.team, members),
        )
        if chosen == "revive":
            return together(paying.capture_late(capture, now), *mails)
        return together(paying.capture_payment(capture, cut(config, now.at), now), *mails)

    def _returned(
        self, chosen: Way, config: Config, capture: Capture, amount: int, now: Moment
    ) -> Op[object]:
        why: Literal["late", "double"] = "late" if chosen == "late" else "double"
        refund = Refund(
            event_id=capture.payment.event_id,
            payment_id=capture.payment.payment_id,
            refund_id=uuid_of(why, capture.razorpay_payment_id),
            amount=amount,
            reason=_WHY[why],
            razorpay_payment_id=capture.razorpay_payment_id,
            origin=why,
            created_at=now.at,
            updated_at=now.at,
        )
        told = self._told(config, capture, amount, why)
        if why == "late":
            return together(refunding.refuse_late(capture, refund, now.at), told)
        return together(refunding.refuse_double(capture, refund, now.at), told)

    def _told(
        self, config: Config, capture: Capture, amount: int, why: Literal["late", "double"]
    ) -> Put[OutboxEntry]:
        return self._festival.messages.refund(config, capture.team, capture.payment, amount, why)

    async def _nothing(self, applied: Applied, notice: GatewayEvent | None) -> Applied:
        if notice is not None:
            await self.noted(notice.model_copy(update={"result": applied.result}))
        return applied


def _result(chosen: Way) -> Result:
    if chosen in ("pay", "revive"):
        return "paid"
    return "late" if chosen == "late" else "double"
