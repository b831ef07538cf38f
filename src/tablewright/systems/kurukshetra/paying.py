"""Writes about money that comes: orders, captures, late captures; vouchers and findings.

Whoever tells of a capture first (the browser, the webhook, reconciliation) has its effect: the lock
on the gateway's payment id lets nobody else. A payment only rises.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from tablewright.model import (
    Delete,
    Put,
    Rate,
    Update,
    attr,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.kurukshetra.events import (
    Seats,
    Statistics,
    TrackStatistics,
    count_paid_team,
)
from tablewright.systems.kurukshetra.fields import (
    GatewayId,
    Moment,
    PaymentStatus,
    VoucherCode,
    below,
)
from tablewright.systems.kurukshetra.payments import (
    Finding,
    GatewayEvent,
    OrderLink,
    Payment,
    PaymentLock,
    Voucher,
    VoucherLink,
    VoucherUse,
)
from tablewright.systems.kurukshetra.seating import moved, nobody_waits, retaken, seats_by
from tablewright.systems.kurukshetra.teams import Hold, Team

#: What a late capture may write besides.
_LateWrite: TypeAlias = (
    Update[TrackStatistics]
    | Put[PaymentLock]
    | Put[GatewayEvent]
    | Update[Voucher]
    | Put[VoucherUse]
)


@dataclass(frozen=True)
class Capture:
    """What the gateway captured, as far as it was checked."""

    payment: Payment
    team: Team
    razorpay_payment_id: GatewayId
    payment_method: str
    #: The delivery that told of it; None if we asked.
    notice: GatewayEvent | None = None
    #: Used again by a late capture; None if there is none to use.
    voucher: VoucherCode | None = None

    def once(self, at: datetime) -> tuple[Put[PaymentLock], *tuple[Put[GatewayEvent], ...]]:
        """What lets a capture have its effect only once."""
        lock = PaymentLock(
            razorpay_payment_id=self.razorpay_payment_id,
            owner=self.payment.payment_id,
            created_at=at,
        )
        notices = () if self.notice is None else (put(self.notice).new(),)
        return put(lock).new(), *notices

    def risen(
        self, after: PaymentStatus, before: tuple[PaymentStatus, ...], at: datetime
    ) -> Update[Payment]:
        """The payment with what was captured."""
        changed = risen(self.payment, after, before, at).do(
            attr(Payment.razorpay_payment_id).set(self.razorpay_payment_id),
            attr(Payment.payment_method).set(self.payment_method),
        )
        if self.notice is None:
            return changed
        return changed.do(attr(Payment.webhook_verified).set(True))


def risen(
    payment: Payment, after: PaymentStatus, before: tuple[PaymentStatus, ...], at: datetime
) -> Update[Payment]:
    """A payment in a higher state; it never falls."""
    rising = update(Payment, payment.event_id, payment.payment_id).given(day=payment.day)
    changes = attr(Payment.status).set(after), attr(Payment.updated_at).set(at)
    return rising.do(*changes).when(attr(Payment.status).is_in(before))


def _paid(capture: Capture, before: tuple[PaymentStatus, ...], at: datetime) -> Update[Payment]:
    return capture.risen("paid", before, at).do(
        attr(Payment.refundable).set(capture.payment.amount), attr(Payment.paid_at).set(at)
    )


def _team_paid(
    capture: Capture, before: Literal["pending", "unpaid"], at: datetime
) -> Update[Team]:
    return moved(capture.team, before, "paid", at).do(
        attr(Team.registration_complete).set(True),
        attr(Team.payment_order_id).set(capture.payment.razorpay_order_id),
        attr(Team.hold_expires_at).remove(),
    )


def _revenue(
    capture: Capture, now: Moment
) -> tuple[Update[Statistics], *tuple[Update[TrackStatistics], ...]]:
    team = capture.team
    return count_paid_team(
        team.event_id, now, team.team_id, team.track, revenue=capture.payment.amount
    )


# --- orders and captures -------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.3, peak=30))
def attach_order(
    payment: Payment, order_id: GatewayId, at: datetime
) -> tuple[Update[Payment], Put[OrderLink]]:
    """The gateway's order for a payment, and the way back from it. [T3b]"""
    ordered = update(Payment, payment.event_id, payment.payment_id).do(
        attr(Payment.razorpay_order_id).set(order_id), attr(Payment.updated_at).set(at)
    )
    link = OrderLink(
        order_id=order_id,
        event_id=payment.event_id,
        team_id=payment.team_id,
        payment_id=payment.payment_id,
        created_at=at,
    )
    return ordered.when(attr(Payment.razorpay_order_id).missing()), put(link).new()


@transaction(component="webhook", rate=Rate(0.3, peak=30), expect=6)
def capture_payment(
    capture: Capture, cut: datetime, now: Moment
) -> tuple[
    Update[Payment],
    Update[Team],
    Delete[Hold],
    Update[Statistics],
    *tuple[Update[TrackStatistics] | Put[PaymentLock] | Put[GatewayEvent], ...],
]:
    """The team has paid, in time, with the payment that its seat is held for. [T4, 3a]"""
    team = capture.team
    daily, *track = _revenue(capture, now)
    more: tuple[Update[TrackStatistics] | Put[PaymentLock] | Put[GatewayEvent], ...] = (
        *track,
        *capture.once(now.at),
    )
    in_time = (attr(Team.payment_id) == capture.payment.payment_id) & (
        attr(Team.hold_expires_at) > cut
    )
    return (
        _paid(capture, below("paid"), now.at),
        _team_paid(capture, "pending", now.at).when(in_time),
        delete(Hold, team.event_id, team.hold_expires_at, team.team_id),
        daily,
        *more,
    )


@transaction(component="webhook", rate=Rate(0.01), expect=6)
def capture_late(
    capture: Capture, now: Moment
) -> tuple[
    Update[Payment],
    Update[Team],
    Update[Seats],
    Update[Statistics],
    *tuple[_LateWrite, ...],
]:
    """The money came after the hold had ended, and there is still a seat. [T4b]

    A voucher was given back when the hold ended, and is used again, whatever its window by now.
    """
    voucher = capture.voucher
    used = () if voucher is None else retaken(capture.payment, voucher, now.at)
    seated = _team_paid(capture, "unpaid", now.at)
    daily, *track = _revenue(capture, now)
    more: tuple[_LateWrite, ...] = (*track, *capture.once(now.at), *used)
    return (
        _paid(capture, ("expired",), now.at),
        seated.do(attr(Team.payment_id).set(capture.payment.payment_id)),
        seats_by(capture.team.event_id, -1, now.at).when(nobody_waits()),
        daily,
        *more,
    )


@transaction(component="webhook", rate=Rate(0.3, peak=30))
def note_attempt(
    payment: Payment, status: Literal["failed", "authorized"], notice: GatewayEvent, at: datetime
) -> tuple[Update[Payment], Put[GatewayEvent]]:
    """An attempt to pay failed, or is authorized and not captured yet."""
    return risen(payment, status, below(status), at), put(notice).new()


@write(component="webhook", rate=Rate(0.3, peak=30))
def note_delivery(notice: GatewayEvent) -> Put[GatewayEvent]:
    """A delivery that changes nothing: of a lower state, or of an order that is not ours."""
    return put(notice).new()


@transaction(component="webhook", rate=Rate(0.3, peak=30))
def confirm_capture(
    payment: Payment, razorpay_payment_id: GatewayId, notice: GatewayEvent
) -> tuple[Update[Payment], Put[GatewayEvent]]:
    """Mark a payment as verified by a webhook that reports the capture it was paid with.

    ``updated_at`` stays: it is the time of the payment's status.
    """
    confirmed = update(Payment, payment.event_id, payment.payment_id).do(
        attr(Payment.webhook_verified).set(True)
    )
    same = attr(Payment.razorpay_payment_id) == razorpay_payment_id
    return confirmed.when(same), put(notice).new()


# --- vouchers and reconciliation -----------------------------------------------------------------


@transaction(component="api", rate=Rate(0.01))
def save_voucher(voucher: Voucher) -> tuple[Put[Voucher], Put[VoucherLink]]:
    """A voucher, new or changed at the version that was read, and its line in the list."""
    link = VoucherLink(event_id=voucher.event_id, code=voucher.code, created_at=voucher.created_at)
    return put(voucher), put(link)


@write(component="reconcile", rate=Rate(0.01))
def note_finding(finding: Finding) -> Put[Finding]:
    """Something in which the gateway's books and ours differ."""
    return put(finding)
