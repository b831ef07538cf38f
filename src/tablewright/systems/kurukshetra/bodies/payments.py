"""Bodies about money that comes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.kurukshetra.bodies.refunds import RefundOut, refund_out
from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.payments import PaymentView

_ID: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,80}$")]
_Y = "00000003-0000-4000-8000-000000000001"
_T = "00000002-0000-4000-8000-000000000001"


class VerifyIn(BaseModel):
    """What the gateway's checkout hands to the browser."""

    model_config = shown(
        razorpay_order_id="order_EKwxwAgItmmXdp",
        razorpay_payment_id="pay_29QQoUBi66xm2f",
        razorpay_signature="9ef4dffbfd84f1318f6739a3ce19f9d85851857ae648f114332d8401e0949a3d",
    )

    razorpay_order_id: _ID
    razorpay_payment_id: _ID
    razorpay_signature: str = Field(min_length=1, max_length=200)


class PaymentOut(BaseModel):
    """A payment. Amounts are in minor units: paise, cents."""

    payment_id: str = Field(examples=[_Y])
    team_id: str = Field(examples=[_T])
    status: PaymentStatus = Field(examples=["paid"])
    amount: int = Field(examples=[99900])
    refundable: int = Field(description="What can still be paid back.", examples=[99900])
    refunded: int = Field(description="What has reached the payer again.", examples=[0])
    currency: str = Field(examples=["INR"])
    razorpay_order_id: str | None = Field(examples=["order_EKwxwAgItmmXdp"])
    razorpay_payment_id: str | None = Field(examples=["pay_29QQoUBi66xm2f"])
    payment_method: str | None = Field(examples=["upi"])
    voucher: str | None = Field(examples=["EARLYBIRD"])
    webhook_verified: bool = Field(
        description="Whether a signed webhook of the gateway has reported the capture."
    )
    paid_at: datetime | None
    created_at: datetime
    updated_at: datetime


class HappenedOut(BaseModel):
    """One thing that happened to a payment."""

    at: datetime
    what: str = Field(examples=["captured"])
    amount: int = Field(examples=[99900])
    detail: str = Field(examples=["pay_29QQoUBi66xm2f"])


class PaymentPageOut(PaymentOut):
    """A payment with its refunds and its life."""

    team_name: str | None = Field(examples=["Code Warriors"])
    team_status: TeamStatus | None = Field(examples=["paid"])
    refunds: list[RefundOut]
    timeline: list[HappenedOut] = Field(description="The oldest first.")
    gateway_asked: bool = Field(description="Whether the gateway could be asked about attempts.")


class WebhookOut(BaseModel):
    """What came of a delivery."""

    result: str = Field(examples=["paid"])


def payment_out(payment: Payment) -> PaymentOut:
    return PaymentOut.model_validate(_shared(payment))


def payment_page_out(view: PaymentView) -> PaymentPageOut:
    team = view.team
    more = {
        "team_name": None if team is None else team.name,
        "team_status": None if team is None else team.payment_status,
        "refunds": [refund_out(each) for each in view.refunds],
        "timeline": [
            HappenedOut(at=each.at, what=each.what, amount=each.amount, detail=each.detail)
            for each in view.timeline
        ],
        "gateway_asked": view.asked,
    }
    return PaymentPageOut.model_validate({**_shared(view.payment), **more})


def _shared(payment: Payment) -> dict[str, object]:
    return payment.model_dump(include=set(PaymentOut.model_fields))
