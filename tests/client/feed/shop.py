"""The model of these tests, and what they do with feeds."""

from __future__ import annotations

from typing import Annotated, Any

from tablewright.client import Db, Embedded
from tablewright.client.feed import Change, ChangeFeed, Checkpoints, MemoryCheckpoints, Polling
from tablewright.engine import Engine
from tablewright.model import Entity, Index, Key, Table, Ttl, Unique, Version

app = Table(
    "Shop",
    pk="PK",
    sk="SK",
    ttl="expires_at",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")],
)
#: Where the bookkeeping goes.
kit = Table("Kit", pk="PK", sk="SK", ttl="ends")


class Customer(Entity, table=app, keys={"primary": Key("CUST#{customer_id}", "PROFILE")}):
    customer_id: str
    email: Annotated[str, Unique("customer-email")]


class Order(Entity, table=app, keys={"primary": Key("CUST#{customer_id}", "ORDER#{order_id}")}):
    customer_id: str
    order_id: str
    total: int = 0
    expires_at: Ttl | None = None


class Balance(Entity, table=kit, keys={"primary": Key("BALANCE#{customer_id}", "TOTAL")}):
    customer_id: str
    spent: int = 0
    version: Version = 0


#: Without any wait between reads.
EAGER = Polling(least=0.0, most=0.0, relist=0.0)


def open_db(engine: Engine) -> Db:
    db = Db(Embedded(engine), clock=engine.clock)
    db.create_tables(app, kit)
    return db


def order(number: int, customer: str = "ada", **fields: Any) -> Order:
    return Order(customer_id=customer, order_id=f"{number:04d}", **fields)


def feed_of(db: Db, checkpoints: Checkpoints | None = None, **settings: Any) -> ChangeFeed:
    settings = {"consumer": "tests", "polling": EAGER, **settings}
    table = settings.pop("table", app)
    return ChangeFeed(db, table, checkpoints=checkpoints or MemoryCheckpoints(), **settings)


def drain(feed: ChangeFeed, commit: bool = True) -> list[Change]:
    """All changes that are there now."""
    found: list[Change] = []
    empty = 0
    while empty < 3:
        changes = feed.poll()
        found += changes
        empty = 0 if changes else empty + 1
        if commit and changes:
            feed.commit()
    return found


def ids(changes: list[Change]) -> list[str]:
    """The numbers of the orders that changed."""
    return [(change.new or change.old).order_id for change in changes]
