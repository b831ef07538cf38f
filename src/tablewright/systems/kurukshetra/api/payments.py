"""``payment``: what browsers and the gateway say; and a payment's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request

from tablewright.service.problem_answers import refusals
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import EventId, PaymentId, caller_of, role_of
from tablewright.systems.kurukshetra.bodies.payments import (
    PaymentOut,
    PaymentPageOut,
    VerifyIn,
    WebhookOut,
    payment_out,
    payment_page_out,
)
from tablewright.systems.kurukshetra.gateway.webhooks import MOST_BYTES
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_SIGNED = {
    "parameters": [
        {
            "name": "X-Razorpay-Signature",
            "in": "header",
            "required": True,
            "description": "HMAC-SHA256 of the body's bytes, with the webhook's secret.",
            "schema": {"type": "string"},
        }
    ],
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}}},
    },
}


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Payments"])
    anybody = Depends(caller_of(festival))
    finance = Depends(role_of(festival, "finance", "auditor"))

    @routes.post(
        "/events/{e}/payment/verify",
        responses=refusals(
            404,
            {
                400: "`BAD_SIGNATURE`: it is not that of this order and this payment.",
                402: "`PAYMENT_FAILED`: nothing was paid.",
                503: "`GATEWAY_UNAVAILABLE`, `BUSY`: if it was paid, it will count.",
            },
        ),
    )
    async def verify_payment(e: EventId, body: VerifyIn, by: Caller = anybody) -> PaymentOut:
        """What the checkout has handed to the browser of a member; its team is paid by it."""
        return payment_out(await festival.payments.verify(by, body))

    @routes.post(
        "/payment/webhook",
        openapi_extra=_SIGNED,
        responses=refusals(
            {
                400: "`BAD_SIGNATURE`, `MALFORMED`.",
                413: "`TOO_LARGE`: more than 256 KiB.",
                500: "`NOT_APPLIED`: it could not be written down; deliver it again.",
            }
        ),
    )
    async def take_delivery(request: Request) -> WebhookOut:
        """For the gateway. A delivery may come often, late and in any order."""
        body = await _body(request)
        answer = await festival.payments.webhook(body, request.headers)
        return WebhookOut(result=answer.result)

    @routes.get("/events/{e}/admin/payments/{y}", responses=refusals(404))
    async def get_payment(e: EventId, y: PaymentId, by: Caller = finance) -> PaymentPageOut:
        """A payment with its refunds and its life, as far as the gateway tells."""
        return payment_page_out(await festival.payments.read(by, y))

    return routes


async def _body(request: Request) -> bytes:
    """The bytes as they came; no more than can be a delivery."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > MOST_BYTES:
            raise Problem(413, "TOO_LARGE", f"A delivery has at most {MOST_BYTES} bytes.")
    return bytes(found)
