"""What we say was paid: did the gateway capture it?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Container
from datetime import date
from typing import TYPE_CHECKING

from tablewright.systems.kurukshetra import gateway, lists, reads
from tablewright.systems.kurukshetra.fields import TAKEN
from tablewright.systems.kurukshetra.gateway import NotFound
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.reconciling.found import Found, of_amounts

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class ClaimedHere:
    """Compares the payments of a day with the gateway's."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def compare(self, event_id: str, day: date, seen: Container[str]) -> list[Found]:
        """``seen`` were captured on the same day, and compared; others are asked for one by one."""
        found = []
        async for payment in self._payments(event_id, day):
            if payment.razorpay_payment_id is None:
                continue  # nothing was to pay
            if payment.razorpay_payment_id in seen:
                continue
            told = await self._asked(payment)
            if told is None or not told.captured:
                found.append(_phantom(payment))
            else:
                found += of_amounts(payment, told)
        return found

    async def _payments(self, event_id: str, day: date) -> AsyncIterator[Payment]:
        for status in TAKEN:
            of_day = lists.payments_by_status(event_id, status, since=day, until=day)
            async for line in self._festival.db.iterate(of_day):
                stored = await self._festival.db.run(reads.payment(event_id, line.payment_id))
                if stored is not None:
                    yield stored

    async def _asked(self, payment: Payment) -> gateway.Payment | None:
        try:
            return await self._festival.gateway.client.payment(payment.razorpay_payment_id or "")
        except NotFound:
            return None


def _phantom(payment: Payment) -> Found:
    return Found(
        "amount_mismatch",
        payment.razorpay_payment_id,
        payment.payment_id,
        payment.amount,
        0,
        "the gateway has captured nothing; see to it",
    )
