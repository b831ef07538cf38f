"""Deliveries: documents as the gateway publishes them are read, others are refused."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
import pytest

from tablewright.systems.kurukshetra.gateway import BadWebhook, Event, opened, webhook_signature

SECRETS = ("new", "old")


def payment(**changes: Any) -> dict[str, Any]:
    """With the members that Razorpay documents for its events."""
    document = {
        "id": "pay_DESlfW9H8K9uqM",
        "entity": "payment",
        "amount": 10000,
        "currency": "INR",
        "base_amount": 10000,
        "status": "captured",
        "order_id": "order_DESlLckIVRkHWj",
        "invoice_id": None,
        "international": False,
        "method": "netbanking",
        "amount_refunded": 0,
        "amount_transferred": 0,
        "refund_status": None,
        "captured": True,
        "description": None,
        "card_id": None,
        "bank": "HDFC",
        "wallet": None,
        "vpa": None,
        "email": "gaurav.kumar@example.com",
        "contact": "+919876543210",
        "notes": [],
        "fee": 236,
        "tax": 36,
        "error_code": None,
        "error_description": None,
        "error_source": None,
        "error_step": None,
        "error_reason": None,
        "acquirer_data": {"bank_transaction_id": "0125836177"},
        "created_at": 1567674599,
    }
    return {**document, **changes}


ORDER = {
    "id": "order_DESlLckIVRkHWj",
    "entity": "order",
    "amount": 10000,
    "amount_paid": 10000,
    "amount_due": 0,
    "currency": "INR",
    "receipt": "rcptid #1",
    "offer_id": None,
    "status": "paid",
    "attempts": 1,
    "notes": {"team": "t"},
    "created_at": 1567674581,
}
REFUND = {
    "id": "rfnd_FS8TWyPrCsa0OB",
    "entity": "refund",
    "amount": 5000,
    "currency": "INR",
    "payment_id": "pay_DESlfW9H8K9uqM",
    "notes": {"comment": "a note"},
    "receipt": None,
    "acquirer_data": {"arn": None},
    "created_at": 1597734071,
    "batch_id": None,
    "status": "processed",
    "speed_processed": "normal",
    "speed_requested": "optimum",
}


def body(kind: object, **parts: dict[str, Any]) -> bytes:
    return orjson.dumps(
        {
            "entity": "event",
            "account_id": "acc_BFQ7uQEaa7j2z7",
            "event": kind,
            "contains": list(parts),
            "payload": {name: {"entity": entity} for name, entity in parts.items()},
            "created_at": 1567674606,
        }
    )


def delivered(content: bytes, secret: str = "new", **headers: str) -> Event:
    signature = webhook_signature(content, secret)
    return opened(content, {"x-razorpay-signature": signature, **headers}, SECRETS)


def test_an_order_that_was_paid() -> None:
    event = delivered(body("order.paid", payment=payment(), order=ORDER))
    assert event.order is not None
    assert event.payment is not None
    assert (event.order.status, event.order.receipt) == ("paid", "rcptid #1")
    assert (event.payment.captured, event.payment.amount) == (True, 10000)
    assert event.order_id == "order_DESlLckIVRkHWj"
    assert "gaurav" not in repr(event)


def test_a_payment_that_failed_says_why() -> None:
    failed = payment(
        status="failed",
        captured=False,
        error_code="BAD_REQUEST_ERROR",
        error_description="Payment failed",
        error_source="customer",
        error_step="payment_authentication",
        error_reason="payment_cancelled",
    )
    event = delivered(body("payment.failed", payment=failed))
    assert event.payment is not None
    assert event.payment.error is not None
    assert (event.payment.captured, event.payment.error.reason) == (False, "payment_cancelled")


def test_a_refund_and_its_payment() -> None:
    changed = payment(amount_refunded=5000, refund_status="partial")
    event = delivered(body("refund.processed", refund=REFUND, payment=changed))
    assert event.refund is not None
    assert event.payment is not None
    assert (event.refund.amount, event.payment.refund_status) == (5000, "partial")


def test_the_id_is_that_of_the_header_or_of_the_bytes() -> None:
    content = body("payment.captured", payment=payment())
    assert delivered(content, **{"X-RAZORPAY-EVENT-ID": "evt_1"}).id == "evt_1"
    digest = hashlib.sha256(content).hexdigest()
    assert delivered(content).id == digest
    assert delivered(content, **{"x-razorpay-event-id": "#" * 200}).id == digest


def test_the_previous_secret_is_taken_too() -> None:
    assert delivered(body("payment.captured", payment=payment()), "old").known


def test_an_unheard_of_event_is_only_named() -> None:
    event = delivered(body("payment.downtime.started", payment={"method": "upi"}))
    assert (event.type, event.known, event.payment) == ("payment.downtime.started", False, None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        body(None),
        body("payment.captured"),
        body("payment.captured", order=ORDER),
        body("payment.captured", payment=payment(amount="10000")),
        body("payment.captured", payment=payment(amount=-1)),
        body("payment.captured", payment=payment(status="happy")),
        body("refund.created", refund={**REFUND, "payment_id": None}),
    ],
)
def test_a_genuine_event_that_cannot_be_read(content: bytes) -> None:
    with pytest.raises(BadWebhook) as refused:
        delivered(content)
    assert refused.value.code == "MALFORMED"


def test_a_forged_one_is_not_even_read() -> None:
    for headers in ({}, {"X-Razorpay-Signature": webhook_signature(b"[]", "guessed")}):
        with pytest.raises(BadWebhook) as refused:
            opened(b"[]", headers, SECRETS)
        assert refused.value.code == "BAD_SIGNATURE"


def test_a_large_one_is_refused() -> None:
    content = b" " * (256 * 1024 + 1)
    with pytest.raises(BadWebhook) as refused:
        delivered(content)
    assert refused.value.code == "TOO_LARGE"


def test_event_without_amount_refunded_or_times_is_read() -> None:
    bare = {
        name: value
        for name, value in payment().items()
        if name not in ("amount_refunded", "created_at")
    }
    event = {
        "entity": "event",
        "event": "payment.captured",
        "contains": ["payment"],
        "payload": {"payment": {"entity": bare}},
    }
    body = orjson.dumps(event)
    signed = {"X-Razorpay-Signature": webhook_signature(body, SECRETS[0])}
    told = opened(body, signed, SECRETS)
    assert told.payment is not None
    assert (told.payment.amount, told.payment.captured) == (10000, True)
    assert (told.payment.amount_refunded, told.payment.created_at) == (0, 0)


def test_event_whose_amount_refunded_is_no_number_is_refused() -> None:
    event = {
        "entity": "event",
        "event": "payment.captured",
        "payload": {"payment": {"entity": payment(amount_refunded="none")}},
    }
    body = orjson.dumps(event)
    signed = {"X-Razorpay-Signature": webhook_signature(body, SECRETS[0])}
    with pytest.raises(BadWebhook, match="amount_refunded"):
        opened(body, signed, SECRETS)
