"""``Db`` and ``AsyncDb`` as both type checkers have to take them: what comes out of what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import assert_type

from shop_ok import (
    Balance,
    Customer,
    CustomerView,
    OpenOrder,
    Order,
    Refund,
    Views,
    all_orders,
    app,
    balance,
    customer,
    customer_view,
    customers,
    everything_of,
    forget,
    latest_order,
    mark,
    model,
    oldest_open,
    open_orders,
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

from tablewright.client import (
    AsyncDb,
    AsyncHttpTransport,
    Db,
    HttpTransport,
    Page,
    RequestEvent,
    Retries,
)
from tablewright.model import Delete, Get, Put, attr, check, delete, increment, put, update

now = datetime.now(UTC)
someone = Customer(email="a@b.example")
something = Order(customer_id="x", placed_at=now)


def watch(event: RequestEvent) -> None:
    assert_type(event.read_units, float)


db = Db(
    HttpTransport("http://127.0.0.1:8000"),
    names={"Orders": "test-Orders"},
    retries=Retries(attempts=3),
    hook=watch,
    cursor_key="secret",
)
adb = AsyncDb(AsyncHttpTransport(), names=lambda name: f"test-{name}", page_limit=20)


def reads() -> None:
    assert_type(db.run(customer("x")), Customer | None)
    assert_type(db.run(balance("x")), Balance | None)
    assert_type(db.require(customer("x")), Customer)
    assert_type(db.require(latest_order("x")), Order)
    assert_type(db.run(latest_order("x")), Order | None)
    assert_type(db.run(oldest_open()), OpenOrder | None)
    assert_type(db.run(everything_of("x")), Page[Order | Refund])
    assert_type(db.run(orders_of_customer("x"), limit=20), Page[Order])
    assert_type(db.run(orders_of_customer("x"), cursor="y"), Page[Order])
    assert_type(db.run(open_orders()), Page[OpenOrder])
    assert_type(db.run(all_orders()), Page[Order])
    assert_type(db.run(customer_view("x")), CustomerView)
    assert_type(db.run(customer_view("x")).orders, tuple[Order, ...])
    assert_type(db.run(order_count("x")), int)
    assert_type(db.run(views("home")), Views)
    assert_type(db.iterate(orders_of_customer("x")), Iterator[Order])
    for line in db.iterate(open_orders()):
        assert_type(line, OpenOrder)


def pages() -> None:
    page = db.run(orders_of_customer("x"))
    assert_type(page[0], Order)
    assert_type(page[1:], tuple[Order, ...])
    assert_type(page.cursor, str | None)
    assert_type(len(page), int)
    for each in page:
        assert_type(each, Order)


def writes() -> None:
    assert_type(db.run(put(something)), Order)
    assert_type(db.run(update(something).do(attr(Order.price).add(1))), Order)
    assert_type(db.run(delete(Customer, "x")), Customer | None)
    assert_type(db.run(increment(Views, lane="x", page="home", views=1)), Views)
    assert_type(db.run(sign_up(someone)), Customer)
    assert_type(db.run(mark(something, "paid")), Order)
    assert_type(db.run(forget("x")), Customer | None)


def several() -> None:
    assert_type(db.run(place_order(something, 3)), tuple[Order, None])
    stored, _ = db.run(place_order(something, 3))
    assert_type(stored, Order)
    assert_type(db.run(replace_order(something, something)), tuple[None, Order, None])
    assert_type(db.run(pair("x", "y")), tuple[Customer | None, Balance | None])
    assert_type(db.run(place_all([something])), tuple[object, ...])
    assert_type(db.run(customers(["x"])), tuple[Customer | None, ...])
    assert_type(db.run(store([something])), tuple[Order, ...])

    assert_type(db.transact(put(something)), tuple[Order])
    assert_type(db.transact(put(something), token="x"), tuple[Order])
    assert_type(
        db.transact(put(something), update(something), delete(someone), check(Customer, "x")),
        tuple[Order, None, None, None],
    )
    assert_type(
        db.transact(customer("x"), order("x", now, "y"), balance("x")),
        tuple[Customer | None, Order | None, Balance | None],
    )
    assert_type(
        db.transact(*(put(something), put(someone))),
        tuple[Order, Customer],
    )
    puts: list[Put[Order]] = [put(something)]
    assert_type(db.transact(*puts), tuple[object, ...])

    assert_type(db.batch([customer("x"), customer("y")]), tuple[Customer | None, ...])
    assert_type(db.batch(put(each) for each in [something]), tuple[Order, ...])
    gets: list[Get[Order]] = [order("x", now, "y")]
    assert_type(db.batch(gets), tuple[Order | None, ...])
    deletes: list[Delete[Order]] = [delete(something)]
    assert_type(db.batch(deletes), tuple[object, ...])
    assert_type(db.batch([put(something), delete(someone)]), tuple[object, ...])


def tables() -> None:
    assert_type(db.create_tables(model, app), list[str])
    with Db(HttpTransport()) as other:
        assert_type(other, Db)


async def without_blocking() -> None:
    assert_type(await adb.run(customer("x")), Customer | None)
    assert_type(await adb.run(orders_of_customer("x"), limit=20), Page[Order])
    assert_type(await adb.require(latest_order("x")), Order)
    assert_type(await adb.run(customer_view("x")), CustomerView)
    assert_type(await adb.run(order_count("x")), int)
    assert_type(await adb.run(place_order(something, 3)), tuple[Order, None])
    assert_type(await adb.run(customers(["x"])), tuple[Customer | None, ...])
    assert_type(await adb.run(put(something)), Order)
    assert_type(adb.iterate(orders_of_customer("x")), AsyncIterator[Order])
    async for each in adb.iterate(orders_of_customer("x")):
        assert_type(each, Order)
    assert_type(await adb.transact(customer("x")), tuple[Customer | None])
    assert_type(await adb.transact(put(something), delete(someone)), tuple[Order, None])
    assert_type(await adb.batch([put(something)]), tuple[Order, ...])
    assert_type(await adb.create_tables(model), list[str])
    async with AsyncDb(AsyncHttpTransport()) as other:
        assert_type(other, AsyncDb)
