"""Patterns and the ops that they make, as both type checkers have to take them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_type

from shop_ok import (
    Balance,
    Customer,
    CustomerView,
    LooseView,
    OpenOrder,
    Order,
    Refund,
    Views,
    all_orders,
    balance,
    by_email,
    customer,
    customer_view,
    customers,
    everything_of,
    forget,
    latest_order,
    loose_view,
    mark,
    oldest_open,
    open_orders,
    open_orders_whole,
    order,
    order_count,
    orders_of_customer,
    pair,
    place_all,
    place_order,
    replace_order,
    sign_up,
    store,
    views,
)

from tablewright.model import Delete, Get, Op, PageOp, Put, Update

now = datetime.now(UTC)
someone = Customer(email="a@b.example")
something = Order(customer_id="x", placed_at=now)

# Reads. A parameter is given by position or by name, as in the stub.
assert_type(customer("x"), Get[Customer])
assert_type(customer(customer_id="x"), Get[Customer])
assert_type(balance("x"), Get[Balance])
assert_type(order("x", now, "y"), Get[Order])
assert_type(by_email("a@b.example"), PageOp[Customer])
assert_type(orders_of_customer("x"), PageOp[Order])
assert_type(orders_of_customer("x", since=now, until=None, least=3), PageOp[Order])
assert_type(open_orders(), PageOp[OpenOrder])
assert_type(open_orders_whole(), PageOp[Order])
assert_type(everything_of("x"), PageOp[Order | Refund])
assert_type(latest_order("x"), Op[Order | None])
assert_type(oldest_open(), Op[OpenOrder | None])
assert_type(customer_view("x"), Op[CustomerView])
assert_type(loose_view("x"), Op[LooseView])
assert_type(order_count("x"), Op[int])
assert_type(all_orders(), PageOp[Order])
assert_type(views("home"), Op[Views])

# Writes. What the body returns is what the pattern makes.
assert_type(sign_up(someone), Put[Customer])
assert_type(mark(something, "paid"), Update[Order])
assert_type(forget("x"), Delete[Customer])

# Several at once. The writes of a transaction return nothing, but puts know what they stored.
assert_type(place_order(something, 3), Op[tuple[Order, None]])
assert_type(replace_order(something, something), Op[tuple[None, Order, None]])
assert_type(pair("x", "y"), Op[tuple[Customer | None, Balance | None]])
assert_type(place_all([something]), Op[tuple[object, ...]])
assert_type(customers(["x", "y"]), Op[tuple[Customer | None, ...]])
assert_type(store([something]), Op[tuple[Order, ...]])

# Ops explain themselves, and report as who they are.
assert_type(customer("x").explain(), str)
assert_type(customer("x").named("other", None), Get[Customer])
assert_type(orders_of_customer("x").pattern, str)
