"""What the gateway tells unasked, which may come twice, late, and in any order.

A delivery costs two reads and one transaction, and one more read if it makes a team paid. That it
was seen is written with its effect, or alone if it has none; what must happen once is tied to the
payment or the refund itself.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tablewright.model import Op, together
from tablewright.model.errors import TablewrightError, TransactionCancelled
from tablewright.service.conflicts import refused, refused_at, settled
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import gateway, paying, reads
from tablewright.systems.kurukshetra.gateway import BadWebhook, Event, opened
from tablewright.systems.kurukshetra.payments import GatewayEvent
from tablewright.systems.kurukshetra.rules.payment_states import step, told
from tablewright.systems.kurukshetra.rules.retention import DELIVERY
from tablewright.systems.kurukshetra.service.payments.captures import (
    Captures,
    Subject,
    captured_of,
)

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: How long a delivery is known again.
_STATUS: Final = {"BAD_SIGNATURE": 400, "MALFORMED": 400, "TOO_LARGE": 413}


@dataclass(frozen=True)
class WebhookAnswer:
    """What came of a delivery."""

    event_id: str
    result: str


class Deliveries:
    """Takes what the gateway tells."""

    def __init__(self, festival: Festival, captures: Captures) -> None:
        self._festival = festival
        self._captures = captures
        self._count = festival.runtime.metrics.counter(
            "kurukshetra_deliveries",
            "Deliveries of the gateway, by what came of them",
            ("type", "result"),
        )

    async def take(self, body: bytes, headers: Mapping[str, str]) -> WebhookAnswer:
        """Problems: 400 if it is not genuine; 500 if it could not be written: it comes again."""
        event = self._opened(body, headers)
        try:
            result = await self._taken(event)
        except TablewrightError as error:
            raise _again(event) from error
        except Problem as problem:
            if problem.status < 500:
                raise
            raise _again(event) from problem
        log.info("gateway event %s, %s: %s", event.id, event.type, result)
        self._count.labels(type=event.type if event.known else "other", result=result).inc()
        return WebhookAnswer(event.id, result)

    def _opened(self, body: bytes, headers: Mapping[str, str]) -> Event:
        try:
            return opened(body, headers, self._festival.gateway.secrets())
        except BadWebhook as bad:
            log.warning("a delivery is not taken: %s", bad)
            raise Problem(_STATUS[bad.code], bad.code, f"Not taken: {bad}.") from None

    async def _taken(self, event: Event) -> str:
        notice = self._notice(event)
        if event.refund is not None:
            return await self._festival.refunds.told(event, notice)
        said = told(event.type)
        if said == "paid":
            return await self._captured(event, notice)
        if (said == "failed" or said == "authorized") and event.payment is not None:
            return await self._attempted(event.payment, said, notice)
        return await self.nothing(notice, "ignored")

    async def _captured(self, event: Event, notice: GatewayEvent) -> str:
        fact = captured_of(event.payment)
        if fact is None:
            return await self.nothing(notice, "ignored")
        return (await self._captures.apply(fact, notice)).result

    # --- attempts --------------------------------------------------------------------------------

    async def _attempted(
        self,
        attempt: gateway.Payment,
        said: Literal["failed", "authorized"],
        notice: GatewayEvent,
    ) -> str:
        """An attempt failed, or is not captured yet; a payment that is higher stays so."""
        if attempt.order_id is None:
            return await self.nothing(notice, "ignored")
        link = await self._festival.db.run(reads.order_link(attempt.order_id))
        if link is None:
            return await self.nothing(notice, "unknown_order")
        known = await self._captures.subject(link, attempt.id)
        if step(known.payment.status, said) != "rise":
            return await self.nothing(notice, "logged")
        op = self._risen(known, said, notice.model_copy(update={"result": said}))
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
            if refused_at(error, GatewayEvent):
                return "duplicate"
            # It has risen in between.
            return await self.nothing(notice, "logged")
        return said

    def _risen(
        self, known: Subject, said: Literal["failed", "authorized"], notice: GatewayEvent
    ) -> Op[object]:
        op = paying.note_attempt(known.payment, said, notice, self._festival.now())
        if said != "failed":
            return op
        mail = self._festival.messages.payment_failed(known.config, known.team, known.payment)
        return together(op, mail)

    # --- what was seen ---------------------------------------------------------------------------

    async def nothing(self, notice: GatewayEvent, result: str) -> str:
        """Only that it was seen."""
        fresh = await self._captures.noted(notice.model_copy(update={"result": result}))
        return result if fresh else "duplicate"

    def _notice(self, event: Event) -> GatewayEvent:
        now = self._festival.now()
        return GatewayEvent(
            gateway_event_id=event.id,
            type=event.type,
            order_id=event.order_id,
            razorpay_payment_id=None if event.payment is None else event.payment.id,
            razorpay_refund_id=None if event.refund is None else event.refund.id,
            result="seen",
            created_at=now,
            ttl=now + DELIVERY,
        )


def _again(event: Event) -> Problem:
    log.warning("gateway event %s, %s: not written, it has to come again", event.id, event.type)
    return Problem(500, "NOT_APPLIED", "It could not be written down. Deliver it again.")
