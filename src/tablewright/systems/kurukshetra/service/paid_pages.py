"""Payments with their refunds, which may not be there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.model.errors import Incomplete
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.payments import OrderLink, Refund
from tablewright.systems.kurukshetra.reads import PaymentPage

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


async def page_of(festival: Festival, event_id: str, payment_id: str) -> PaymentPage | None:
    """A payment with its refunds; None if there is none."""
    try:
        return await festival.db.run(reads.payment_page(event_id, payment_id))
    except Incomplete:
        return None


async def page_of_capture(
    festival: Festival, link: OrderLink, razorpay_payment_id: str
) -> PaymentPage:
    """Read the payment that a capture of an order belongs to, with its refunds.

    It is the order's, unless that was refused for a wrong amount and another took its place.
    """
    lock = await festival.db.run(reads.payment_lock(razorpay_payment_id))
    owner = link.payment_id if lock is None else lock.owner
    return await festival.db.run(reads.payment_page(link.event_id, owner))


def refund_in(page: PaymentPage | None, refund_id: str) -> Refund | None:
    refunds = () if page is None else page.refunds
    return next((each for each in refunds if each.refund_id == refund_id), None)
