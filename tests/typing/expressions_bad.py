"""Conditions and changes that both type checkers have to refuse, line by line."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from tablewright.model.expressions.attributes import attr
from tablewright.model.expressions.changes import Action
from tablewright.model.expressions.conditions import Condition


class Address:
    city: str


class Order:
    """Stands for an entity: on its class, a field has the field's own type."""

    status: Literal["new", "paid"]
    note: str | None
    credits: int
    price: Decimal
    tags: set[str]
    lines: list[str]
    address: Address
    delivery: Address | None
    scores: dict[str, int]


def when(condition: Condition) -> None: ...


def do(*actions: Action) -> None: ...


# A comparison that does not fit is one of Python's own, whose result is a bool. Pyright takes the
# Literal of a field for a str as soon as it is passed to a function.
when(attr(Order.credits) == "x")  # E: "bool"
when(attr(Order.status) == "lost")  # E[mypy]: "bool"
when(attr(Order.status) != "lost")  # E[mypy]: "bool"
when(attr(Order.note) == attr(Order.credits))  # E: "attr" | Attr[int]
when(Order.status == "new")  # E: "bool"
when(attr(Order.credits) >= "x")  # E: Attr[int]
when(attr(Order.note) < 3)  # E: Attr[str | None]
when(attr(Order.credits) == None)  # noqa: E711 # E: "bool"
when(attr(Order.credits).eq("x"))  # E: "eq"
when(attr(Order.credits).between(1, "x"))  # E: "between"
when(attr(Order.status).is_in(["lost"]))  # E[mypy]: 'lost'
when(attr(Order.credits).begins_with("x"))  # E: begins_with
when(attr(Order.note).begins_with(b"x"))  # E: begins_with
when(attr(Order.credits).contains(1))  # E: contains
when(attr(Order.lines).contains(1))  # E: contains
when(attr(Order.tags).contains(1))  # E: contains
when(attr(Order.lines).size() > "x")  # E: SizeOf
when(attr(Order.note).has_type("T"))  # E: has_type
when(attr(Order.note).exists() & True)  # E: Condition
when(attr(Order.state) == "new")  # E: state
when(attr(Order.address.town) == "Ulm")  # E: town
when(attr(Order.delivery.city) == "Ulm")  # E: city
when(attr(Order.address.city) == 3)  # E: "bool"
when(attr(Order.scores["x"]) == "y")  # E: "bool"
when(attr(Order.note).set("x"))  # E: "Action"

do(attr(Order.credits).set("x"))  # E: "set"
do(attr(Order.credits).set(None))  # E: "set"
do(attr(Order.status).set("lost"))  # E[mypy]: "set"
do(attr(Order.credits).set_if_missing("x"))  # E: "set_if_missing"
do(attr(Order.note).add(1))  # E: add
do(attr(Order.credits).add(1.5))  # E: add
do(attr(Order.credits).add("x"))  # E: add
do(attr(Order.price).add(1.5))  # E: add
do(attr(Order.lines).append(1))  # E: append
do(attr(Order.note).append("x"))  # E: append
do(attr(Order.tags).append("x"))  # E: append
do(attr(Order.tags).add_members({1}))  # E: add_members | <set>
do(attr(Order.lines).add_members({"x"}))  # E: add_members
do(attr(Order.note) == "x")  # E: "Condition"
