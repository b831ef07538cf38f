"""Payments, what goes back of them, and what the gateway says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from tablewright.model import Entity
from tablewright.systems.kurukshetra.demo_items.made_up import (
    FEE,
    MAIN,
    NOW,
    OPENED,
    TODAY,
    blind,
    uuid,
)
from tablewright.systems.kurukshetra.fields import PaymentStatus
from tablewright.systems.kurukshetra.payments import (
    Finding,
    GatewayEvent,
    OrderLink,
    Payment,
    PaymentLock,
    Refund,
    RefundDue,
    Voucher,
)


def payment(number: int, status: PaymentStatus, event_id: str = MAIN) -> Payment:
    """What the team of this leader pays."""
    at = OPENED + timedelta(hours=number)
    paid = status == "paid"
    return Payment(
        event_id=event_id,
        payment_id=uuid(3, number),
        team_id=uuid(2, number),
        razorpay_order_id=f"order_{number:04d}",
        razorpay_payment_id=f"pay_{number:04d}" if paid else None,
        payer_ref=blind(f"payer-{number}"),
        amount=FEE,
        refundable=FEE if paid else 0,
        status=status,
        payment_method="upi" if paid else None,
        webhook_verified=paid,
        day=(at + timedelta(hours=5, minutes=30)).date(),
        paid_at=at if paid else None,
        created_at=at,
        updated_at=at,
    )


def ordered(of: Payment) -> Iterator[Entity]:
    """A payment with the way back from its order, and the lock of its capture."""
    assert of.razorpay_order_id is not None
    yield of
    yield _link(of)
    if of.razorpay_payment_id is not None:
        yield PaymentLock(
            razorpay_payment_id=of.razorpay_payment_id,
            owner=of.payment_id,
            created_at=of.created_at,
        )


def _link(of: Payment) -> OrderLink:
    assert of.razorpay_order_id is not None
    return OrderLink(
        order_id=of.razorpay_order_id,
        event_id=of.event_id,
        team_id=of.team_id,
        payment_id=of.payment_id,
        created_at=of.created_at,
    )


def order_link(number: int) -> OrderLink:
    """Whose the order of this leader's team is."""
    return _link(payment(number, "created"))


def refund(payment_number: int, number: int, amount: int) -> Refund:
    return Refund(
        event_id=MAIN,
        payment_id=uuid(3, payment_number),
        refund_id=uuid(4, number),
        amount=amount,
        reason="the team cannot come",
        created_at=NOW,
        updated_at=NOW,
    )


def refund_due(payment_number: int, number: int) -> RefundDue:
    of = refund(payment_number, number, FEE)
    return RefundDue(
        due_at=of.created_at,
        refund_id=of.refund_id,
        event_id=of.event_id,
        payment_id=of.payment_id,
        created_at=of.created_at,
    )


def notice(number: int, kind: str) -> GatewayEvent:
    return GatewayEvent(
        gateway_event_id=f"evt_{number:04d}",
        type=kind,
        order_id=f"order_{number:04d}",
        razorpay_payment_id=f"pay_{number:04d}",
        result="applied",
        ttl=NOW + timedelta(days=90),
        created_at=NOW,
    )


def voucher(code: str, percent: int, remaining: int) -> Voucher:
    return Voucher(
        event_id=MAIN,
        code=code,
        percent=percent,
        remaining=remaining,
        valid_from=OPENED,
        valid_until=OPENED + timedelta(days=60),
        created_at=OPENED,
        updated_at=OPENED,
    )


def finding(number: int) -> Finding:
    return Finding(
        event_id=MAIN,
        day=TODAY,
        finding_id=uuid(5, number),
        kind="missing_capture",
        payment_id=uuid(3, 1),
        razorpay_payment_id="pay_0001",
        outcome="applied",
        created_at=NOW,
    )
