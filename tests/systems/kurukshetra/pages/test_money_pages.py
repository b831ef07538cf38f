"""Payments with their lives, paying back, and comparing books."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.console.reading import fields_of, shows
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.staging import Stage, staged
from tests.systems.kurukshetra.pages.support import Ground, done, signed_in
from tests.systems.kurukshetra.support import FINANCE, caller

from tablewright.systems.kurukshetra import model as m


@pytest.fixture(scope="module")
def stage(ground: Ground) -> Stage:
    return staged(ground, "money-day")


@pytest.fixture
def finance(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "finance") as browser:
        yield browser


def refunds(stage: Stage) -> list[int]:
    """What has gone back of the payment."""
    festival = stage.ground.festival
    by = stage.ground.do(caller(festival, FINANCE, stage.event_id))
    view = stage.ground.do(festival.payments.read(by, stage.payment_id))
    return [each.amount for each in view.refunds]


def test_payments_are_listed_by_state_and_lead_to_their_lives(
    stage: Stage, ground: Ground, finance: Browser
) -> None:
    path = f"{stage.admin}/payments"
    shows(finance.get(path), "Paid Pandas", "₹999")
    shows(finance.get(f"{path}?status=failed"), "No payment fits")
    stored = stage.ground.do(
        stage.ground.festival.db.require(m.payment(stage.event_id, stage.payment_id))
    )
    for q in ("paid pandas", stage.payment_id, stored.razorpay_payment_id):
        shows(finance.get(f"{path}?q={q}"), "Paid Pandas", "₹999")
    for q in ("Waiting Wolves", "pay_nothing", "order_%23", "%23"):
        shows(finance.get(f"{path}?q={q}"), "No payment fits")
    page = finance.get(stage.payment)
    shows(page, "Checkout begun", "Money taken by the gateway", "Paid: the team has its seat")
    assert finance.get(f"{path}/{stage.paid.team_id}").status_code == 404
    assert finance.get(f"{path}/nonsense").status_code == 404
    assert finance.get(f"{stage.admin}/teams/{stage.payment_id}").status_code == 404
    with signed_in(ground, "organizer") as organizer:
        listed = organizer.get(path)
        shows(listed, "Paid Pandas")
        assert stage.payment not in listed.text
        assert organizer.get(stage.payment).status_code == 403


def test_a_refund_is_checked_and_made_once_however_often_it_is_sent(
    stage: Stage, ground: Ground, finance: Browser
) -> None:
    path = f"{stage.payment}/refund"
    form = fields_of(finance.get(stage.payment), "/refund")
    assert form["amount"] == "999"
    too_much = finance.post(path, {**form, "amount": "1000", "reason": "why not"})
    assert too_much.status_code == 422
    shows(too_much, "At most ₹999 can go back.")
    assert 'value="1000"' in too_much.text
    for amount, why in (
        ("nine", "Enter"),
        ("1.234", "at most 2 decimal places"),
        ("-5", "cannot be negative"),
        ("USD 5", "in INR"),
    ):
        wrong = finance.post(path, {**form, "amount": amount, "reason": "why not"})
        assert wrong.status_code == 422
        shows(wrong, why)
    assert finance.post(path, {**form, "amount": "5"}).status_code == 422
    bare = {name: value for name, value in form.items() if name != "key"}
    assert finance.post(path, {**bare, "amount": "5", "reason": "x"}).status_code == 400
    assert refunds(stage) == []
    anew = finance.post(path, {**bare, "amount": "nine", "reason": "x"})
    assert fields_of(anew, "/refund")["key"] not in ("", form["key"])
    said = {**form, "amount": "199.50", "reason": "one cannot come"}
    for _ in range(2):
        done(finance.post(path, said), stage.payment)
    assert refunds(stage) == [19950]
    shows(finance.get(stage.payment), "Partly refunded", "one cannot come", "Paid back ₹199.50")
    with signed_in(ground, "auditor") as auditor:
        assert "Pay back" not in re.sub(r"Paid back", "", auditor.get(stage.payment).text)
        assert auditor.post(path, said).status_code == 403


def test_with_the_rest_the_team_gives_up_its_seat_to_who_waits(
    stage: Stage, finance: Browser
) -> None:
    form = fields_of(finance.get(stage.payment), "/refund")
    said = {**form, "amount": "", "reason": "the exam was moved", "release": "1"}
    done(finance.post(f"{stage.payment}/refund", said), stage.payment)
    shows(finance.get(stage.payment), "Refunded", "Can go back ₹0")
    assert "Pay back" not in finance.get(stage.payment).text.replace("Paid back", "")
    with signed_in(stage.ground, "organizer") as organizer:
        waitlist = organizer.get(f"{stage.admin}/waitlist")
        shows(waitlist, "Offered a seat 1", "Waiting Wolves", "Nobody waits")


def test_a_day_is_compared_and_none_of_the_future(stage: Stage, finance: Browser) -> None:
    path = f"{stage.admin}/reconcile"
    shows(finance.get(path), "The books agree")
    done(finance.post(path, {"day": "2999-01-01"}), path)
    shows(finance.get(path), "Day must be one of the last 400 days.")
    done(finance.post(path, {"day": ""}), path)
    shows(finance.get(path), "Reconciliation", "Queued")
