"""The gateway's order for a payment: made once, and found again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.systems.kurukshetra import paying, reads
from tablewright.systems.kurukshetra.gateway import GatewayFailed, Refused
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.gateway import unavailable
from tablewright.systems.kurukshetra.service.turns import Turns

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")


class Ordering:
    """Orders at the gateway; the receipt of each is the payment's id."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._turns = Turns()

    async def ordered(self, payment: Payment) -> Payment:
        """The payment with its order.

        Two tabs of one process wait for each other. Two processes, or one that was killed in
        between, find what was made by its receipt; should both have made one, the first that is
        written down is everybody's, and the other is never shown to anybody.
        """
        if payment.razorpay_order_id is not None:
            return payment
        try:
            # With the turn: who has to wait for another tab does not wait for longer.
            async with (
                self._festival.gateway.while_waited_for(),
                self._turns.of(payment.payment_id),
            ):
                latest = await self._again(payment)
                if latest.razorpay_order_id is not None:
                    return latest
                return await self._attached(latest, await self._order_id(latest))
        except GatewayFailed as error:
            log.log(
                logging.ERROR if isinstance(error, Refused) else logging.WARNING,
                "no order for payment %s: %s",
                payment.payment_id,
                error,
            )
            raise unavailable(error) from error

    async def _order_id(self, payment: Payment) -> str:
        order = await self._festival.gateway.client.order_for(
            payment.amount,
            payment.currency,
            receipt=payment.payment_id,
            notes={"event": payment.event_id, "team": payment.team_id},
        )
        return order.id

    async def _attached(self, payment: Payment, order_id: str) -> Payment:
        """Transaction T3b, on condition that the payment has no order yet."""
        op = paying.attach_order(payment, order_id, self._festival.now())
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
        latest = await self._again(payment)
        if latest.razorpay_order_id is None:
            raise unavailable()
        return latest

    async def _again(self, payment: Payment) -> Payment:
        return await self._festival.db.require(reads.payment(payment.event_id, payment.payment_id))
