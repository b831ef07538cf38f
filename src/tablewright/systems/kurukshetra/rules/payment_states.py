"""The life of a payment, which only rises, in whatever order the gateway tells of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.fields import PaymentStatus, below

#: ``rise``: write it. ``revive``: money for a seat that was given up; a transaction of its own
#: finds out whether there is one. ``log``: it is news of yesterday, and changes nothing.
Step: TypeAlias = Literal["rise", "revive", "log"]

#: What a delivery of the gateway says about a payment; others are about refunds, or nothing to us.
_TOLD: dict[str, PaymentStatus] = {
    "payment.authorized": "authorized",
    "payment.captured": "paid",
    "order.paid": "paid",
    "payment.failed": "failed",
}


def step(before: PaymentStatus, after: PaymentStatus) -> Step:
    """What to do about a payment that is ``before`` and is said to be ``after``."""
    if before == "expired" and after == "paid":
        return "revive"
    return "rise" if before in below(after) else "log"


def told(event: str) -> PaymentStatus | None:
    """What a delivery says."""
    return _TOLD.get(event)
