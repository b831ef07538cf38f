"""Requests to acts of the bank.

Below ``/v1`` is the gateway's API, for who has the keys. Below ``/checkout`` is what a payer does,
without any; there only JSON is taken, which no form of another site can send.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

import orjson

from tablewright.systems.kurukshetra.sandbox.bank import Bank
from tablewright.systems.kurukshetra.sandbox.entities import Document
from tablewright.systems.kurukshetra.sandbox.refusals import (
    Refusal,
    no_such_url,
    not_authenticated,
)

API, CHECKOUT = "v1", "checkout"


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    #: With the query.
    target: str
    #: Names in small letters.
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def parts(self) -> list[str]:
        path = self.target.partition("?")[0]
        return [unquote(each) for each in path.strip("/").split("/")]

    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.target.partition("?")[2]))


def answer(bank: Bank, asked: Asked) -> tuple[int, Document]:
    """The status and the document."""
    try:
        parts = asked.parts()
        if parts[0] == API:
            _authenticate(bank, asked.headers.get("authorization", ""))
            return 200, _api(bank, asked, parts[1:])
        if parts[0] == CHECKOUT:
            return _checkout(bank, asked, parts[1:])
        raise no_such_url()
    except Refusal as refusal:
        return refusal.status, refusal.document


def _api(bank: Bank, asked: Asked, parts: list[str]) -> Document:
    match asked.method, parts:
        case "POST", ["orders"]:
            return bank.create_order(_body(asked))
        case "GET", ["orders"]:
            return bank.orders(asked.query())
        case "GET", ["orders", order_id]:
            return bank.order(order_id)
        case "GET", ["orders", order_id, "payments"]:
            return bank.payments_of_order(order_id)
        case "GET", ["payments"]:
            return bank.payments(asked.query())
        case "GET", ["payments", payment_id]:
            return bank.payment(payment_id)
        case "POST", ["payments", payment_id, "refund"]:
            key = asked.headers.get("x-refund-idempotency")
            return bank.create_refund(payment_id, _body(asked), key)
        case "GET", ["payments", payment_id, "refunds"]:
            return bank.refunds_of_payment(payment_id, asked.query())
        case "GET", ["refunds", refund_id]:
            return bank.refund(refund_id)
    raise no_such_url()


def _checkout(bank: Bank, asked: Asked, parts: list[str]) -> tuple[int, Document]:
    match asked.method, parts:
        case "GET", [order_id]:
            return 200, _shown(bank, order_id)
        case "POST", [order_id, act]:
            return _act(bank, order_id, act, _json_only(asked))
    raise no_such_url()


def _shown(bank: Bank, order_id: str) -> Document:
    """What a payer may see of an order."""
    order = bank.order(order_id)
    names = ("id", "amount", "amount_due", "currency", "status", "attempts")
    return {**{name: order[name] for name in names}, "key": bank.settings.credentials.key_id}


def _act(bank: Bank, order_id: str, act: str, body: Document) -> tuple[int, Document]:
    method = body.get("method", "card")
    if act == "succeed":
        return 200, bank.succeed(order_id, method)
    if act == "fail":
        return 400, bank.fail(order_id, method)
    if act == "late":
        return 202, bank.late(order_id, method, _seconds(body))
    if act == "close":
        return 200, bank.dismiss(order_id)
    raise no_such_url()


def _seconds(body: Document) -> float | None:
    value = body.get("after_secs")
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise Refusal("after_secs must be a number.", field="after_secs")
    return value


def _json_only(asked: Asked) -> Document:
    kind = asked.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal("The content type must be application/json.", status=415)
    return _body(asked)


def _body(asked: Asked) -> Document:
    try:
        found: Any = orjson.loads(asked.body or b"{}")
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Refusal("The request body must be a JSON document.")
    return found


def _authenticate(bank: Bank, given: str) -> None:
    credentials = bank.settings.credentials
    pair = f"{credentials.key_id}:{credentials.key_secret.get_secret_value()}"
    expected = "Basic " + base64.b64encode(pair.encode()).decode()
    if not hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace")):
        raise not_authenticated()
