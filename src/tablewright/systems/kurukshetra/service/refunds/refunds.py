"""Money that goes back: all of it, for who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.payments import GatewayEvent, OrderLink, Refund
from tablewright.systems.kurukshetra.refunding import of_own_capture
from tablewright.systems.kurukshetra.service.paid_pages import (
    page_of,
    page_of_capture,
    refund_in,
)
from tablewright.systems.kurukshetra.service.refunds.adopting import Adopting, ours
from tablewright.systems.kurukshetra.service.refunds.ending import Ending
from tablewright.systems.kurukshetra.service.refunds.requesting import Requesting
from tablewright.systems.kurukshetra.service.refunds.sending import Sending

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra import gateway
    from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
    from tablewright.systems.kurukshetra.reads import PaymentPage
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival
    from tablewright.systems.kurukshetra.teams import Team


class Refunds:
    """Money that goes back."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._ending = Ending(festival)
        self._adopting = Adopting(festival)
        self._requesting = Requesting(festival)
        self._sending = Sending(festival, self._ending, self._adopting)

    async def refund(
        self, by: Caller, team_id: str, body: RefundIn, *, key: str | None = None
    ) -> Refund:
        """Pay something back to a team, and perhaps take its seat. [T7]

        The same ``key`` asks for the same refund, however often; without one only all that is left
        can go back. The gateway is asked at once; if that fails, the worker does it.
        """
        made = await self._requesting.request(by, team_id, body, key)
        if made.status == "requested":
            await self._sending.try_now(made)
        page = await page_of(self._festival, made.event_id, made.payment_id)
        return refund_in(page, made.refund_id) or made

    async def release(self, by: Caller, team_id: str) -> Team:
        """Take a paid team's seat, without paying anything back."""
        return await self._requesting.release(by, team_id)

    async def send_due(self) -> int:
        """Ask the gateway about refunds whose time has come; how many there were."""
        return await self._sending.send_due()

    async def adopt_all(self, link: OrderLink, razorpay_payment_id: str) -> list[str]:
        """Take over what the gateway pays back of a capture without being asked here."""
        return await self._adopting.adopt_all(link, razorpay_payment_id)

    async def told(self, event: gateway.Event, notice: GatewayEvent) -> str:
        """What the gateway tells of a refund, and what came of it."""
        payments = self._festival.payments
        if event.refund is None or event.order_id is None:
            return await payments.nothing(notice, "ignored")
        link = await self._festival.db.run(reads.order_link(event.order_id))
        if link is None:
            return await payments.nothing(notice, "unknown_order")
        page = await page_of_capture(self._festival, link, event.refund.payment_id)
        known = ours(page, event.refund)
        if known is None:
            return await self._foreign(link, page, event, notice)
        result = await self._ending.became(page, known, event.refund, notice)
        return result if result != "logged" else await payments.nothing(notice, result)

    # --- inside ----------------------------------------------------------------------------------

    async def _foreign(
        self, link: OrderLink, page: PaymentPage, event: gateway.Event, notice: GatewayEvent
    ) -> str:
        payments, told = self._festival.payments, event.refund
        assert told is not None
        if told.status == "failed":
            return await payments.nothing(notice, "ignored")
        if not _seen(page, told.payment_id) and event.payment is not None:
            # It was overtaken by what came of it.
            await payments.apply_told(event.payment)
            page = await page_of_capture(self._festival, link, told.payment_id)
        if await self._adopting.adopt(page.payment, told, notice):
            return "refund_adopted"
        return await payments.nothing(notice, "logged")


def _seen(page: PaymentPage, razorpay_payment_id: str) -> bool:
    """Whether a capture had its effect, as far as the payment and its refunds tell."""
    if page.payment.razorpay_payment_id == razorpay_payment_id:
        return True
    return any(
        each.razorpay_payment_id == razorpay_payment_id and not of_own_capture(page.payment, each)
        for each in page.refunds
    )
