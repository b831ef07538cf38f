"""Signatures: published ones hold, and nothing near to them does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.kurukshetra.gateway import (
    payment_signature,
    verify_payment,
    verify_webhook,
    webhook_signature,
)

#: From the tests of Razorpay's own library.
ORDER, PAYMENT, SECRET = "fake_order_id", "fake_payment_id", "key_secret"
SIGNATURE = "b2335e3b0801106b84a7faff035df56ecffde06918c9ddd1f0fafbb37a51cc89"


def test_a_signature_of_the_gateway_holds() -> None:
    assert verify_payment(ORDER, PAYMENT, SIGNATURE, SECRET)


@pytest.mark.parametrize(
    ("order", "payment", "signature", "secret"),
    [
        (PAYMENT, ORDER, SIGNATURE, SECRET),
        ("other", PAYMENT, SIGNATURE, SECRET),
        (ORDER, PAYMENT, SIGNATURE.upper(), SECRET),
        (ORDER, PAYMENT, "", SECRET),
        (ORDER, PAYMENT, "ü" * 64, SECRET),
        (ORDER, PAYMENT, "\ud800", SECRET),
        (ORDER, PAYMENT, SIGNATURE, "other"),
        (ORDER, PAYMENT, payment_signature(ORDER, PAYMENT, ""), ""),
    ],
)
def test_nothing_else_holds(order: str, payment: str, signature: str, secret: str) -> None:
    assert not verify_payment(order, payment, signature, secret)


def test_ids_cannot_be_cut_elsewhere() -> None:
    signature = payment_signature("order_A", "pay_B|pay_C", SECRET)
    assert signature == payment_signature("order_A|pay_B", "pay_C", SECRET)
    assert not verify_payment("order_A", "pay_B|pay_C", signature, SECRET)
    assert not verify_payment("order_A|pay_B", "pay_C", signature, SECRET)


def test_the_previous_secret_still_holds_and_an_empty_one_never_does() -> None:
    body = b'{"event":"order.paid"}'
    for secret in ("new", "old"):
        assert verify_webhook(body, webhook_signature(body, secret), ("new", "old"))
    assert not verify_webhook(body, webhook_signature(body, "older"), ("new", "old"))
    assert not verify_webhook(body, webhook_signature(body, ""), ("new", ""))
    assert not verify_webhook(body, webhook_signature(body, "new"), ())


@given(body=st.binary(min_size=1, max_size=200), data=st.data())
def test_a_flipped_bit_is_noticed(body: bytes, data: st.DataObject) -> None:
    signature = webhook_signature(body, "secret")
    place = data.draw(st.integers(0, len(body) - 1))
    bit = data.draw(st.integers(0, 7))
    flipped = body[:place] + bytes([body[place] ^ 1 << bit]) + body[place + 1 :]
    assert verify_webhook(body, signature, ("secret",))
    assert not verify_webhook(flipped, signature, ("secret",))
