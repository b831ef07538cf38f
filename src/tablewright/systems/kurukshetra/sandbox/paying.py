"""Payments: what becomes of an attempt to pay an order.

A payment is captured at most once. An order takes no new attempt once it is paid, but one that was
begun before may still come through: then the order has been paid twice, as it happens in life.
"""

from __future__ import annotations

import orjson

from tablewright.systems.kurukshetra.sandbox import entities
from tablewright.systems.kurukshetra.sandbox.entities import Document
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal, no_such_id
from tablewright.systems.kurukshetra.sandbox.store import Store
from tablewright.systems.kurukshetra.sandbox.telling import tell
from tablewright.systems.kurukshetra.sandbox.work import Work

METHODS = ("card", "upi", "netbanking")


def attempt(work: Work, order_id: str, method: str) -> Document:
    """A payment that is begun."""
    order = payable(work.store, order_id)
    if method not in METHODS:
        raise Refusal(f"The method must be one of {', '.join(METHODS)}.", field="method")
    number = work.store.next_number("payments")
    made = entities.payment(work.chance.identity("pay", number), order, method, work.now)
    work.store.write(
        "INSERT INTO payments VALUES (?, ?, ?, ?, ?)",
        *(number, made["id"], order_id, made["created_at"], orjson.dumps(made)),
    )
    work.store.change("orders", {**order, "status": "attempted", "attempts": order["attempts"] + 1})
    return made


def payable(store: Store, order_id: str) -> Document:
    order = store.document("orders", order_id)
    if order is None:
        raise no_such_id()
    if order["status"] == "paid":
        raise Refusal("Payment already done for this order", reason="order_already_paid")
    return order


def capture(work: Work, payment: Document) -> Document:
    """The money of a payment that was begun has come."""
    authorized = {**payment, "status": "authorized"}
    tell(work, "payment.authorized", {"payment": authorized})
    done = entities.captured(authorized)
    work.store.change("payments", done)
    work.store.write(
        "INSERT INTO journal (payment_id, kind, amount) VALUES (?, 'captured', ?)",
        *(done["id"], done["amount"]),
    )
    tell(work, "payment.captured", {"payment": done})
    _pay_order(work, done)
    return done


def fail(work: Work, payment: Document) -> Document:
    done = entities.failed(payment)
    work.store.change("payments", done)
    tell(work, "payment.failed", {"payment": done})
    return done


def _pay_order(work: Work, payment: Document) -> None:
    order = work.store.document("orders", payment["order_id"])
    if order is None or order["status"] == "paid":
        return
    paid = {**order, "status": "paid", "amount_paid": order["amount"], "amount_due": 0}
    work.store.change("orders", paid)
    tell(work, "order.paid", {"payment": payment, "order": paid})
