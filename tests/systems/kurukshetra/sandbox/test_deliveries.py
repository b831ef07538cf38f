"""What is delivered, when, how often, and how it goes wrong on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pydantic import SecretStr
from tests.systems.kurukshetra.sandbox.support import (
    HOOK,
    Merchant,
    a_payment,
    an_order,
    balance,
    bank,
    check_books,
    states,
    told,
)

from tablewright.service.settings import SettingsError
from tablewright.systems.kurukshetra.gateway import Credentials
from tablewright.systems.kurukshetra.sandbox import Misbehaviour, SandboxSettings
from tablewright.systems.kurukshetra.sandbox.chance import Chance
from tablewright.systems.kurukshetra.sandbox.courier import GIVE_UP_SECS, Courier, pause
from tablewright.systems.kurukshetra.sandbox.faults import Fault, Faults

PAID = ["payment.authorized", "payment.captured", "order.paid"]


def test_a_payment_is_told_in_three_events() -> None:
    with bank() as (made, _):
        merchant = Merchant(made.settings)
        payment_id = a_payment(made)
        assert Courier(made, HOOK, merchant).deliver_due() == 3
        assert [each.type for each in merchant.came] == PAID
        statuses = [each.payment.status for each in merchant.came if each.payment is not None]
        assert statuses == ["authorized", "captured", "captured"]
        assert {each.payment.id for each in merchant.came if each.payment} == {payment_id}
        assert Courier(made, HOOK, merchant).deliver_due() == 0


def test_a_late_payment_comes_in_its_time_and_may_be_the_second() -> None:
    with bank() as (made, clock):
        order_id = an_order(made)
        late = made.late(order_id, after_secs=1800)["razorpay_payment_id"]
        made.succeed(order_id)
        clock.advance(1799)
        assert made.payment(late)["status"] == "created"
        clock.advance(1)
        assert made.payment(late)["status"] == "captured"
        assert (told(made)["payment.captured"], told(made)["order.paid"]) == (2, 1)
        check_books(made)


def test_a_refund_takes_its_time_and_may_fail() -> None:
    behaviour = Misbehaviour(fail_refund=1.0)
    for how, status, left in ((Misbehaviour(), "processed", 400), (behaviour, "failed", 1000)):
        with bank(SandboxSettings(refund_secs=60.0, misbehaviour=how)) as (made, clock):
            payment_id = a_payment(made, 1000)
            refund = made.create_refund(payment_id, {"amount": 600})
            assert (refund["status"], balance(made)) == ("pending", 400)
            clock.advance(60)
            assert made.refund(refund["id"])["status"] == status
            assert balance(made) == left
            # What came back can go again.
            made.create_refund(payment_id, {"amount": left})
            check_books(made)


def test_what_is_not_taken_is_repeated_for_a_day() -> None:
    with bank() as (made, clock):
        merchant = Merchant(made.settings)
        courier = Courier(made, HOOK, merchant)
        made.fail(an_order(made))
        merchant.answers = [500, None, 302, 404]
        tries = []
        for _ in range(4):
            tries.append(courier.deliver_due())
            clock.advance(pause(len(tries)) - 1)
            assert courier.deliver_due() == 0
            clock.advance(1)
        assert courier.deliver_due() == 1
        assert (tries, [each.type for each in merchant.came]) == ([1] * 4, ["payment.failed"])


def test_after_a_day_it_is_given_up() -> None:
    with bank() as (made, clock):
        merchant = Merchant(made.settings)
        courier = Courier(made, HOOK, merchant)
        made.fail(an_order(made))
        merchant.answers = [503] * 100
        attempts, began = 0, clock.now()
        while states(made)["waiting"]:
            attempts += courier.deliver_due()
            clock.advance(10)
        assert states(made) == {"given_up": 1}
        assert 10 <= attempts <= 20
        assert clock.now() - began <= GIVE_UP_SECS


def test_who_dies_before_writing_it_down_delivers_again() -> None:
    with bank() as (made, _):
        merchant = Merchant(made.settings)
        made.fail(an_order(made))

        def dies(url: str, body: bytes, headers: Mapping[str, str]) -> int | None:
            merchant(url, body, headers)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Courier(made, HOOK, dies).deliver_due()
        Courier(made, HOOK, merchant).deliver_due()
        assert (len(merchant.came), len(merchant.seen)) == (2, 1)


def run(how: Misbehaviour, seed: int = 1) -> tuple[Merchant, int]:
    """Ten payments and a day; what the merchant saw, and what the books say."""
    with bank(SandboxSettings(seed=seed, misbehaviour=how)) as (made, clock):
        merchant = Merchant(made.settings)
        courier = Courier(made, HOOK, merchant)
        for _ in range(10):
            made.create_refund(a_payment(made, 1000), {"amount": 100})
            courier.deliver_due()
            clock.advance(5)
        for _ in range(100):
            clock.advance(60)
            courier.deliver_due()
        return merchant, balance(made)


def types(merchant: Merchant) -> list[str]:
    return [each.type for each in merchant.came]


def test_it_behaves_by_default() -> None:
    merchant, books = run(Misbehaviour())
    assert types(merchant) == [*PAID, "refund.created", "refund.processed"] * 10
    assert (merchant.forged, merchant.balance()) == (0, books)


def test_duplicates_have_the_same_id() -> None:
    merchant, books = run(Misbehaviour(duplicate=1.0))
    assert len(merchant.came) >= 100
    assert (len(merchant.seen), merchant.balance()) == (50, books)


def test_events_come_out_of_order_but_all_of_them_do() -> None:
    merchant, books = run(Misbehaviour(reorder=0.5))
    assert types(merchant) != types(run(Misbehaviour())[0])
    assert (len(merchant.came), merchant.balance()) == (50, books)


def test_events_come_late() -> None:
    merchant, books = run(Misbehaviour(delay=1.0, delay_secs=600.0))
    assert (len(merchant.came), merchant.balance()) == (50, books)
    order = [each.created_at for each in merchant.came]
    assert order != sorted(order)


def test_dropped_events_never_come() -> None:
    assert run(Misbehaviour(drop=1.0))[0].came == []
    assert 0 < len(run(Misbehaviour(drop=0.5))[0].came) < 50


def test_garbled_deliveries_are_noticed_and_repeated() -> None:
    merchant, books = run(Misbehaviour(corrupt=1.0))
    assert (merchant.forged, len(merchant.seen), merchant.balance()) == (50, 50, books)


def test_the_same_seed_does_the_same() -> None:
    how = Misbehaviour(delay=0.3, duplicate=0.3, reorder=0.3, drop=0.2, corrupt=0.3)
    first, again, other = run(how, 7)[0], run(how, 7)[0], run(how, 8)[0]
    assert first.came == again.came
    assert [each.id for each in first.came] != [each.id for each in other.came]


def test_the_same_seed_fails_the_same_requests() -> None:
    def drawn(seed: int) -> list[Fault]:
        faults = Faults(Chance(seed), 0.5)
        return [faults.draw() for _ in range(200)]

    assert drawn(1) == drawn(1) != drawn(2)
    failed = [each for each in drawn(1) if each.kind is not None]
    assert 70 <= len(failed) <= 130
    assert 0.3 <= sum(each.before for each in failed) / len(failed) <= 0.7


def test_a_delivery_keeps_the_signature_it_was_born_with() -> None:
    with bank() as (made, _):
        merchant = Merchant(made.settings)
        made.fail(an_order(made))
        old = made.settings.credentials
        changed = Credentials(old.key_id, old.key_secret, SecretStr("other"), old.webhook_secret)
        made.settings = replace(made.settings, credentials=changed)
        made.fail(an_order(made))
        Courier(made, HOOK, merchant).deliver_due()
        assert (len(merchant.came), merchant.forged) == (1, 1)
        both = Merchant(made.settings)
        made.store.write("UPDATE deliveries SET state = 'waiting', due_at = 0")
        Courier(made, HOOK, both).deliver_due()
        assert len(both.came) == 2


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(SettingsError, match="drop"):
        Misbehaviour(drop=1.5)
    with pytest.raises(SettingsError, match="https"):
        SandboxSettings(webhook_url="http://example.com/hook")
    live = Credentials("rzp_live_1", SecretStr("a"), SecretStr("b"))
    with pytest.raises(SettingsError, match="live"):
        SandboxSettings(credentials=live)
