"""Writes about money that goes back: refunds, and captures that are not kept.

A refund is written together with its place in the list of what is to be done; it leaves that list
when whoever works on it sees that it has come to its end. What may still be paid back is taken off
the payment in the same transaction: no two refunds can be of the same money.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from tablewright.model import (
    Check,
    Delete,
    Put,
    Rate,
    Update,
    attr,
    check,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.kurukshetra.events import Seats, Statistics, counted
from tablewright.systems.kurukshetra.fields import TAKEN, GatewayId, Moment, PaymentStatus, below
from tablewright.systems.kurukshetra.paying import Capture, risen
from tablewright.systems.kurukshetra.payments import (
    GatewayEvent,
    Payment,
    PaymentLock,
    Refund,
    RefundDue,
)
from tablewright.systems.kurukshetra.seating import moved, seats_by
from tablewright.systems.kurukshetra.teams import Team

#: What may be left out.
_Once: TypeAlias = Put[PaymentLock] | Put[GatewayEvent]
_Counted: TypeAlias = Update[Payment] | Update[Statistics]


def of_own_capture(payment: Payment, refund: Refund) -> bool:
    """Whether it is the payment's own money, and not that of a second capture."""
    return refund.razorpay_payment_id in (None, payment.razorpay_payment_id)


def _to_do(refund: Refund) -> Put[RefundDue]:
    due = RefundDue(
        due_at=refund.created_at,
        refund_id=refund.refund_id,
        event_id=refund.event_id,
        payment_id=refund.payment_id,
        created_at=refund.created_at,
    )
    return put(due).new()


def _taken(payment: Payment, refund: Refund, now: Moment, sign: Literal[1, -1]) -> list[_Counted]:
    """What a refund takes of a payment, or gives back to it; late money was never revenue."""
    amount = sign * refund.amount
    changed = update(Payment, payment.event_id, payment.payment_id).do(
        attr(Payment.refundable).add(-amount), attr(Payment.updated_at).set(now.at)
    )
    if sign > 0:
        changed = changed.when(attr(Payment.refundable) >= amount)
    if payment.paid_at is None:
        return [changed]
    return [changed, counted(payment.event_id, now, payment.payment_id, refunded=amount)]


# --- captures that are not kept ------------------------------------------------------------------


@transaction(component="webhook", rate=Rate(0.01), expect=5)
def refuse_late(
    capture: Capture, refund: Refund, at: datetime
) -> tuple[Update[Payment], Put[Refund], Put[RefundDue], *tuple[_Once, ...]]:
    """The money came too late, or was not the right amount: it goes back."""
    late = capture.risen("late", below("late"), at)
    return late, put(refund).new(), _to_do(refund), *capture.once(at)


@transaction(component="reconcile", rate=Rate(0.01), expect=4)
def refuse_double(
    capture: Capture, refund: Refund, at: datetime
) -> tuple[Check[Payment], Put[Refund], Put[RefundDue], *tuple[_Once, ...]]:
    """The same order was paid twice: the second time goes back."""
    payment = capture.payment
    taken = check(Payment, payment.event_id, payment.payment_id).when(
        attr(Payment.status).is_in(TAKEN)
    )
    return taken, put(refund).new(), _to_do(refund), *capture.once(at)


@transaction(component="reconcile", rate=Rate(0.001))
def refund_again(
    failed: Refund, refund: Refund
) -> tuple[Check[Refund], Put[Refund], Put[RefundDue]]:
    """The money of a second capture did not reach its payer: once more."""
    ended = check(Refund, failed.event_id, failed.payment_id, failed.refund_id)
    return ended.when(attr(Refund.status) == "failed"), put(refund).new(), _to_do(refund)


# --- refunds -------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.01), expect=5)
def request_refund(
    payment: Payment, refund: Refund, released: Team | None, now: Moment
) -> tuple[
    Put[Refund],
    Put[RefundDue],
    *tuple[_Counted | Update[Team] | Update[Seats], ...],
]:
    """Pay back no more than is left; with ``released`` the team gives up its seat. [T7]"""
    more: tuple[_Counted | Update[Team] | Update[Seats], ...] = (
        *_taken(payment, refund, now, 1),
        *(() if released is None else _released(released, now.at)),
    )
    return put(refund).new(), _to_do(refund), *more


def _released(team: Team, at: datetime) -> tuple[Update[Team], Update[Seats]]:
    gone = moved(team, "paid", "refunded", at).do(attr(Team.registration_complete).set(False))
    return gone, seats_by(team.event_id, 1, at)


@transaction(component="api", rate=Rate(0.001))
def release_seat(team: Team, at: datetime) -> tuple[Update[Team], Update[Seats]]:
    """A team gives up its seat, and there is nothing to pay back."""
    return _released(team, at)


@transaction(component="webhook", rate=Rate(0.001), expect=5)
def adopt_refund(
    payment: Payment, refund: Refund, notice: GatewayEvent | None, now: Moment
) -> tuple[
    Put[Refund],
    Put[RefundDue],
    *tuple[_Counted | Put[GatewayEvent], ...],
]:
    """The gateway pays something back that nobody asked for here."""
    taken = _taken(payment, refund, now, 1) if of_own_capture(payment, refund) else []
    more: tuple[_Counted | Put[GatewayEvent], ...] = (
        *taken,
        *(() if notice is None else (put(notice).new(),)),
    )
    return put(refund).new(), _to_do(refund), *more


# --- what becomes of them ------------------------------------------------------------------------


def _refund_becomes(
    refund: Refund, after: Literal["pending", "processed", "failed"], at: datetime
) -> Update[Refund]:
    turned = update(Refund, refund.event_id, refund.payment_id, refund.refund_id).do(
        attr(Refund.status).set(after), attr(Refund.updated_at).set(at)
    )
    return turned.when(attr(Refund.status).is_in(("requested", "pending")))


@write(component="refund-sender", rate=Rate(0.01))
def send_refund(refund: Refund, razorpay_refund_id: GatewayId, at: datetime) -> Update[Refund]:
    """The gateway has taken a refund on."""
    sent = _refund_becomes(refund, "pending", at)
    return sent.do(attr(Refund.razorpay_refund_id).set(razorpay_refund_id))


@transaction(component="refund-sender", rate=Rate(0.01), expect=2)
def settle_refund(
    payment: Payment, refund: Refund, whole: bool, at: datetime
) -> tuple[Update[Refund], *tuple[Update[Payment], ...]]:
    """The money is back; ``whole`` says that nothing of the payment is left.

    Of two that end at once, the second sees the first.
    """
    settled = _refund_becomes(refund, "processed", at)
    if refund.razorpay_refund_id is not None:
        settled = settled.do(attr(Refund.razorpay_refund_id).set(refund.razorpay_refund_id))
    if not of_own_capture(payment, refund):
        return (settled,)
    status: PaymentStatus = "refunded" if whole else "partially_refunded"
    known = payment.status in below(status)
    raised = (
        risen(payment, status, below(status), at)
        if known
        else update(Payment, payment.event_id, payment.payment_id).do(
            attr(Payment.updated_at).set(at)
        )
    )
    back = raised.do(attr(Payment.refunded).add(refund.amount))
    return settled, back.when(attr(Payment.refunded) == payment.refunded)


@transaction(component="refund-sender", rate=Rate(0.01), expect=3)
def fail_refund(
    payment: Payment, refund: Refund, now: Moment
) -> tuple[Update[Refund], *tuple[_Counted, ...]]:
    """The gateway could not pay back: it can be asked for again."""
    failed = _refund_becomes(refund, "failed", now.at)
    if not of_own_capture(payment, refund):
        return (failed,)
    return failed, *_taken(payment, refund, now, -1)


@transaction(component="refund-sender", rate=Rate(0.01))
def postpone_refund(
    due: RefundDue, at: datetime, tries: int
) -> tuple[Delete[RefundDue], Put[RefundDue]]:
    """The gateway is asked at another time, which is not the same."""
    later = due.model_copy(update={"due_at": at, "tries": tries})
    return delete(RefundDue, due.due_at, due.refund_id).existing(), put(later).new()


@write(component="refund-sender", rate=Rate(0.01))
def drop_refund_due(due: RefundDue) -> Delete[RefundDue]:
    """There is nothing more to do for a refund."""
    return delete(RefundDue, due.due_at, due.refund_id)
