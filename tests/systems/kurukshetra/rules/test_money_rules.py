"""What becomes of money, as far as what is stored tells; and ids that follow from something."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter

from tablewright.model import Ulid, Uuid
from tablewright.systems.kurukshetra import demo_items as d
from tablewright.systems.kurukshetra.rules.captures import Way, way
from tablewright.systems.kurukshetra.rules.derived_ids import ulid_of, uuid_of
from tablewright.systems.kurukshetra.rules.refunds import ends_whole, pause

CUT = d.NOW - timedelta(minutes=5)


@pytest.mark.parametrize(
    ("status", "team", "amount", "expected"),
    [
        ("created", {}, d.FEE, "pay"),
        ("failed", {}, d.FEE, "pay"),
        ("authorized", {}, d.FEE, "pay"),
        ("created", {"hold_expires_at": CUT}, d.FEE, "expire"),
        ("created", {"hold_expires_at": CUT + timedelta(seconds=1)}, d.FEE, "pay"),
        ("created", {"payment_id": d.uuid(3, 99)}, d.FEE, "late"),
        ("created", {}, d.FEE - 1, "late"),
        ("expired", {"payment_status": "unpaid"}, d.FEE, "revive"),
        ("expired", {"payment_status": "unpaid"}, d.FEE + 1, "late"),
        ("expired", {"payment_id": d.uuid(3, 99)}, d.FEE, "late"),
        ("expired", {"payment_status": "cancelled"}, d.FEE, "late"),
        ("paid", {"payment_status": "paid"}, d.FEE, "double"),
        ("late", {"payment_status": "unpaid"}, d.FEE, "double"),
        ("refunded", {"payment_status": "refunded"}, 1, "double"),
    ],
)
def test_where_a_capture_goes(
    status: Any, team: dict[str, object], amount: int, expected: Way
) -> None:
    of = d.team("Null Pointers").model_copy(update=team)
    assert way(d.payment(3, status), of, amount, "INR", CUT) == expected


def test_another_currency_is_another_amount() -> None:
    assert way(d.payment(3, "created"), d.team("Null Pointers"), d.FEE, "USD", CUT) == "late"


@pytest.mark.parametrize(
    ("left", "others", "expected"),
    [
        (0, [], True),
        (1, [], False),
        (0, ["processed", "failed"], True),
        (0, ["pending"], False),
        (0, ["requested"], False),
    ],
)
def test_whether_nothing_is_left(left: int, others: list[str], expected: bool) -> None:
    payment = d.payment(1, "paid").model_copy(update={"refundable": left})
    ending = d.refund(1, 1, 100)
    beside = [
        d.refund(1, number, 100).model_copy(update={"status": status})
        for number, status in enumerate(others, 2)
    ]
    # What a second capture of the order pays back is not of this money.
    second = d.refund(1, 90, d.FEE).model_copy(update={"razorpay_payment_id": "pay_other"})
    assert ends_whole(payment, [ending, *beside, second], ending) == expected


def test_the_gateway_is_asked_ever_later() -> None:
    for sent in (True, False):
        pauses = [pause(tries, sent=sent) for tries in range(40)]
        assert pauses == sorted(pauses)
        assert timedelta() < pauses[0] < pauses[-1] <= timedelta(hours=6)


def test_ids_follow_from_what_they_are_of() -> None:
    assert uuid_of("a", "bc") == uuid_of("a", "bc") != uuid_of("ab", "c")
    assert TypeAdapter(Uuid).validate_python(uuid_of("a"))[14] == "4"
    first, later = ulid_of(d.NOW, "x"), ulid_of(d.NOW + timedelta(seconds=1), "x")
    assert TypeAdapter(Ulid).validate_python(first) < later
    assert first != ulid_of(d.NOW, "y")
