"""Something in which the gateway's books and ours differed, before it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from tablewright.systems.kurukshetra.payments import Finding, FindingKind
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
