"""Bodies about money that goes back, and about reconciliation."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, Field

from tablewright.service.bodies import Day, line, shown
from tablewright.systems.kurukshetra.payments import (
    Finding,
    FindingKind,
    Refund,
    RefundOrigin,
    RefundStatus,
)

_UUID = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_R = "00000004-0000-4000-8000-000000000001"
_Y = "00000003-0000-4000-8000-000000000001"


class RefundIn(BaseModel):
    """What is to be paid back to a team."""

    model_config = shown(amount=49900, reason="one member cannot come", release=False)

    amount: int | None = Field(
        default=None, ge=1, le=10**12, description="In minor units; all that is left without it."
    )
    reason: Annotated[str, *line(1, 500)]
    release: bool = Field(default=False, description="Whether the team also gives up its seat.")
    payment_id: str | None = Field(
        default=None,
        pattern=_UUID,
        description="Another payment of the team's than the one that its seat is paid with.",
    )


class RefundOut(BaseModel):
    """Money that goes back."""

    refund_id: str = Field(examples=[_R])
    payment_id: str = Field(examples=[_Y])
    amount: int = Field(description="In minor units.", examples=[49900])
    reason: str = Field(examples=["one member cannot come"])
    status: RefundStatus = Field(examples=["processed"])
    origin: RefundOrigin = Field(
        description="Somebody decided, it came too late or twice, or the gateway began it."
    )
    razorpay_refund_id: str | None = Field(examples=["rfnd_FP8QHiV938haTz"])
    razorpay_payment_id: str | None = Field(examples=["pay_29QQoUBi66xm2f"])
    created_at: datetime
    updated_at: datetime


class ReleasedOut(BaseModel):
    """A team that has given up its seat."""

    team_id: str
    payment_status: str = Field(examples=["refunded"])


class ReconcileIn(BaseModel):
    """Which day is to be compared."""

    model_config = shown(day="2026-11-15")

    day: Day | None = Field(default=None, description="At the event's place; yesterday without it.")


class FindingOut(BaseModel):
    """Something in which the gateway's books and ours differed."""

    finding_id: str
    day: date
    kind: FindingKind = Field(examples=["missing_capture"])
    payment_id: str | None = Field(examples=[_Y])
    razorpay_payment_id: str | None = Field(examples=["pay_29QQoUBi66xm2f"])
    expected: int | None = Field(description="In minor units.", examples=[99900])
    found: int | None = Field(description="In minor units.", examples=[99900])
    outcome: str = Field(description="What was done about it.")
    created_at: datetime


def refund_out(refund: Refund) -> RefundOut:
    return RefundOut(**refund.model_dump(include=set(RefundOut.model_fields)))


def finding_out(finding: Finding) -> FindingOut:
    return FindingOut(**finding.model_dump(include=set(FindingOut.model_fields)))
