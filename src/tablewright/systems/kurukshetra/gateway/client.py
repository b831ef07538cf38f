"""The requests there are: Razorpay's Orders, Payments and Refunds.

Creating an order has no key of its own that would make it safe to repeat; its receipt does not
have to be unique. So it is asked once, and after an unknown outcome looked for by its receipt. A
refund is created under a key, and can be repeated.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import orjson

from tablewright.clock import Clock, SystemClock
from tablewright.systems.kurukshetra.gateway import records
from tablewright.systems.kurukshetra.gateway.credentials import Credentials
from tablewright.systems.kurukshetra.gateway.exchange import TIMEOUT_SECS, Exchange, Request
from tablewright.systems.kurukshetra.gateway.failures import (
    GatewayFailed,
    NotFound,
    OutcomeUnknown,
)
from tablewright.systems.kurukshetra.gateway.records import (
    Document,
    Order,
    Payment,
    Refund,
    Unreadable,
)
from tablewright.systems.kurukshetra.gateway.tries import Pace, Sleep, tried

BASE_URL = "https://api.razorpay.com"
#: What is listed comes in pages of so many, which is the most there may be.
PAGE_SIZE = 100
_MOST_PAGES = 100
_ID = re.compile(r"[A-Za-z0-9_]{1,80}")
T = TypeVar("T", Order, Payment, Refund)
R = TypeVar("R")


class Razorpay:
    """Asks the gateway. Failures are those of :mod:`.failures`."""

    def __init__(
        self,
        credentials: Credentials,
        *,
        base_url: str = BASE_URL,
        timeout: float = TIMEOUT_SECS,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.credentials = credentials
        self.base_url = base_url
        self._exchange = Exchange(base_url, credentials, clock or SystemClock(), timeout)
        self._pace = Pace(sleep, jitter)

    async def close(self) -> None:
        await self._exchange.close()

    # --- orders ----------------------------------------------------------------------------------

    async def create_order(
        self,
        amount: int,
        currency: str,
        receipt: str,
        notes: Mapping[str, str] | None = None,
    ) -> Order:
        """A new order, also if there is one with this receipt; OutcomeUnknown if that is open."""
        body = {
            "amount": amount,
            "currency": currency,
            "receipt": receipt,
            "notes": dict(notes or {}),
        }
        request = Request("POST", "/v1/orders", "once", body=orjson.dumps(body))
        return await self._one(request, records.order)

    async def order_for(
        self,
        amount: int,
        currency: str,
        receipt: str,
        notes: Mapping[str, str] | None = None,
    ) -> Order:
        """The order with this receipt; it is created if there is none.

        OutcomeUnknown if it may have been created without being listed yet: asking again finds it.
        """
        found = await self._made(amount, currency, receipt)
        if found is not None:
            return found
        try:
            return await self.create_order(amount, currency, receipt, notes)
        except OutcomeUnknown as unknown:
            try:
                found = await self._made(amount, currency, receipt)
            except GatewayFailed:
                # That nobody could look says nothing about the order.
                raise unknown from None
            if found is None:
                raise
            return found

    async def order(self, order_id: str) -> Order:
        return await self._one(_get(f"/v1/orders/{_part(order_id)}"), records.order)

    async def orders(self, receipt: str) -> tuple[Order, ...]:
        """Those with this receipt, the oldest first."""
        found = await self._listed("/v1/orders", records.order, {"receipt": receipt})
        # Others are no business of ours, should a gateway look for parts of receipts.
        return tuple(each for each in found if each.receipt == receipt)

    async def payments_of_order(self, order_id: str) -> tuple[Payment, ...]:
        """All attempts to pay it, the oldest first."""
        path = f"/v1/orders/{_part(order_id)}/payments"
        return _in_order(await self._page(_get(path), records.payment))

    async def _made(self, amount: int, currency: str, receipt: str) -> Order | None:
        """Always the same one, should two have been created; one that was paid comes first."""
        wanted = [
            each
            for each in await self.orders(receipt)
            if (each.amount, each.currency) == (amount, currency)
        ]
        return min(wanted, key=lambda each: each.status != "paid", default=None)

    # --- payments --------------------------------------------------------------------------------

    async def payment(self, payment_id: str) -> Payment:
        return await self._one(_get(f"/v1/payments/{_part(payment_id)}"), records.payment)

    async def payments(self, since: int, until: int) -> tuple[Payment, ...]:
        """Those begun within these times (both included), the oldest first."""
        wanted = {"from": str(since), "to": str(until)}
        return await self._listed("/v1/payments", records.payment, wanted)

    # --- refunds ---------------------------------------------------------------------------------

    async def create_refund(
        self,
        payment_id: str,
        amount: int,
        key: str,
        notes: Mapping[str, str] | None = None,
    ) -> Refund:
        """The refund of this key, however often it is asked for with the same amount."""
        body = {"amount": amount, "speed": "normal", "receipt": key, "notes": dict(notes or {})}
        request = Request(
            "POST",
            f"/v1/payments/{_part(payment_id)}/refund",
            "safe",
            # Sorted, since a repeat has to be the same to the byte.
            body=orjson.dumps(body, option=orjson.OPT_SORT_KEYS),
            headers={"X-Refund-Idempotency": key},
        )
        return await self._one(request, records.refund)

    async def refund(self, refund_id: str) -> Refund:
        return await self._one(_get(f"/v1/refunds/{_part(refund_id)}"), records.refund)

    async def refunds_of_payment(self, payment_id: str) -> tuple[Refund, ...]:
        """Whoever began them, the oldest first."""
        return await self._listed(f"/v1/payments/{_part(payment_id)}/refunds", records.refund, {})

    # --- asking ----------------------------------------------------------------------------------

    async def _asked(self, request: Request, read: Callable[[dict[str, Any]], R]) -> R:
        async def once() -> R:
            document = await self._exchange.asked(request)
            try:
                return read(document)
            except Unreadable as error:
                raise OutcomeUnknown("BAD_ANSWER", f"the gateway's answer: {error}") from error

        return await tried(once, request.repeat, self._pace)

    async def _one(self, request: Request, read: Callable[[Document], T]) -> T:
        return await self._asked(request, read)

    async def _page(self, request: Request, read: Callable[[Document], T]) -> list[T]:
        return await self._asked(request, lambda document: _items(document, read))

    async def _listed(
        self, path: str, read: Callable[[Document], T], wanted: Mapping[str, str]
    ) -> tuple[T, ...]:
        """All pages. The newest come first, so what is new meanwhile shifts the rest: by id."""
        found: dict[str, T] = {}
        for number in range(_MOST_PAGES):
            window = {"count": str(PAGE_SIZE), "skip": str(number * PAGE_SIZE)}
            page = await self._page(_get(path, {**wanted, **window}), read)
            found.update({each.id: each for each in page})
            if len(page) < PAGE_SIZE:
                break
        return _in_order(list(found.values()))


def _get(path: str, params: Mapping[str, str] | None = None) -> Request:
    return Request("GET", path, "read", params=params or {})


def _part(identity: str) -> str:
    """An id as a part of a path. Some come from a browser: they must not lead elsewhere."""
    if not _ID.fullmatch(identity):
        raise NotFound("NOT_FOUND", "the gateway has no such ids")
    return identity


def _items(document: Document, read: Callable[[Document], T]) -> list[T]:
    items = document.get("items")
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise Unreadable("items are missing")
    return [read(each) for each in items]


def _in_order(found: list[T]) -> tuple[T, ...]:
    return tuple(sorted(found, key=lambda each: (each.created_at, each.id)))
