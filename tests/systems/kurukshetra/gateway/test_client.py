"""The client beside a gateway that answers, fails, and does things without saying so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest
from pydantic import SecretStr

from tablewright.systems.kurukshetra.gateway import (
    Credentials,
    GatewayFailed,
    KeyRefused,
    NotFound,
    OutcomeUnknown,
    Razorpay,
    Refused,
    Throttled,
    Unavailable,
    verify_payment,
)
from tablewright.systems.kurukshetra.sandbox import Running, sandbox
from tablewright.systems.kurukshetra.sandbox.faults import Fault, FaultKind

T = TypeVar("T")


@pytest.fixture(scope="module")
def gateway() -> Iterator[Running]:
    with sandbox() as running:
        yield running


class Asking:
    """Asks the gateway in a client of its own; pauses are counted, not waited for."""

    def __init__(self, gateway: Running) -> None:
        self.gateway = gateway
        self.pauses: list[float] = []
        self.credentials = gateway.credentials
        self.url = gateway.url
        self.timeout = 5.0

    def __call__(self, act: Callable[[Razorpay], Awaitable[T]]) -> T:
        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        async def asked() -> T:
            client = Razorpay(
                self.credentials,
                base_url=self.url,
                timeout=self.timeout,
                sleep=pause,
                jitter=lambda: 0.0,
            )
            try:
                return await act(client)
            finally:
                await client.close()

        return asyncio.run(asked())

    def faults(self, *kinds: FaultKind | None) -> None:
        self.gateway.faults.next[:] = [Fault(each) for each in kinds]

    def paid(self, amount: int = 1000) -> str:
        """A payment that was captured."""
        order = self(lambda client: client.create_order(amount, "INR", "any"))
        return str(self.gateway.bank.succeed(order.id)["razorpay_payment_id"])


@pytest.fixture
def ask(gateway: Running) -> Iterator[Asking]:
    gateway.faults.next.clear()
    yield Asking(gateway)
    gateway.faults.next.clear()


def test_an_order_is_made_found_and_paid(ask: Asking) -> None:
    made = ask(lambda client: client.create_order(99900, "INR", "r-1", {"team": "t"}))
    assert (made.status, made.amount_due, made.receipt) == ("created", 99900, "r-1")
    assert dict(made.notes) == {"team": "t"}
    assert ask(lambda client: client.order(made.id)) == made
    assert ask(lambda client: client.orders("r-1")) == (made,)
    assert ask(lambda client: client.orders("r-2")) == ()
    proof = ask.gateway.bank.succeed(made.id, "upi")
    secret = ask.credentials.key_secret.get_secret_value()
    payment_id, signature = proof["razorpay_payment_id"], proof["razorpay_signature"]
    assert verify_payment(made.id, payment_id, signature, secret)
    payment = ask(lambda client: client.payment(payment_id))
    assert (payment.status, payment.captured, payment.order_id) == ("captured", True, made.id)
    assert ask(lambda client: client.payments_of_order(made.id)) == (payment,)
    began = payment.created_at
    assert payment in ask(lambda client: client.payments(began, began))
    assert payment not in ask(lambda client: client.payments(began + 1, began + 9))
    assert ask(lambda client: client.order(made.id)).status == "paid"


def test_a_refund_is_made_found_and_listed(ask: Asking) -> None:
    payment_id = ask.paid(1000)
    first = ask(lambda client: client.create_refund(payment_id, 300, "first-refund"))
    second = ask(lambda client: client.create_refund(payment_id, 700, "second-refund"))
    assert (first.status, first.payment_id, first.amount) == ("processed", payment_id, 300)
    assert ask(lambda client: client.refund(first.id)) == first
    assert set(ask(lambda client: client.refunds_of_payment(payment_id))) == {first, second}
    payment = ask(lambda client: client.payment(payment_id))
    assert (payment.status, payment.refund_status) == ("refunded", "full")


def test_lists_of_several_pages_are_whole(ask: Asking) -> None:
    for _ in range(103):
        ask.gateway.bank.create_order({"amount": 100, "currency": "INR", "receipt": "many"})
    found = ask(lambda client: client.orders("many"))
    assert len({each.id for each in found}) == 103


@pytest.mark.parametrize("identity", ["pay_none", "", "..", "a/refunds", "?count=1", "pay_ü"])
def test_what_is_not_there(ask: Asking, identity: str) -> None:
    with pytest.raises(NotFound):
        ask(lambda client: client.payment(identity))
    with pytest.raises(NotFound):
        ask(lambda client: client.create_refund(identity, 100, "no-such-payment"))


def test_what_is_refused_says_why_and_is_not_repeated(ask: Asking) -> None:
    with pytest.raises(Refused) as refused:
        ask(lambda client: client.create_order(99, "INR", "r"))
    assert refused.value.code == "REFUSED"
    assert (refused.value.complaint.code, refused.value.complaint.field) == (
        "BAD_REQUEST_ERROR",
        "amount",
    )
    ask.credentials = Credentials("rzp_test_x", SecretStr("wrong"), SecretStr("wrong"))
    with pytest.raises(KeyRefused):
        ask(lambda client: client.orders("r"))


@pytest.mark.parametrize(
    "kind", ["throttled", "failed", "cut", "failed_after", "cut_after", "garbled"]
)
def test_reads_and_refunds_are_tried_three_times(ask: Asking, kind: FaultKind) -> None:
    payment_id = ask.paid()
    ask.faults(kind, kind)
    assert ask(lambda client: client.payment(payment_id)).id == payment_id
    assert ask.pauses == [0.5, 1.0]
    ask.faults(kind, kind)
    ask(lambda client: client.create_refund(payment_id, 400, "three-tries-" + kind))
    assert ask(lambda client: client.payment(payment_id)).amount_refunded == 400


@pytest.mark.parametrize("kind", ["failed", "cut", "failed_after", "cut_after", "garbled"])
def test_a_refund_without_an_answer_is_told_as_unknown(ask: Asking, kind: FaultKind) -> None:
    payment_id = ask.paid()
    ask.faults(kind, kind, kind)
    with pytest.raises(OutcomeUnknown):
        ask(lambda client: client.create_refund(payment_id, 1000, "unknown-" + kind))
    # Asked again later, it is the same one.
    ask(lambda client: client.create_refund(payment_id, 1000, "unknown-" + kind))
    assert len(ask(lambda client: client.refunds_of_payment(payment_id))) == 1


def test_what_is_unknown_stays_unknown(ask: Asking) -> None:
    payment_id = ask.paid()
    ask.faults("cut_after", "throttled", "throttled")
    with pytest.raises(OutcomeUnknown):
        ask(lambda client: client.create_refund(payment_id, 1000, "once-unknown"))


def test_a_read_that_fails_is_only_unavailable(ask: Asking) -> None:
    ask.faults("failed", "garbled", "cut")
    with pytest.raises(Unavailable) as failed:
        ask(lambda client: client.orders("r"))
    assert failed.value.code == "LOST"


@pytest.mark.parametrize("kind", ["failed", "cut", "failed_after", "cut_after", "garbled"])
def test_a_new_order_is_not_asked_for_twice(ask: Asking, kind: FaultKind) -> None:
    ask.faults(kind)
    with pytest.raises(OutcomeUnknown):
        ask(lambda client: client.create_order(500, "INR", "once-" + kind))
    made = ask(lambda client: client.orders("once-" + kind))
    assert (len(made), ask.pauses) == (int(kind not in ("failed", "cut")), [])
    # Found by its receipt, or made now.
    again = ask(lambda client: client.order_for(500, "INR", "once-" + kind))
    assert ask(lambda client: client.orders("once-" + kind)) == (again,)


def test_a_new_order_that_was_certainly_not_made_is_asked_for_again(ask: Asking) -> None:
    ask.faults("throttled", "throttled")
    ask(lambda client: client.create_order(500, "INR", "again"))
    assert len(ask(lambda client: client.orders("again"))) == 1


def test_an_order_that_was_made_without_an_answer_is_found(ask: Asking) -> None:
    ask.faults(None, "cut_after")
    order = ask(lambda client: client.order_for(500, "INR", "found"))
    assert ask(lambda client: client.orders("found")) == (order,)
    # If nobody can look either, it stays unknown.
    ask.faults(None, "cut_after", "failed", "failed", "failed")
    with pytest.raises(OutcomeUnknown):
        ask(lambda client: client.order_for(500, "INR", "not found"))


def test_an_order_with_another_amount_is_another(ask: Asking) -> None:
    first = ask(lambda client: client.order_for(500, "INR", "changed"))
    second = ask(lambda client: client.order_for(600, "INR", "changed"))
    assert first.id != second.id
    assert ask(lambda client: client.order_for(600, "INR", "changed")) == second


def test_it_waits_as_it_is_told_but_not_for_long(ask: Asking) -> None:
    ask.gateway.faults.next[:] = [Fault("throttled", retry_after="3")]
    ask(lambda client: client.orders("r"))
    assert ask.pauses == [3.0]
    ask.gateway.faults.next[:] = [Fault("throttled", retry_after="60")]
    with pytest.raises(Throttled) as failed:
        ask(lambda client: client.orders("r"))
    assert (failed.value.seconds, ask.pauses) == (60.0, [3.0])


def test_it_does_not_wait_for_an_answer_for_ever(ask: Asking) -> None:
    payment_id = ask.paid()
    ask.timeout = 0.25
    ask.gateway.faults.next[:] = [Fault(slow=0.6)] * 3
    with pytest.raises(OutcomeUnknown) as failed:
        ask(lambda client: client.create_refund(payment_id, 1000, "very-slow-refund"))
    assert failed.value.code == "TIMEOUT"
    ask.timeout = 5.0
    ask.gateway.faults.next.clear()
    ask(lambda client: client.create_refund(payment_id, 1000, "very-slow-refund"))
    assert ask(lambda client: client.payment(payment_id)).amount_refunded == 1000


def test_nobody_there_is_no_outcome(ask: Asking) -> None:
    ask.url = "http://127.0.0.1:1"
    with pytest.raises(GatewayFailed) as failed:
        ask(lambda client: client.create_order(500, "INR", "r"))
    assert (type(failed.value), failed.value.code) == (Unavailable, "UNREACHABLE")
    assert ask.pauses == [0.5, 1.0]
