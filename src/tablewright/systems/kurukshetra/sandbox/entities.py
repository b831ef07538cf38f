"""Documents of orders, payments, refunds and events, with the members of the gateway's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Document: TypeAlias = dict[str, Any]

_ACCOUNT = "acc_Sandbox0000000"
#: Two percent, and of that the tax.
_FEE_PERCENT, _TAX_PERCENT = 2, 18


def order(identity: str, request: Mapping[str, Any], now: float) -> Document:
    return {
        "id": identity,
        "entity": "order",
        "amount": request["amount"],
        "amount_paid": 0,
        "amount_due": request["amount"],
        "currency": request["currency"],
        "receipt": request.get("receipt"),
        "offer_id": None,
        "status": "created",
        "attempts": 0,
        "notes": notes(request),
        "created_at": int(now),
    }


def payment(identity: str, order: Document, method: str, now: float) -> Document:
    """An attempt, of which nothing is known yet. There is nobody's address in it."""
    return {
        "id": identity,
        "entity": "payment",
        "amount": order["amount"],
        "currency": order["currency"],
        "status": "created",
        "order_id": order["id"],
        "invoice_id": None,
        "international": False,
        "method": method,
        "amount_refunded": 0,
        "refund_status": None,
        "captured": False,
        "description": None,
        "card_id": None,
        "bank": "HDFC" if method == "netbanking" else None,
        "wallet": None,
        "vpa": "success@razorpay" if method == "upi" else None,
        "email": "payer@example.com",
        "contact": "+910000000000",
        "notes": order["notes"],
        "fee": None,
        "tax": None,
        "error_code": None,
        "error_description": None,
        "error_source": None,
        "error_step": None,
        "error_reason": None,
        "acquirer_data": {},
        "created_at": int(now),
    }


def captured(payment: Document) -> Document:
    base = payment["amount"] * _FEE_PERCENT // 100
    tax = base * _TAX_PERCENT // 100
    return {**payment, "status": "captured", "captured": True, "fee": base + tax, "tax": tax}


def failed(payment: Document) -> Document:
    return {
        **payment,
        "status": "failed",
        "error_code": "BAD_REQUEST_ERROR",
        "error_description": "Your payment was declined by the bank. Try another method.",
        "error_source": "bank",
        "error_step": "payment_authorization",
        "error_reason": "payment_declined",
    }


def with_refunded(payment: Document, refunded: int) -> Document:
    """A payment of which so much has gone back."""
    full = refunded == payment["amount"]
    return {
        **payment,
        "amount_refunded": refunded,
        "refund_status": ("full" if full else "partial") if refunded else None,
        "status": "refunded" if full else "captured",
    }


def refund(identity: str, payment: Document, request: Mapping[str, Any], now: float) -> Document:
    return {
        "id": identity,
        "entity": "refund",
        "amount": request["amount"],
        "currency": payment["currency"],
        "payment_id": payment["id"],
        "notes": notes(request),
        "receipt": request.get("receipt"),
        "acquirer_data": {"arn": None},
        "created_at": int(now),
        "batch_id": None,
        "status": "pending",
        "speed_processed": "normal",
        "speed_requested": request.get("speed", "normal"),
    }


def event(kind: str, entities: Mapping[str, Document], now: float) -> Document:
    """What is delivered: each entity as it was at this moment."""
    return {
        "entity": "event",
        "account_id": _ACCOUNT,
        "event": kind,
        "contains": list(entities),
        "payload": {name: {"entity": entity} for name, entity in entities.items()},
        "created_at": int(now),
    }


def collection(items: list[Document]) -> Document:
    return {"entity": "collection", "count": len(items), "items": items}


def notes(request: Mapping[str, Any]) -> dict[str, str] | list[str]:
    """Without any, the gateway tells an empty list."""
    given = request.get("notes")
    return {str(k): str(v) for k, v in given.items()} if isinstance(given, dict) and given else []
