"""Conditions and changes that both type checkers have to accept."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal, assert_type

from tablewright.model.expressions.attributes import Attr, attr
from tablewright.model.expressions.changes import Action
from tablewright.model.expressions.conditions import Condition, Param, param
from tablewright.model.expressions.places import some


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Address:
    city: str
    lines: list[str]


class Order:
    """Stands for an entity: on its class, a field has the field's own type."""

    status: Literal["new", "paid"]
    note: str | None
    credits: int
    limit: int | None
    price: Decimal
    ratio: float
    weight: float | None
    paid: bool
    digest: bytes
    placed_at: datetime
    color: Color
    tags: set[str]
    marks: frozenset[int] | None
    lines: list[str]
    history: tuple[int, ...] | None
    steps: tuple[str, ...]
    address: Address
    delivery: Address | None
    scores: dict[str, int]


def when(condition: Condition) -> None: ...


def do(*actions: Action) -> None: ...


assert_type(attr(Order.credits), Attr[int])
assert_type(attr(Order.note), Attr[str | None])
assert_type(attr(Order.credits) >= 3, Condition)
assert_type(attr(Order.status) == "new", Condition)
assert_type(attr(Order.credits).add(1), Action)
assert_type(param("x"), Param)

when(attr(Order.status) == "new")
when(attr(Order.status) != "paid")
when(attr(Order.credits) >= 3)
when((attr(Order.credits) > 3) & ~(attr(Order.note) == "x") | attr(Order.paid).eq(True))
when(attr(Order.price) < Decimal("1.5"))
when(attr(Order.placed_at) <= datetime.now())
when(attr(Order.color) == Color.RED)
when(attr(Order.note).eq(None))
when(attr(Order.credits) >= param("least"))
when(attr(Order.limit) >= attr(Order.credits))
when(attr(Order.credits) <= attr(Order.limit))
when(attr(Order.credits) == Order.credits)
when(attr(Order.credits).between(1, 5))
when(attr(Order.credits).between(param("low"), attr(Order.limit)))
when(attr(Order.status).is_in(["new", "paid"]))
when(attr(Order.status).is_in({"new"}))
when(attr(Order.color).is_in(Color))
when(attr(Order.credits).is_in(param("choices")))
when(attr(Order.note).begins_with("x"))
when(attr(Order.status).begins_with("n"))
when(attr(Order.digest).begins_with(b"x"))
when(attr(Order.note).contains("x"))
when(attr(Order.digest).contains(b"x"))
when(attr(Order.tags).contains("x"))
when(attr(Order.marks).contains(1))
when(attr(Order.lines).contains("x"))
when(attr(Order.history).contains(param("one")))
when(attr(Order.lines).size() > 3)
when(attr(Order.lines).size().between(1, param("most")))
when(attr(Order.note).exists() | attr(Order.note).missing())
when(attr(Order.note).has_type("S"))
when(attr(Order.address.city) == "Ulm")
when(attr(some(Order.delivery).city) == "Ulm")
when(attr(Order.scores["x"]) > 3)
when(attr(Order.lines[0]) == "x")

do(attr(Order.status).set("paid"))
do(attr(Order.note).set(None))
do(attr(Order.credits).set(attr(Order.credits)))
do(attr(Order.limit).set(attr(Order.credits)))
do(attr(Order.tags).set({"a", "b"}))
do(attr(Order.scores).set({"x": 1}))
do(attr(Order.note).set_if_missing("x"))
do(attr(Order.note).remove())
do(attr(Order.credits).add(-3))
do(attr(Order.limit).add(1))
do(attr(Order.price).add(Decimal("0.1")))
do(attr(Order.price).add(1))
do(attr(Order.ratio).add(0.5))
do(attr(Order.weight).add(0.5))
do(attr(Order.scores["x"]).add(1))
do(attr(Order.lines).append("x", "y"))
do(attr(Order.history).append(1))
do(attr(Order.steps).prepend("x"))
do(attr(Order.address.lines).append("x"))
do(attr(Order.tags).add_members({"x"}))
do(attr(Order.tags).delete_members(["x"]))
do(attr(Order.marks).add_members({1}))
