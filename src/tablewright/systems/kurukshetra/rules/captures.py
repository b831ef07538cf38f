"""What becomes of money that came, as far as it can be told from what is stored.

The transactions ask all of it again: what was read may be old.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.fields import TAKEN
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.teams import Team

#: ``pay``: the seat is held for it. ``expire``: the hold is over, and has to be ended first.
#: ``revive``: it was ended; perhaps there is a seat. ``late`` and ``double``: it goes back.
Way: TypeAlias = Literal["pay", "expire", "revive", "late", "double"]


def is_spent(payment: Payment) -> bool:
    """Whether the money of a payment was refused for good, without ever having paid for a seat."""
    return payment.status in TAKEN and payment.paid_at is None and payment.amount > 0


def way(payment: Payment, team: Team, amount: int, currency: str, cut: datetime) -> Way:
    """What to do with a capture that has had no effect yet."""
    if payment.status in TAKEN:
        return "double"
    if (amount, currency) != (payment.amount, payment.currency):
        return "late"
    if payment.status == "expired":
        return "revive" if team.payment_status == "unpaid" else "late"
    if (team.payment_status, team.payment_id) != ("pending", payment.payment_id):
        return "late"
    held = team.hold_expires_at is not None and team.hold_expires_at > cut
    return "pay" if held else "expire"
