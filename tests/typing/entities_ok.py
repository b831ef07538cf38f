"""Entities and projections as both type checkers have to take them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal, assert_type

from shop_ok import Address, Balance, Customer, OpenOrder, Order, Views, app

from tablewright.model import (
    Attr,
    Delete,
    Entity,
    Key,
    Put,
    Update,
    attr,
    check,
    definition,
    delete,
    increment,
    put,
    some,
    update,
)

now = datetime.now(UTC)
customer = Customer(email="a@b.example")
everything = Customer(
    customer_id="01ARZ3NDEKTSV4RRFFQ69G5FAV",
    email="a@b.example",
    credits=3,
    address=Address(city="Ulm"),
    expires_at=now,
    version=2,
)
order = Order(customer_id=customer.customer_id, placed_at=now, status="paid")

# On an instance a field is its value; on the class it has the same type, for attr().
assert_type(customer.credits, int)
assert_type(customer.customer_id, str)
assert_type(customer.address, Address | None)
assert_type(customer.expires_at, datetime | None)
assert_type(order.placed_at, datetime)
assert_type(order.status, Literal["new", "paid", "sent"])
assert_type(attr(Customer.credits), Attr[int])
assert_type(attr(Customer.customer_id), Attr[str])
assert_type(attr(some(Customer.address).city), Attr[str])
customer.credits = 4
assert_type(customer.model_copy(), Customer)
assert_type(definition(Customer).decode({}), Customer)

line = OpenOrder(order_id=order.order_id, placed_at=now, status="new")
assert_type(line.status, str)
assert_type(Balance(credits=1).credits, int)

assert_type(put(order), Put[Order])
assert_type(put(order).new(), Put[Order])
assert_type(put(order).replace().when(attr(Order.price) > 3), Put[Order])
assert_type(update(order), Update[Order])
assert_type(update(Customer, customer.customer_id), Update[Customer])
assert_type(update(Customer, customer_id="x").do(attr(Customer.credits).add(1)), Update[Customer])
assert_type(update(order).upsert().given(price=3).exactly_once().at_version(3), Update[Order])
assert_type(delete(order).existing(), Delete[Order])
assert_type(delete(Customer, "x").when(attr(Customer.credits) == 0), Delete[Customer])
assert_type(increment(Views, lane="x", page="home", views=1), Update[Views])
check(Customer, "x").absent()


class Abstract(Entity):
    """Fields that several entities share."""

    created_at: datetime


class Note(
    Abstract,
    table=app,
    keys={"primary": Key("NOTE#{note_id}", "NOTE")},
    type="note",
    naming=str.upper,
    unknown="ignore",
):
    note_id: str


assert_type(Note(created_at=now, note_id="x").created_at, datetime)
