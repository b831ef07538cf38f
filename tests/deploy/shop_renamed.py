"""The shop after its entity was renamed."""

from __future__ import annotations

from typing import Literal

from tests.deploy import shop_v1

from tablewright.model import Entity, Index, IsoSeconds, Key, Model, Number, Table, Ttl, Version

orders = Table(
    "Orders",
    pk="PK",
    sk="SK",
    ttl="expires_at",
    stream="NEW_AND_OLD_IMAGES",
    pitr=7,
    tags=shop_v1.orders.tags,
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", include=("status", "total")),
        Index("ByTotal", sk=Number("total"), local=True),
    ],
)


class Purchase(
    Entity,
    table=orders,
    keys={
        "primary": Key("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}"),
        "by_id": Key("ORDER#{order_id}", "ORDER", on="GSI1"),
        "by_total": Key("{total}", on="ByTotal"),
    },
):
    customer: str
    order_id: str
    placed_at: IsoSeconds
    status: Literal["new", "paid", "sent"] = "new"
    total: int = 0
    expires_at: Ttl | None = None
    version: Version = 0


model = Model("shop", __name__)
