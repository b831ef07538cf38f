"""Which partitions requests use, as the real client sends them to the real engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tablewright.client import AsyncDb
from tablewright.client.transports import AsyncEmbedded, AsyncTransport, Request, Response
from tablewright.console.heat.metering import Meter, metered
from tablewright.console.heat.touches import Touch, touches
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Table,
    attr,
    get,
    put,
    query,
    scan,
    update,
)
from tablewright.plan.units import Place

table = Table("Shop", pk="PK", sk="SK", indexes=[Index("ByState", pk="SPK", sk="SSK")])


class Order(
    Entity,
    table=table,
    keys={
        "primary": Key("SHOP#{shop}", "ORDER#{number}"),
        "by_state": Key("STATE#{state}", "{number}", on="ByState"),
    },
):
    shop: str
    number: int
    state: str = "new"
    notes: str = ""


@get(Order)
def order(shop: str, number: int) -> None:
    """One order."""


@query(Order)
def orders_of(shop: str) -> None:
    """All of a shop."""


@query(Order, key="by_state")
def orders_in(state: str) -> None:
    """All in a state."""


@scan(Order, admin=True)
def all_orders() -> None:
    """All there are."""


model = Model("shop", __name__)
SHOP, STATES = Place("Shop"), Place("Shop", "ByState")


class Noting:
    """Keeps what each request touched, and what its answer says was used."""

    def __init__(self, inner: AsyncTransport) -> None:
        self.inner = inner
        self.touches: list[Touch] = []
        self.units = 0.0

    async def send(self, request: Request) -> Response:
        response = await self.inner.send(request)
        self.touches += touches({"Shop": table}, request.operation, request.body, response.body)
        told = response.body.get("ConsumedCapacity") or []
        for each in told if isinstance(told, list) else [told]:
            self.units += each["CapacityUnits"]
        return response

    async def close(self) -> None:
        await self.inner.close()


def noted(run: Callable[[AsyncDb], Awaitable[Any]]) -> dict[tuple[Place, Any], tuple[float, float]]:
    """Read and write units by place and key; two shops have orders already."""

    async def work() -> Noting:
        with Engine.memory() as engine:
            noting = Noting(AsyncEmbedded(engine))
            db = AsyncDb(noting, hook=lambda event: None)
            await db.create_tables(model)
            for shop in ("a", "b"):
                await db.run(put(Order(shop=shop, number=1)))
            noting.touches, noting.units = [], 0.0
            await run(db)
            return noting

    noting = asyncio.run(work())
    found: dict[tuple[Place, Any], tuple[float, float]] = {}
    for each in noting.touches:
        read, write = found.get((each.place, each.key), (0.0, 0.0))
        found[each.place, each.key] = (read + each.read, write + each.write)
    assert sum(map(sum, found.values())) == pytest.approx(noting.units), "nothing is lost"
    return found


def test_one_item() -> None:
    assert noted(lambda db: db.run(order("a", 1))) == {(SHOP, ("SHOP#a",)): (0.5, 0)}
    assert noted(lambda db: db.run(put(Order(shop="c", number=1, state="paid")))) == {
        (SHOP, ("SHOP#c",)): (0, 1),
        (STATES, ("STATE#paid",)): (0, 1),
    }


def test_an_update_tells_the_new_key_of_an_index() -> None:
    paid = update(Order, shop="a", number=1).do(attr(Order.state).set("paid"))
    assert noted(lambda db: db.run(paid)) == {
        (SHOP, ("SHOP#a",)): (0, 1),
        (STATES, ("STATE#paid",)): (0, 2),
    }


def test_queries_of_a_table_and_an_index() -> None:
    assert noted(lambda db: db.run(orders_of("a"))) == {(SHOP, ("SHOP#a",)): (0.5, 0)}
    assert noted(lambda db: db.run(orders_in("new"))) == {(STATES, ("STATE#new",)): (0.5, 0)}


def test_a_scan_has_no_key() -> None:
    assert noted(lambda db: db.run(all_orders())) == {(SHOP, None): (0.5, 0)}


def test_batches_and_transactions_are_divided() -> None:
    gets = [order("a", 1), order("b", 1)]
    assert noted(lambda db: db.batch(gets)) == {
        (SHOP, ("SHOP#a",)): (0.5, 0),
        (SHOP, ("SHOP#b",)): (0.5, 0),
    }
    long = Order(shop="c", number=1, notes="x" * 3000)
    short = Order(shop="d", number=1)
    found = noted(lambda db: db.transact(put(long), put(short)))
    assert found[SHOP, ("SHOP#c",)] == (0, 8), "four KB begun, twice"
    assert found[SHOP, ("SHOP#d",)] == (0, 2)
    written = noted(lambda db: db.batch([put(long), put(short)]))
    assert written[SHOP, ("SHOP#c",)] == (0, 4)


def test_what_is_not_known_is_left_alone() -> None:
    told = {"ConsumedCapacity": {"TableName": "Other", "CapacityUnits": 1.0}}
    assert touches({"Shop": table}, "GetItem", {"TableName": "Other", "Key": {}}, told) == []
    assert touches({"Shop": table}, "DescribeTable", {"TableName": "Shop"}, {}) == []


def test_only_what_happens_while_somebody_watches_is_counted() -> None:
    async def work() -> None:
        with Engine.memory() as engine:
            own = AsyncEmbedded(engine)
            db = AsyncDb(own, hook=lambda event: None)
            await db.create_tables(model)
            meter = Meter({"Shop": table})
            with metered(db, meter):
                await db.run(put(Order(shop="a", number=1)))
            await db.run(put(Order(shop="b", number=1)))
            assert db.transport is own, "nothing is left in between"
            keys = [key for key, _ in meter.places[SHOP].top(5, seconds=1)]
            assert keys == [("SHOP#a",)]

    asyncio.run(work())


def test_a_meter_that_breaks_breaks_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        with Engine.memory() as engine:
            db = AsyncDb(AsyncEmbedded(engine), hook=lambda event: None)
            await db.create_tables(model)
            meter = Meter({"Shop": None})  # type: ignore[dict-item]
            with metered(db, meter):
                await db.run(put(Order(shop="a", number=1)))
                assert await db.run(order("a", 1)) is not None

    asyncio.run(work())
    assert "is not counted" in caplog.text
