"""Orders, payments and refunds: what is read of the gateway's documents.

A payment also has the payer's address and number in it. They are not read, so that they can get
neither into the table nor into a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar, get_args

OrderStatus: TypeAlias = Literal["created", "attempted", "paid"]
PaymentStatus: TypeAlias = Literal["created", "authorized", "captured", "refunded", "failed"]
RefundStatus: TypeAlias = Literal["pending", "processed", "failed"]
#: How much of a payment went back.
RefundedPart: TypeAlias = Literal["partial", "full"]

#: An entity or an event, as JSON has it.
Document: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


class Unreadable(ValueError):
    """A document that lacks something, or has it in another form."""


@dataclass(frozen=True, slots=True)
class Order:
    id: str
    #: In minor units, like all amounts here.
    amount: int
    amount_paid: int
    amount_due: int
    currency: str
    receipt: str | None
    status: OrderStatus
    attempts: int
    #: Seconds since the epoch; 0 where the gateway has left it out, since nothing is decided by it.
    created_at: int
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class PaymentError:
    """Why a payment failed."""

    code: str
    description: str | None
    source: str | None
    step: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Payment:
    id: str
    order_id: str | None
    amount: int
    currency: str
    status: PaymentStatus
    captured: bool
    amount_refunded: int
    refund_status: RefundedPart | None
    method: str | None
    created_at: int
    error: PaymentError | None = None


@dataclass(frozen=True, slots=True)
class Refund:
    id: str
    payment_id: str
    amount: int
    currency: str
    status: RefundStatus
    receipt: str | None
    created_at: int
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)


def order(document: Document) -> Order:
    return Order(
        id=_text(document, "id"),
        amount=_amount(document, "amount"),
        amount_paid=_amount(document, "amount_paid"),
        amount_due=_amount(document, "amount_due"),
        currency=_text(document, "currency"),
        receipt=_optional(document, "receipt"),
        status=_one_of(document, "status", get_args(OrderStatus)),
        attempts=_amount_or_none(document, "attempts") or 0,
        created_at=_amount_or_none(document, "created_at") or 0,
        notes=_notes(document),
    )


def payment(document: Document) -> Payment:
    part = document.get("refund_status")
    return Payment(
        id=_text(document, "id"),
        order_id=_optional(document, "order_id"),
        amount=_amount(document, "amount"),
        currency=_text(document, "currency"),
        status=_one_of(document, "status", get_args(PaymentStatus)),
        captured=_captured(document),
        amount_refunded=_amount_or_none(document, "amount_refunded") or 0,
        refund_status=part if part in get_args(RefundedPart) else None,
        method=_optional(document, "method"),
        created_at=_amount_or_none(document, "created_at") or 0,
        error=_error(document),
    )


def refund(document: Document) -> Refund:
    return Refund(
        id=_text(document, "id"),
        payment_id=_text(document, "payment_id"),
        amount=_amount(document, "amount"),
        currency=_text(document, "currency"),
        status=_one_of(document, "status", get_args(RefundStatus)),
        receipt=_optional(document, "receipt"),
        created_at=_amount_or_none(document, "created_at") or 0,
        notes=_notes(document),
    )


def _error(document: Document) -> PaymentError | None:
    code = _optional(document, "error_code")
    if code is None:
        return None
    return PaymentError(
        code=code,
        description=_optional(document, "error_description"),
        source=_optional(document, "error_source"),
        step=_optional(document, "error_step"),
        reason=_optional(document, "error_reason"),
    )


def _captured(document: Document) -> bool:
    """Only true is true: money that came is not guessed."""
    return document.get("captured") is True


def _text(document: Document, name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not value:
        raise Unreadable(f"{name} is missing")
    return value


def _optional(document: Document, name: str) -> str | None:
    value = document.get(name)
    return value if isinstance(value, str) and value else None


def _amount(document: Document, name: str) -> int:
    value = document.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Unreadable(f"{name} is no amount")
    return value


def _amount_or_none(document: Document, name: str) -> int | None:
    """An amount that may be left out; one in another form is refused."""
    return None if document.get(name) is None else _amount(document, name)


def _one_of(document: Document, name: str, allowed: tuple[T, ...]) -> T:
    value = document.get(name)
    for each in allowed:
        if value == each:
            return each
    raise Unreadable(f"{name} is none that is known")


def _notes(document: Document) -> dict[str, str]:
    """Without any, the gateway tells an empty list."""
    notes = document.get("notes")
    return {str(k): str(v) for k, v in notes.items()} if isinstance(notes, dict) else {}
