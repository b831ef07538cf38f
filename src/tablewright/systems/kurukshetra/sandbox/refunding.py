"""Refunds: making one, and how it ends.

Its money counts as gone from the beginning, so that no two refunds can be made of it; if it does
not reach the payer, it comes back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from tablewright.systems.kurukshetra.sandbox import entities
from tablewright.systems.kurukshetra.sandbox.entities import Document
from tablewright.systems.kurukshetra.sandbox.ordering import LEAST_AMOUNT, check_texts, whole
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal, no_such_id
from tablewright.systems.kurukshetra.sandbox.store import Store
from tablewright.systems.kurukshetra.sandbox.telling import tell
from tablewright.systems.kurukshetra.sandbox.work import Work

_KEY = re.compile(r"[A-Za-z0-9_-]{10,128}")


def earlier(store: Store, payment_id: str, request: bytes, key: str) -> Document | None:
    """The refund that was made under a key; refused if the key was for another request."""
    if not _KEY.fullmatch(key):
        raise Refusal("The idempotency key must have 10 characters or more, of A-Z a-z 0-9 - _")
    found = store.row("SELECT * FROM refund_keys WHERE key = ?", key)
    if found is None:
        return None
    if (found["payment_id"], found["request"]) != (payment_id, request):
        raise Refusal(
            "Different request with the same idempotency key has already been processed.",
            reason="NA",
        )
    return store.document("refunds", found["refund_id"])


def remember(store: Store, key: str, request: bytes, refund: Document) -> None:
    store.write(
        "INSERT INTO refund_keys VALUES (?, ?, ?, ?)",
        *(key, refund["payment_id"], request, refund["id"]),
    )


def create(work: Work, payment_id: str, request: Mapping[str, Any]) -> Document:
    """A refund of a part of a payment, or of all that is left."""
    payment = _refundable(work.store, payment_id)
    amount = _amount(payment, request)
    check_texts(request)
    number = work.store.next_number("refunds")
    made = entities.refund(
        work.chance.identity("rfnd", number), payment, {**request, "amount": amount}, work.now
    )
    work.store.write(
        "INSERT INTO refunds VALUES (?, ?, ?, ?, ?)",
        *(number, made["id"], payment_id, made["created_at"], orjson.dumps(made)),
    )
    payment = _moved(work.store, payment, made, "refunded", amount)
    tell(work, "refund.created", {"refund": made, "payment": payment})
    return made


def end(work: Work, refund: Document) -> Document:
    """It has reached the payer, or has come back."""
    payment = work.store.document("payments", refund["payment_id"])
    if payment is None:
        raise no_such_id()
    fails = work.chance.happens(f"refund/{refund['id']}", work.settings.misbehaviour.fail_refund)
    status = "failed" if fails else "processed"
    arn = None if fails else f"{10**13 + refund['created_at']}"
    done = {**refund, "status": status, "acquirer_data": {"arn": arn}}
    work.store.change("refunds", done)
    if fails:
        payment = _moved(work.store, payment, done, "returned", -refund["amount"])
    tell(work, f"refund.{status}", {"refund": done, "payment": payment})
    return done


def _refundable(store: Store, payment_id: str) -> Document:
    payment = store.document("payments", payment_id)
    if payment is None:
        raise no_such_id()
    if payment["status"] == "refunded":
        raise Refusal("The payment has been fully refunded already", reason="already_refunded")
    if not payment["captured"]:
        raise Refusal("The payment status should be captured for action to be taken", reason="NA")
    return payment


def _amount(payment: Document, request: Mapping[str, Any]) -> int:
    left = int(payment["amount"] - payment["amount_refunded"])
    amount = whole(request["amount"], "amount") if "amount" in request else left
    if amount < min(LEAST_AMOUNT, left):
        raise Refusal("The amount must be at least INR 1.00", field="amount")
    if amount > left:
        raise Refusal("The refund amount provided is greater than amount captured", field="amount")
    return amount


def _moved(store: Store, payment: Document, refund: Document, kind: str, by: int) -> Document:
    changed = entities.with_refunded(payment, payment["amount_refunded"] + by)
    store.change("payments", changed)
    store.write(
        "INSERT INTO journal (payment_id, refund_id, kind, amount) VALUES (?, ?, ?, ?)",
        *(payment["id"], refund["id"], kind, abs(by)),
    )
    return changed
