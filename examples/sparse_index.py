"""A sparse index: only the orders that wait to be packed, and only those that somebody packs.

An item without an index's key is not in the index. ``when`` says for which values of a field an
entity is in it, and a key with an absent field is left out by itself. The index stays as small as
the work that is left, however many orders there ever were.
"""

from datetime import UTC, datetime
from typing import Literal

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Index,
    IsoSeconds,
    Key,
    Table,
    Update,
    attr,
    put,
    query,
    update,
    write,
)

warehouse = Table(
    "Warehouse",
    pk="order_id",
    indexes=[
        Index("Waiting", pk="waiting", sk="waiting_since"),
        Index("ByPacker", pk="packer", sk="paid_at"),
    ],
)


class Order(
    Entity,
    table=warehouse,
    keys={
        "primary": Key("{order_id}"),
        "waiting": Key("WAITING", "{paid_at}#{order_id}", on="Waiting", when={"status": "paid"}),
        "by_packer": Key("{packer}", "{paid_at}", on="ByPacker"),
    },
):
    order_id: str
    paid_at: IsoSeconds
    status: Literal["paid", "packed", "shipped"] = "paid"
    packer: str | None = None


@query(Order, key="waiting")
def waiting_orders() -> None:
    """What has to be packed, in the order of payment."""


@query(Order, key="by_packer")
def orders_of_packer(packer: str) -> None:
    """What somebody is packing."""


@write()
def assign(order: Order, packer: str) -> Update[Order]:
    """Let somebody pack an order that nobody packs yet."""
    return update(order).do(attr(Order.packer).set(packer)).when(attr(Order.packer).missing())


@write()
def finish(order: Order) -> Update[Order]:
    """The order is packed: it leaves both indexes."""
    packed = update(order).do(attr(Order.status).set("packed"), attr(Order.packer).remove())
    return packed.when(attr(Order.status) == "paid")


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(warehouse)
        for hour, order_id in enumerate(("A-17", "A-18", "A-19"), 8):
            paid_at = datetime(2026, 3, 2, hour, tzinfo=UTC)
            db.run(put(Order(order_id=order_id, paid_at=paid_at)))

        first = db.run(waiting_orders())[0]
        first = db.run(assign(first, "bo"))
        print("bo packs", *(each.order_id for each in db.run(orders_of_packer("bo"))))
        db.run(finish(first))
        print("bo is done:", len(db.run(orders_of_packer("bo"))), "left")
        print("waiting:", *(each.order_id for each in db.run(waiting_orders())))


if __name__ == "__main__":
    main()
