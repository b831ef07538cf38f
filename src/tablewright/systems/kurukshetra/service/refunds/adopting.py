"""What the gateway pays back without being asked here: somebody did it over there."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, refused_at, settled
from tablewright.systems.kurukshetra import gateway, reads, refunding
from tablewright.systems.kurukshetra.payments import GatewayEvent, OrderLink, Payment, Refund
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.derived_ids import uuid_of
from tablewright.systems.kurukshetra.service.paid_pages import page_of_capture

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")


def ours(page: PaymentPage, told: gateway.Refund) -> Refund | None:
    """The refund that the gateway speaks of, if it is known here: its receipt is our id."""
    return next(
        (
            each
            for each in page.refunds
            if told.id == each.razorpay_refund_id or told.receipt == each.refund_id
        ),
        None,
    )


class Adopting:
    """Takes refunds over that were begun elsewhere."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def adopt(
        self, payment: Payment, told: gateway.Refund, notice: GatewayEvent | None = None
    ) -> bool:
        """Whether it is known by this; the sender asks what becomes of it.

        One transaction: the refund is new, and there is that much left to pay back. If there is
        not, a refund of our own is in its way, which the gateway will refuse: then comes its time.
        """
        team = await self._festival.db.require(reads.team(payment.event_id, payment.team_id))
        config = await self._festival.events.config(payment.event_id)
        refund = self._refund(payment, told)

        def made() -> Op[object]:
            now = self._festival.events.moment(config)
            mail = self._festival.messages.refund(config, team, payment, told.amount, "gateway")
            return together(refunding.adopt_refund(payment, refund, notice, now), mail)

        try:
            await settled(self._festival.db, made, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
            if notice is not None and refused_at(error, GatewayEvent):
                return await self.adopt(payment, told)
            log.warning("refund %s of the gateway is not adopted yet", told.id)
            return False
        return True

    async def adopt_all(self, link: OrderLink, razorpay_payment_id: str) -> list[str]:
        """Those of one capture that are not known here; their ids at the gateway."""
        told = await self._festival.gateway.client.refunds_of_payment(razorpay_payment_id)
        adopted = []
        for each in told:
            page = await page_of_capture(self._festival, link, razorpay_payment_id)
            if each.status == "failed" or ours(page, each) is not None:
                continue
            if await self.adopt(page.payment, each):
                adopted.append(each.id)
        return adopted

    def _refund(self, payment: Payment, told: gateway.Refund) -> Refund:
        now = self._festival.now()
        return Refund(
            event_id=payment.event_id,
            payment_id=payment.payment_id,
            refund_id=uuid_of("gateway", told.id),
            amount=told.amount,
            reason="begun at the gateway",
            status="pending",
            razorpay_refund_id=told.id,
            razorpay_payment_id=told.payment_id,
            origin="gateway",
            created_at=now,
            updated_at=now,
        )
