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


async def page_behind(festival: Festival, link: OrderLink) -> PaymentPage:
    """The payment of an order, which is there: both are for ever."""
    return await festival.db.run(reads.payment_page(link.event_id, link.payment_id))


def refund_in(page: PaymentPage | None, refund_id: str) -> Refund | None:
    refunds = () if page is None else page.refunds
    return next((each for each in refunds if each.refund_id == refund_id), None)
