"""Deliveries: whether one is genuine, and what it tells.

A delivery may come twice, late, and after one that happened later. Its id is the same each time,
but it stands in a header, which is not signed: it only saves work. What must happen once has to be
tied to the payment or the refund itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import orjson

from tablewright.systems.kurukshetra.gateway import records
from tablewright.systems.kurukshetra.gateway.records import (
    Document,
    Order,
    Payment,
    Refund,
    Unreadable,
)
from tablewright.systems.kurukshetra.gateway.signatures import verify_webhook

SIGNATURE, EVENT_ID = "X-Razorpay-Signature", "X-Razorpay-Event-Id"
MOST_BYTES = 256 * 1024
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")

#: What we act on; there are more, which are only logged.
Known: TypeAlias = Literal[
    "payment.authorized",
    "payment.captured",
    "payment.failed",
    "order.paid",
    "refund.created",
    "refund.processed",
    "refund.failed",
]
KNOWN: frozenset[str] = frozenset(get_args(Known))
BadCode: TypeAlias = Literal["BAD_SIGNATURE", "TOO_LARGE", "MALFORMED"]
T = TypeVar("T")


class BadWebhook(Exception):
    """A delivery that is not taken; the text may be shown."""

    def __init__(self, code: BadCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, and all that took part in it as it was at that moment."""

    id: str
    type: str
    created_at: int
    order: Order | None = None
    payment: Payment | None = None
    refund: Refund | None = None

    @property
    def known(self) -> bool:
        return self.type in KNOWN

    @property
    def order_id(self) -> str | None:
        if self.order is not None:
            return self.order.id
        return self.payment.order_id if self.payment is not None else None


def opened(body: bytes, headers: Mapping[str, str], secrets: Iterable[str]) -> Event:
    """The event of a genuine delivery; BadWebhook for any other. Nothing is parsed before."""
    if len(body) > MOST_BYTES:
        raise BadWebhook("TOO_LARGE", f"more than {MOST_BYTES} bytes")
    given = {name.lower(): value for name, value in headers.items()}
    if not verify_webhook(body, given.get(SIGNATURE.lower(), ""), secrets):
        raise BadWebhook("BAD_SIGNATURE", "the signature is not that of the body")
    try:
        return _event(event_id(body, given.get(EVENT_ID.lower())), _document(body))
    except Unreadable as error:
        raise BadWebhook("MALFORMED", f"the event cannot be read: {error}") from error


def event_id(body: bytes, told: str | None) -> str:
    """As the header tells; a delivery without a usable one is known by its bytes."""
    if told is not None and _ID.fullmatch(told):
        return told
    return hashlib.sha256(body).hexdigest()


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Unreadable("it is no document")
    return found


def _event(identity: str, document: Document) -> Event:
    kind, created_at = document.get("event"), document.get("created_at")
    if not isinstance(kind, str) or not kind or len(kind) > 60:
        raise Unreadable("event is missing")
    told = Event(identity, kind, created_at if isinstance(created_at, int) else 0)
    # Whatever else happens there may have entities in a form that we never heard of.
    return _with_entities(told, document) if told.known else told


def _with_entities(event: Event, document: Document) -> Event:
    found = Event(
        id=event.id,
        type=event.type,
        created_at=event.created_at,
        order=_entity(document, "order", records.order),
        payment=_entity(document, "payment", records.payment),
        refund=_entity(document, "refund", records.refund),
    )
    subject = event.type.partition(".")[0]
    if getattr(found, subject) is None:
        raise Unreadable(f"it has no {subject}")
    return found


def _entity(document: Document, name: str, read: Callable[[Document], T]) -> T | None:
    payload = document.get("payload")
    wrapped = payload.get(name) if isinstance(payload, dict) else None
    entity = wrapped.get("entity") if isinstance(wrapped, dict) else None
    return read(entity) if isinstance(entity, dict) else None
