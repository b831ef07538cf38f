"""Uses of ``Db`` and ``AsyncDb`` that both type checkers have to refuse, line by line."""

# ruff: noqa: B018
from __future__ import annotations

from datetime import UTC, datetime

from shop_ok import (
    Customer,
    Order,
    all_orders,
    customer,
    customer_view,
    latest_order,
    order_count,
    orders_of_customer,
    pair,
    place_order,
)

from tablewright.client import AsyncDb, AsyncHttpTransport, Db, HttpTransport
from tablewright.model import check, delete, put, update

now = datetime.now(UTC)
someone = Customer(email="a@b.example")
something = Order(customer_id="x", placed_at=now)

Db()  # E: "transport"
Db(AsyncHttpTransport())  # E: "AsyncHttpTransport"
AsyncDb(HttpTransport())  # E: "HttpTransport"
Db(HttpTransport(), prefix="test-")  # E: "prefix"
Db(HttpTransport(), retries=3)  # E: "retries"
db = Db(HttpTransport())
adb = AsyncDb(AsyncHttpTransport())


def runs() -> None:
    db.run(customer)  # E: "run"
    db.run(something)  # E: "run"
    db.run(check(Customer, "x"))  # E: "run"
    db.run(customer("x"), put(something))  # E: "run" | positional
    db.run(customer("x"), limit=3)  # E: "run"
    db.run(order_count("x"), cursor="y")  # E: "run"
    db.run(orders_of_customer("x"), limit="y")  # E: "run"
    db.run(orders_of_customer("x"), 20)  # E: "run" | positional


def results() -> None:
    db.run(customer("x")).email  # E: "email"
    for one in db.run(customer("x")):  # E: "__iter__" | iterable
        print(one)
    for two in db.run(order_count("x")):  # E: "__iter__" | iterable
        print(two)  # E[pyright]: unknown
    db.run(orders_of_customer("x")).price  # E: "price"
    db.run(orders_of_customer("x"))[0].cost  # E: "cost"
    db.run(orders_of_customer("x")).cursor.upper()  # E: "upper"
    db.run(customer_view("x")).customers  # E: "customers"
    stored, nothing, more = db.run(place_order(something, 3))  # E: unpack | size
    db.run(place_order(something, 3))[1].credits  # E: "credits"
    db.run(pair("x", "y"))[0].email  # E: "email"
    number: str = db.run(order_count("x"))  # E: "int"
    print(stored, nothing, more, number)  # E[pyright]: unknown


def iterations() -> None:
    db.iterate(customer("x"))  # E: "iterate"
    db.iterate(order_count("x"))  # E: "iterate"
    db.iterate(customer_view("x"))  # E: "iterate"
    db.iterate(latest_order("x"))  # E: "iterate"
    db.require(all_orders()).price  # E: "price"
    db.iterate(all_orders(), limit=3)  # E: "limit"
    for each in db.iterate(all_orders()):
        print(each.cost)  # E: "cost"


def several() -> None:
    db.transact(orders_of_customer("x"))  # E: "transact"
    db.transact(put(something), order_count("x"))  # E: "transact"
    db.transact([put(something)])  # E: "transact"
    db.transact(put(something), token=3)  # E: "transact"
    db.transact(update(something))[0].price  # E: "price"
    db.transact(delete(someone), put(something))[1].email  # E: "email"
    db.transact(customer("x"))[0].email  # E: "email"
    db.batch([check(Customer, "x")])  # E: Check[Customer]
    db.batch(customer("x"))  # E: "batch"
    db.batch([update(something)])  # E: "batch" | Update[Order]
    db.batch([put(something)])[0].email  # E: "email"
    db.create_tables(Customer)  # E: "create_tables"


async def without_blocking() -> None:
    adb.run(customer("x"))  # E: await | coroutine
    adb.run(customer("x")).email  # E: "email"
    (await adb.run(customer("x"))).email  # E: "email"
    (await adb.run(orders_of_customer("x"))).price  # E: "price"
    for one in adb.iterate(all_orders()):  # E: "__iter__" | iterable
        print(one)  # E[pyright]: unknown
    async for two in adb.iterate(customer("x")):  # E: "iterate"
        print(two)  # E[pyright]: unknown
    async for three in await adb.iterate(all_orders()):  # E: await
        print(three)  # E[pyright]: unknown
    await adb.run(check(Customer, "x"))  # E: "run"
    await db.run(customer("x"))  # E: await
    await adb.transact(orders_of_customer("x"))  # E: "transact"
    with adb:  # E: "__enter__" | context
        pass
