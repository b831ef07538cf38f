"""What a browser brings back from the checkout.

It is proof that the gateway took a payment for an order, and nothing else: whose the order is, what
it costs and whether the money came is not asked of a browser.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tablewright.service.problems import Problem, not_found
from tablewright.systems.kurukshetra import gateway, reads
from tablewright.systems.kurukshetra.gateway import GatewayFailed, NotFound, verify_payment
from tablewright.systems.kurukshetra.payments import OrderLink, Payment
from tablewright.systems.kurukshetra.service.paid_pages import page_of_capture
from tablewright.systems.kurukshetra.service.payments.captures import Captures, captured_of

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.bodies.payments import VerifyIn
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")


class Verifying:
    """Checks what browsers bring."""

    def __init__(self, festival: Festival, captures: Captures) -> None:
        self._festival = festival
        self._captures = captures

    async def verify(self, by: Caller, body: VerifyIn) -> Payment:
        """The payment as it is after it; the gateway is asked whether the money came. [T4]

        Problems: 404 for an order that is not of the caller's team, 400 BAD_SIGNATURE, 402
        PAYMENT_FAILED, 503 GATEWAY_UNAVAILABLE.
        """
        link = await self._link(by, body.razorpay_order_id)
        self._check_signature(body)
        told = await self._asked(body)
        if told.order_id != link.order_id or told.status == "failed":
            raise _failed()
        fact = captured_of(told)
        if fact is not None:
            await self._captures.apply(fact)
        # If it is only authorized by now, the gateway will tell of the rest.
        return (await page_of_capture(self._festival, link, told.id)).payment

    async def _link(self, by: Caller, order_id: str) -> OrderLink:
        link = await self._festival.db.run(reads.order_link(order_id))
        if link is None or link.event_id != by.event_id or by.participant_id is None:
            raise not_found("order")
        # As it is: who has left the team has no business here.
        person = await self._festival.db.run(reads.participant(by.event_id, by.participant_id))
        if person is None or person.team_id != link.team_id:
            raise not_found("order")
        return link

    def _check_signature(self, body: VerifyIn) -> None:
        secret = self._festival.gateway.credentials.key_secret.get_secret_value()
        signed = verify_payment(
            body.razorpay_order_id, body.razorpay_payment_id, body.razorpay_signature, secret
        )
        if not signed:
            log.warning("a browser brought a signature that is none")
            detail = "The signature is not that of this order and this payment."
            raise Problem(400, "BAD_SIGNATURE", detail)

    async def _asked(self, body: VerifyIn) -> gateway.Payment:
        try:
            async with self._festival.gateway.while_waited_for():
                return await self._festival.gateway.client.payment(body.razorpay_payment_id)
        except NotFound:
            raise _failed() from None
        except GatewayFailed as error:
            log.warning("a payment could not be checked: %s", error)
            detail = "The payment cannot be checked at the moment. If it was made, it will count."
            headers = {"Retry-After": "5"}
            raise Problem(503, "GATEWAY_UNAVAILABLE", detail, headers=headers) from error


def _failed() -> Problem:
    return Problem(402, "PAYMENT_FAILED", "The payment has failed. Nothing was paid; try again.")
