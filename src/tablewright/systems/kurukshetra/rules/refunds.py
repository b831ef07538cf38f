"""What is left of a payment once money goes back, and when the gateway is asked about it again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from tablewright.systems.kurukshetra.payments import Payment, Refund
from tablewright.systems.kurukshetra.refunding import of_own_capture

#: While it cannot be asked; and while it has said that it is at it, which may take days.
_SENDING: Final = timedelta(seconds=30), timedelta(hours=1)
_WAITING: Final = timedelta(minutes=1), timedelta(hours=6)


def ends_whole(payment: Payment, refunds: Iterable[Refund], ending: Refund) -> bool:
    """Whether nothing of a payment is left once ``ending`` has reached the payer."""
    own = [each for each in refunds if of_own_capture(payment, each) and each.status != "failed"]
    others = [each for each in own if each.refund_id != ending.refund_id]
    return payment.refundable == 0 and all(each.status == "processed" for each in others)


def pause(tries: int, *, sent: bool) -> timedelta:
    """Before the gateway is asked about a refund again: ever longer."""
    first, longest = _WAITING if sent else _SENDING
    return min(longest, first * (1 << min(tries, 20)))
