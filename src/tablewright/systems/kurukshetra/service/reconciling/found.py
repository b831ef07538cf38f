"""Something in which the gateway's books and ours differed, before it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from tablewright.systems.kurukshetra import gateway
from tablewright.systems.kurukshetra.payments import Finding, FindingKind, Payment
from tablewright.systems.kurukshetra.rules.derived_ids import uuid_of


@dataclass(frozen=True)
class Found:
    kind: FindingKind
    razorpay_payment_id: str | None
    payment_id: str | None
    expected: int | None
    found: int | None
    #: What was done about it.
    outcome: str

    def as_finding(self, event_id: str, day: date, at: datetime) -> Finding:
        """The same thing found again on the same day is the same finding."""
        parts = (self.kind, self.razorpay_payment_id or "", self.payment_id or "")
        return Finding(
            event_id=event_id,
            day=day,
            finding_id=uuid_of(*parts, str(self.expected), str(self.found), self.outcome),
            kind=self.kind,
            payment_id=self.payment_id,
            razorpay_payment_id=self.razorpay_payment_id,
            expected=self.expected,
            found=self.found,
            outcome=self.outcome,
            created_at=at,
        )


def of_amounts(payment: Payment, told: gateway.Payment) -> list[Found]:
    """Whether what counts as paid is what was captured; money that came late has gone back."""
    if payment.paid_at is None or payment.razorpay_payment_id != told.id:
        return []
    if (payment.amount, payment.currency) == (told.amount, told.currency):
        return []
    outcome = f"the gateway has captured {told.amount} {told.currency}; see to it"
    kind: FindingKind = "amount_mismatch"
    return [Found(kind, told.id, payment.payment_id, payment.amount, told.amount, outcome)]
