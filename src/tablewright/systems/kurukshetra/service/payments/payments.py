"""Money that comes: all of it, for who asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tablewright.systems.kurukshetra.payments import GatewayEvent, Payment
from tablewright.systems.kurukshetra.service.payments.captures import (
    Applied,
    Captured,
    Captures,
    captured_of,
)
from tablewright.systems.kurukshetra.service.payments.deliveries import Deliveries, WebhookAnswer
from tablewright.systems.kurukshetra.service.payments.polling import Polling
from tablewright.systems.kurukshetra.service.payments.timeline import PaymentView, Timeline
from tablewright.systems.kurukshetra.service.payments.verifying import Verifying

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra import gateway
    from tablewright.systems.kurukshetra.bodies.payments import VerifyIn
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival


class Payments:
    """Captures: verified, told or found, each has one effect."""

    def __init__(self, festival: Festival) -> None:
        self.captures = Captures(festival)
        self._deliveries = Deliveries(festival, self.captures)
        self._verifying = Verifying(festival, self.captures)
        self._polling = Polling(festival, self.captures)
        self._timeline = Timeline(festival)

    async def verify(self, by: Caller, body: VerifyIn) -> Payment:
        """What a browser brings back from the checkout; the payment as it is then. [T4]"""
        return await self._verifying.verify(by, body)

    async def webhook(self, body: bytes, headers: Mapping[str, str]) -> WebhookAnswer:
        """What the gateway tells: the bytes as they came, with their signature. [T4, T4b]"""
        return await self._deliveries.take(body, headers)

    async def apply(self, fact: Captured, notice: GatewayEvent | None = None) -> Applied:
        """The effect of a capture, once, whoever tells of it. [T4, T4b]"""
        return await self.captures.apply(fact, notice)

    async def apply_told(self, told: gateway.Payment) -> Applied | None:
        """The same of a gateway's document; None if it tells of no capture."""
        fact = captured_of(told)
        return None if fact is None else await self.captures.apply(fact)

    async def poll(self) -> int:
        """Apply captures that nobody told of; how many there were."""
        return await self._polling.poll()

    async def read(self, by: Caller, payment_id: str) -> PaymentView:
        """A payment with its refunds and its life."""
        return await self._timeline.read(by, payment_id)

    async def nothing(self, notice: GatewayEvent, result: str) -> str:
        """Note a delivery that changes nothing; ``duplicate`` if it was noted before."""
        return await self._deliveries.nothing(notice, result)
