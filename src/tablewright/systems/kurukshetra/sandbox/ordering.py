"""Orders: making one, and finding some. Lists have the newest first, as the gateway's do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from tablewright.systems.kurukshetra.sandbox import entities
from tablewright.systems.kurukshetra.sandbox.entities import Document
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal
from tablewright.systems.kurukshetra.sandbox.store import Store, read
from tablewright.systems.kurukshetra.sandbox.work import Work

#: One rupee, or what comes near to it.
LEAST_AMOUNT, MOST_AMOUNT = 100, 10**12
_RECEIPT_CHARS, _NOTES, _NOTE_CHARS = 40, 15, 256
_MOST_LISTED, _USUALLY_LISTED = 100, 10
_CURRENCY = re.compile(r"[A-Z]{3}")


def create(work: Work, request: Mapping[str, Any]) -> Document:
    """A new order, also if another has its receipt."""
    amount, currency = whole(request.get("amount"), "amount"), request.get("currency")
    if not LEAST_AMOUNT <= amount <= MOST_AMOUNT:
        raise Refusal("Order amount less than minimum amount allowed", field="amount")
    if not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
        raise Refusal("Currency is not supported", field="currency")
    check_texts(request)
    number = work.store.next_number("orders")
    made = entities.order(
        work.chance.identity("order", number), {**request, "amount": amount}, work.now
    )
    work.store.write(
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
        *(number, made["id"], made["receipt"], made["created_at"], orjson.dumps(made)),
    )
    return made


def listed(store: Store, table: str, wanted: Mapping[str, str], **exactly: str) -> Document:
    """A page of a table, by time and by what is asked for exactly."""
    names = [f"{name} = ?" for name in exactly]
    where = " AND ".join([*names, "created_at BETWEEN ? AND ?"])
    since, until = number(wanted, "from", 0), number(wanted, "to", 2**53)
    count = number(wanted, "count", _USUALLY_LISTED)
    if not 1 <= count <= _MOST_LISTED:
        raise Refusal(f"The count must be between 1 and {_MOST_LISTED}.", field="count")
    rows = store.rows(
        f"SELECT document FROM {table} WHERE {where} ORDER BY number DESC LIMIT ? OFFSET ?",
        *(*exactly.values(), since, until, count, number(wanted, "skip", 0)),
    )
    return entities.collection([read(each) for each in rows])


def check_texts(request: Mapping[str, Any]) -> None:
    """Receipt and notes, which orders and refunds have alike."""
    receipt, notes = request.get("receipt"), request.get("notes")
    if receipt is not None and (not isinstance(receipt, str) or len(receipt) > _RECEIPT_CHARS):
        told = f"The receipt may not be greater than {_RECEIPT_CHARS} characters."
        raise Refusal(told, field="receipt")
    if isinstance(notes, dict) and (
        len(notes) > _NOTES or any(len(str(each)) > _NOTE_CHARS for each in notes.values())
    ):
        raise Refusal(f"Number of fields in notes should be less than {_NOTES}", field="notes")


def whole(value: object, field: str) -> int:
    """An amount in minor units; the gateway also takes its digits as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal(f"The {field} must be an integer.", field=field)
    return value


def number(wanted: Mapping[str, str], name: str, default: int) -> int:
    return whole(wanted[name], name) if name in wanted else default
