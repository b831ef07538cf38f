"""The typed client: one entity, two patterns, ``Db`` and ``AsyncDb``."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

import tablewright
from benchmarks.client.clients import AsyncClient, Client
from benchmarks.client.workload import NOTE, TABLE, Place, item
from tablewright.client import AsyncDb, AsyncHttpTransport, Db, HttpTransport, Page
from tablewright.model import Entity, IsoSeconds, Key, Table, get, put, query

table = Table(TABLE, pk="pk", sk="sk")


class Address(BaseModel):
    city: str
    zip: str


class Order(
    Entity,
    table=table,
    keys={"primary": Key("CUSTOMER#{customer_id}", "ORDER#{order_id}")},
):
    customer_id: str
    order_id: str
    serial: int
    price: Decimal
    placed_at: IsoSeconds
    paid: bool
    status: str
    tags: set[str]
    lines: list[str]
    address: Address
    note: str


@get(Order)
def order(customer_id: str, order_id: str) -> None:
    """One order."""


@query(Order)
def orders_of_customer(customer_id: str) -> None:
    """All orders of a customer."""


def entity(place: Place) -> Order:
    return Order.model_validate(
        {
            "customer_id": place.customer_id,
            "order_id": place.order_id,
            "serial": place.serial,
            "price": item(place)["price"]["N"],
            "placed_at": item(place)["placed_at"]["S"],
            "paid": place.row % 2 == 0,
            "status": "new",
            "tags": {"blue", "green", "red"},
            "lines": ["bread", "butter", "cheese"],
            "address": {"city": "Pune", "zip": "411001"},
            "note": NOTE,
        }
    )


def as_plain(found: Order) -> dict[str, Any]:
    place = Place(int(found.customer_id), int(found.order_id))
    keys = {"pk": place.pk, "sk": place.sk, "entity_type": "Order"}
    times = {"placed_at": f"{found.placed_at:%Y-%m-%dT%H:%M:%SZ}"}
    return keys | found.model_dump() | times


class Ours(Client):
    name = "Db"
    version = tablewright.__version__

    def __init__(self, url: str) -> None:
        self._db = Db(HttpTransport(url))

    def thing(self, place: Place) -> Order:
        return entity(place)

    def plain(self, answer: Any) -> dict[str, Any]:
        return as_plain(answer)

    def get(self, place: Place) -> Order | None:
        return self._db.run(order(place.customer_id, place.order_id))

    def put(self, thing: Order) -> Order:
        return self._db.run(put(thing))

    def query(self, place: Place) -> Page[Order]:
        return self._db.run(orders_of_customer(place.customer_id))

    def batch(self, things: Sequence[Order]) -> tuple[Order, ...]:
        return self._db.batch([put(each) for each in things])

    def close(self) -> None:
        self._db.close()


class AsyncOurs(AsyncClient):
    name = "AsyncDb"
    version = tablewright.__version__

    def __init__(self, url: str) -> None:
        super().__init__()
        self._db = AsyncDb(AsyncHttpTransport(url))

    def thing(self, place: Place) -> Order:
        return entity(place)

    def plain(self, answer: Any) -> dict[str, Any]:
        return as_plain(answer)

    async def get(self, place: Place) -> Order | None:
        return await self._db.run(order(place.customer_id, place.order_id))

    async def put(self, thing: Order) -> Order:
        return await self._db.run(put(thing))

    async def query(self, place: Place) -> Page[Order]:
        return await self._db.run(orders_of_customer(place.customer_id))

    async def batch(self, things: Sequence[Order]) -> tuple[Order, ...]:
        return await self._db.batch([put(each) for each in things])

    async def close_now(self) -> None:
        await self._db.close()
