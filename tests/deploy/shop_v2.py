"""The same shop, later: orders have a region, and can be found by what is left to do there."""

from __future__ import annotations

from typing import Literal

from tablewright.model import (
    Entity,
    Index,
    IsoSeconds,
    Key,
    Model,
    Number,
    Provisioned,
    Table,
    Ttl,
    Version,
    get,
    query,
)

orders = Table(
    "Orders",
    pk="PK",
    sk="SK",
    ttl="expires_at",
    stream="NEW_AND_OLD_IMAGES",
    pitr=7,
    tags={"team": "shop", "Environment": "dev"},
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", include=("status", "total")),
        Index("ByTotal", sk=Number("total"), local=True),
        Index("Open", pk="open_in", sk="open_since"),
    ],
)

sessions = Table(
    "Sessions",
    pk="session_id",
    billing=Provisioned(5, 6),
    indexes=[Index("ByUser", pk="user", keys_only=True, billing=Provisioned(2, 3))],
)


class Order(
    Entity,
    table=orders,
    keys={
        "primary": Key("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}"),
        "by_id": Key("ORDER#{order_id}", "ORDER", on="GSI1"),
        "by_total": Key("{total}", on="ByTotal"),
        "open": Key(
            "OPEN#{region}", "{placed_at}#{order_id}", on="Open", when={"status": {"new", "paid"}}
        ),
    },
):
    customer: str
    order_id: str
    placed_at: IsoSeconds
    status: Literal["new", "paid", "sent"] = "new"
    total: int = 0
    #: What was placed before there were regions was placed here.
    region: str = "north"
    expires_at: Ttl | None = None
    version: Version = 0


class Session(
    Entity,
    table=sessions,
    keys={"primary": Key("{session_id}"), "by_user": Key("{user}", on="ByUser")},
):
    session_id: str
    user: str


@get(Order)
def order(customer: str, placed_at: IsoSeconds, order_id: str) -> None:
    """One order."""


@query(Order, key="open")
def open_orders(region: str) -> None:
    """What is left to do in a region, the oldest first."""


model = Model("shop", __name__)
