"""Money: payments, refunds, vouchers, and what the gateway told us."""

from __future__ import annotations

from datetime import date
from typing import Literal, Self, TypeAlias

from pydantic import model_validator

from tablewright.model import Field, IsoSeconds, Key, Ttl, Uuid
from tablewright.systems.kurukshetra.base import Changing, Kept, table
from tablewright.systems.kurukshetra.fields import (
    Currency,
    EventId,
    GatewayId,
    Money,
    PaymentStatus,
    VoucherCode,
)

RefundStatus: TypeAlias = Literal["requested", "pending", "processed", "failed"]
#: Why money goes back: somebody decided, it came too late or twice, or the gateway began it.
RefundOrigin: TypeAlias = Literal["organizer", "late", "double", "gateway"]
FindingKind: TypeAlias = Literal[
    "missing_capture", "amount_mismatch", "unknown_order", "double_capture", "refund_mismatch"
]


class Payment(
    Changing,
    table=table,
    type="payment",
    keys={
        "primary": Key("EVENT#{event_id}#PAYMENT#{payment_id}", "TRANSACTION"),
        "by_team": Key(
            "EVENT#{event_id}#TEAM#{team_id}", "PAYMENT#{created_at}#{payment_id}", on="GSI2"
        ),
        "by_status": Key(
            "EVENT#{event_id}#STATUS#{status}", "DATE#{day}#PAYMENT#{payment_id}", on="GSI3"
        ),
    },
):
    event_id: EventId
    payment_id: Uuid
    team_id: Uuid
    razorpay_order_id: GatewayId | None = None
    razorpay_payment_id: GatewayId | None = None
    #: Who paid, for the books; random after erasure.
    payer_ref: str = Field(max_length=64)
    amount: Money
    #: What can still be paid back.
    refundable: Money = 0
    #: What has reached the payer again.
    refunded: Money = 0
    currency: Currency = "INR"
    status: PaymentStatus = "created"
    payment_method: str | None = Field(default=None, max_length=40)
    voucher: VoucherCode | None = None
    #: Whether a signed webhook has reported the capture, first or after the browser.
    webhook_verified: bool = False
    #: Of ``created_at``, at the event's place; it never changes.
    day: date
    paid_at: IsoSeconds | None = None


class Refund(
    Changing,
    table=table,
    type="refund",
    keys={"primary": Key("EVENT#{event_id}#PAYMENT#{payment_id}", "REFUND#{refund_id}")},
):
    event_id: EventId
    payment_id: Uuid
    refund_id: Uuid
    amount: Money = Field(gt=0)
    reason: str = Field(max_length=500)
    status: RefundStatus = "requested"
    razorpay_refund_id: GatewayId | None = None
    #: The capture whose money goes back. An order that is paid twice has two.
    razorpay_payment_id: GatewayId | None = None
    origin: RefundOrigin = "organizer"


class RefundDue(
    Kept,
    table=table,
    type="refund_due",
    keys={"primary": Key("REFUNDS", "{due_at}#{refund_id}")},
):
    """A refund that is not at its end, by the time at which the gateway is asked next."""

    due_at: IsoSeconds
    refund_id: Uuid
    event_id: EventId
    payment_id: Uuid
    #: How often that time was put off.
    tries: int = Field(default=0, ge=0)


class PaymentLock(
    Kept,
    table=table,
    type="payment_lock",
    keys={"primary": Key("PAYREF#{razorpay_payment_id}", "LOCK")},
):
    """What the gateway captured has one effect, whoever tells us, and however often."""

    razorpay_payment_id: GatewayId
    #: A payment.
    owner: Uuid


class OrderLink(
    Kept,
    table=table,
    type="order_link",
    keys={"primary": Key("ORDER#{order_id}", "LINK")},
):
    """Whose the gateway's order is."""

    order_id: GatewayId
    event_id: EventId
    team_id: Uuid
    payment_id: Uuid


class GatewayEvent(
    Kept,
    table=table,
    type="gateway_event",
    keys={"primary": Key("GWEVENT#{gateway_event_id}", "SEEN")},
):
    """A delivery that was seen; the second one of it is recognised for 90 days."""

    gateway_event_id: GatewayId
    type: str = Field(max_length=60)
    order_id: GatewayId | None = None
    razorpay_payment_id: GatewayId | None = None
    razorpay_refund_id: GatewayId | None = None
    result: str = Field(max_length=60)
    ttl: Ttl


class Voucher(
    Changing,
    table=table,
    type="voucher",
    keys={"primary": Key("EVENT#{event_id}#VOUCHER#{code}", "DEF")},
):
    """Takes a part or an amount off the fee, so many times, within its window."""

    event_id: EventId
    code: VoucherCode
    percent: int | None = Field(default=None, ge=1, le=100)
    fixed: Money | None = None
    remaining: int = Field(ge=0)
    valid_from: IsoSeconds
    valid_until: IsoSeconds

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.percent is None) == (self.fixed is None):
            raise ValueError("a voucher is either percent or fixed")
        return self


class VoucherLink(
    Kept,
    table=table,
    type="voucher_link",
    keys={"primary": Key("EVENT#{event_id}#VOUCHERS", "VOUCHER#{code}")},
):
    """That there is a voucher: each has a partition of its own, and cannot be listed by it."""

    event_id: EventId
    code: VoucherCode


class VoucherUse(
    Kept,
    table=table,
    type="voucher_use",
    keys={"primary": Key("EVENT#{event_id}#VOUCHER#{code}", "USE#{team_id}")},
):
    """A team uses a voucher once."""

    event_id: EventId
    code: VoucherCode
    team_id: Uuid
    payment_id: Uuid


class Finding(
    Kept,
    table=table,
    type="finding",
    keys={"primary": Key("EVENT#{event_id}#RECON", "{day}#{finding_id}")},
):
    """Where the gateway's books and ours differed."""

    event_id: EventId
    day: date
    finding_id: Uuid
    kind: FindingKind
    payment_id: Uuid | None = None
    razorpay_payment_id: GatewayId | None = None
    expected: Money | None = None
    found: Money | None = None
    #: What was done about it.
    outcome: str = Field(default="", max_length=200)
