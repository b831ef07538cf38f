"""The sandbox keeps the gateway's contract, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tablewright.systems.kurukshetra.sandbox import Running, sandbox

#: The members that Razorpay documents.
ORDER = """id entity amount amount_paid amount_due currency receipt offer_id status attempts notes
    created_at"""
PAYMENT = """id entity amount currency status order_id invoice_id international method
    amount_refunded refund_status captured description card_id bank wallet vpa email contact notes
    fee tax error_code error_description error_source error_step error_reason acquirer_data
    created_at"""
REFUND = """id entity amount currency payment_id notes receipt acquirer_data created_at batch_id
    status speed_processed speed_requested"""


@pytest.fixture(scope="module")
def gateway() -> Iterator[Running]:
    with sandbox() as running:
        yield running


@pytest.fixture(scope="module")
def client(gateway: Running) -> Iterator[httpx2.Client]:
    keys = gateway.credentials
    auth = (keys.key_id, keys.key_secret.get_secret_value())
    with httpx2.Client(base_url=gateway.url, auth=auth) as client:
        yield client


def order(client: httpx2.Client, **changes: Any) -> dict[str, Any]:
    body = {"amount": 5000, "currency": "INR", "receipt": "r", **changes}
    answer = client.post("/v1/orders", json=body)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def act(client: httpx2.Client, order_id: str, name: str, **body: Any) -> httpx2.Response:
    return client.post(f"/checkout/{order_id}/{name}", json=body)


def paid(client: httpx2.Client) -> str:
    answer = act(client, order(client)["id"], "succeed")
    assert answer.status_code == 200
    return str(answer.json()["razorpay_payment_id"])


def test_entities_have_the_members_of_the_real_ones(client: httpx2.Client) -> None:
    made = order(client)
    assert set(made) == set(ORDER.split())
    assert (made["entity"], made["notes"], made["id"][:6]) == ("order", [], "order_")
    payment_id = paid(client)
    payment = client.get(f"/v1/payments/{payment_id}").json()
    assert set(payment) == set(PAYMENT.split())
    refund = client.post(f"/v1/payments/{payment_id}/refund", json={"amount": 100}).json()
    assert set(refund) == set(REFUND.split())
    listed = client.get(f"/v1/payments/{payment_id}/refunds").json()
    assert listed == {"entity": "collection", "count": 1, "items": [refund]}


def test_the_checkout_succeeds_once(client: httpx2.Client) -> None:
    made = order(client)
    shown = client.get(f"/checkout/{made['id']}", auth=None).json()
    assert (shown["amount"], shown["status"]) == (5000, "created")
    proof = act(client, made["id"], "succeed", method="upi").json()
    assert set(proof) == {"razorpay_payment_id", "razorpay_order_id", "razorpay_signature"}
    again = act(client, made["id"], "succeed")
    assert again.json()["error"]["description"] == "Payment already done for this order"
    assert client.get(f"/v1/orders/{made['id']}/payments").json()["count"] == 1


def test_the_checkout_fails_and_may_be_tried_again(client: httpx2.Client) -> None:
    made = order(client)
    failed = act(client, made["id"], "fail")
    error = failed.json()["error"]
    assert failed.status_code == 400
    assert error["reason"] == "payment_declined"
    assert error["metadata"]["order_id"] == made["id"]
    payment = client.get(f"/v1/payments/{error['metadata']['payment_id']}").json()
    assert (payment["status"], payment["captured"]) == ("failed", False)
    assert client.get(f"/v1/orders/{made['id']}").json()["status"] == "attempted"
    assert act(client, made["id"], "succeed").status_code == 200
    assert client.get(f"/v1/orders/{made['id']}").json()["attempts"] == 2


def test_the_checkout_is_closed(client: httpx2.Client) -> None:
    made = order(client)
    assert act(client, made["id"], "close").status_code == 200
    assert client.get(f"/v1/orders/{made['id']}").json() == made


def test_a_form_of_another_site_cannot_pay(client: httpx2.Client) -> None:
    made = order(client)
    answer = client.post(f"/checkout/{made['id']}/succeed", data={"method": "card"})
    assert answer.status_code == 415
    assert client.get(f"/v1/orders/{made['id']}").json() == made


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"amount": 99}, "amount"),
        ({"amount": "5000.0"}, "amount"),
        ({"amount": 5000.5}, "amount"),
        ({"amount": True}, "amount"),
        ({"amount": None}, "amount"),
        ({"currency": "rupees"}, "currency"),
        ({"receipt": "r" * 41}, "receipt"),
        ({"notes": {str(n): "" for n in range(16)}}, "notes"),
    ],
)
def test_orders_that_are_refused(client: httpx2.Client, body: Any, field: str) -> None:
    wanted = {"amount": 5000, "currency": "INR", **body}
    answer = client.post("/v1/orders", json=wanted)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("BAD_REQUEST_ERROR", field)
    assert {"description", "source", "step", "reason"} <= set(error)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/orders/order_none", 400),
        ("GET", "/v1/payments/pay_none", 400),
        ("GET", "/v1/refunds/rfnd_none", 400),
        ("GET", "/v1/orders?count=101", 400),
        ("GET", "/v1/orders?skip=-1", 400),
        ("POST", "/v1/payments/pay_none/refund", 400),
        ("GET", "/v1/nothing", 404),
        ("GET", "//[", 404),
        ("GET", "/", 404),
        ("GET", "/checkout/order_none", 400),
    ],
)
def test_what_is_not_there(client: httpx2.Client, method: str, path: str, status: int) -> None:
    assert client.request(method, path).status_code == status


def test_bodies_that_are_no_documents(client: httpx2.Client) -> None:
    for content in (b"{", b"[]", b"\xff", b'{"amount":1e400}'):
        assert client.post("/v1/orders", content=content).status_code == 400


def test_keys_are_asked_for(client: httpx2.Client) -> None:
    for auth in (None, ("rzp_test_sandbox", "wrong"), ("ü", "")):
        with httpx2.Client(base_url=client.base_url, auth=auth) as other:
            answer = other.get("/v1/orders")
            assert answer.status_code == 401
            assert answer.json()["error"]["description"] == "Authentication failed"


def refund(client: httpx2.Client, payment_id: str, key: str, **body: Any) -> httpx2.Response:
    headers = {"X-Refund-Idempotency": key}
    return client.post(f"/v1/payments/{payment_id}/refund", json=body, headers=headers)


def test_a_key_is_for_one_refund(client: httpx2.Client) -> None:
    payment_id = paid(client)
    key = f"key-{payment_id}"
    first = refund(client, payment_id, key, amount=1000)
    assert refund(client, payment_id, key, amount=1000).json() == first.json()
    for other in (refund(client, payment_id, key, amount=2000), refund(client, paid(client), key)):
        assert other.status_code == 400
        assert "idempotency key" in other.json()["error"]["description"]
    assert refund(client, payment_id, "short").status_code == 400
    assert client.get(f"/v1/payments/{payment_id}").json()["amount_refunded"] == 1000


def test_no_more_goes_back_than_came(client: httpx2.Client) -> None:
    payment_id = paid(client)
    path = f"/v1/payments/{payment_id}/refund"
    assert client.post(path, json={"amount": 5001}).status_code == 400
    assert client.post(path, json={"amount": 4000}).status_code == 200
    assert client.post(path, json={"amount": 1001}).status_code == 400
    # Without an amount it is the rest.
    assert client.post(path).json()["amount"] == 1000
    assert "fully refunded" in client.post(path).json()["error"]["description"]


def test_only_captured_money_goes_back(client: httpx2.Client) -> None:
    late = act(client, order(client)["id"], "late", after_secs=3600)
    assert late.status_code == 202
    payment_id = late.json()["razorpay_payment_id"]
    assert "razorpay_signature" not in late.json()
    assert client.post(f"/v1/payments/{payment_id}/refund").status_code == 400
