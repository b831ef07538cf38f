"""What is delivered: kinds, images, owners, and what nobody owns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.client.feed.shop import Customer, Order, app, drain, feed_of, ids, open_db, order

from tablewright.client import Db
from tablewright.client.feed import Change, decoder
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.expiry.sweep import sweep
from tablewright.model import Entity, Key, Table, Unique, delete, put
from tablewright.model.errors import DataError, RequestError, UnknownEntity
from tablewright.model.table import StreamView


def raw_put(engine: Engine, **attributes: Any) -> None:
    engine.call("PutItem", {"TableName": "Shop", "Item": attributes})


def test_the_life_of_an_item(db: Db, clock: ManualClock) -> None:
    first, second = order(1, total=5), order(1, total=7)
    db.run(put(first))
    clock.advance(60)
    db.run(put(second))
    db.run(delete(second))
    inserted, modified, removed = drain(feed_of(db))
    assert (inserted.kind, inserted.old, inserted.new) == ("insert", None, first)
    assert (modified.kind, modified.old, modified.new) == ("modify", first, second)
    assert (removed.kind, removed.old, removed.new) == ("remove", second, None)
    for change in (inserted, modified, removed):
        assert change.entity is not None
        assert change.entity.cls is Order
        assert change.keys == {"PK": {"S": "CUST#ada"}, "SK": {"S": "ORDER#0001"}}
        assert not change.expired
    assert inserted.new_image is not None
    assert inserted.new_image["total"] == {"N": "5"}
    assert removed.new_image is None
    assert modified.at - inserted.at == datetime.fromtimestamp(60, UTC) - datetime.fromtimestamp(
        0, UTC
    )
    assert len({change.event_id for change in (inserted, modified, removed)}) == 3
    assert inserted.sequence < modified.sequence < removed.sequence


def test_a_change_is_the_same_whenever_it_comes(db: Db) -> None:
    db.run(put(order(1)))
    assert drain(feed_of(db)) == drain(feed_of(db))


def test_types(db: Db) -> None:
    db.run(put(order(1, total=5)))
    (change,) = drain(feed_of(db))
    typed = change.of(Order)
    assert typed is not None
    assert typed.new is not None
    assert typed.new.total == 5
    assert (typed.kind, typed.old, typed.change) == ("insert", None, change)
    assert change.of(Customer) is None


def test_another_entity_under_the_same_key(db: Db, engine: Engine) -> None:
    key = {"PK": {"S": "CUST#ada"}, "SK": {"S": "ORDER#0001"}}
    db.run(put(order(1)))
    other = {"customer_id": {"S": "ada"}, "email": {"S": "x"}, "entity_type": {"S": "Customer"}}
    raw_put(engine, **key, **other)
    change = drain(feed_of(db))[1]
    assert change.kind == "modify"
    came, went = change.of(Customer), change.of(Order)
    assert came is not None
    assert went is not None
    assert (came.kind, came.old) == ("insert", None)
    assert (went.kind, went.new) == ("remove", None)
    assert went.old == order(1)


def test_what_the_time_to_live_deletes(db: Db, engine: Engine, clock: ManualClock) -> None:
    ended = order(1, expires_at=datetime.fromtimestamp(int(clock.now()) + 10, UTC))
    db.run(put(ended))
    clock.advance(60)
    sweep(engine)
    removed = drain(feed_of(db))[-1]
    assert (removed.kind, removed.expired, removed.old) == ("remove", True, ended)


def test_lambda_spells_the_service_differently(db: Db, engine: Engine) -> None:
    db.run(put(order(1)))
    stream = engine.call("DescribeTable", {"TableName": "Shop"})["Table"]["LatestStreamArn"]
    records: list[Any] = []
    for shard in engine.call("DescribeStream", {"StreamArn": stream})["StreamDescription"][
        "Shards"
    ]:
        where = {"StreamArn": stream, "ShardId": shard["ShardId"]}
        where["ShardIteratorType"] = "TRIM_HORIZON"
        records += engine.call("GetRecords", engine.call("GetShardIterator", where))["Records"]
    identity = {"userIdentity": {"principalId": "dynamodb.amazonaws.com", "type": "Service"}}
    change = decoder(app).change({**records[0], **identity})
    assert change is not None
    assert change.expired


# --- what nobody owns ----------------------------------------------------------------------


def unknown(engine: Engine, number: int) -> None:
    key = {"PK": {"S": "CUST#ada"}, "SK": {"S": f"ORDER#{number:04d}"}}
    raw_put(engine, **key, entity_type={"S": "Invoice"})


def test_an_unknown_entity_stops_the_feed_where_it_is(db: Db, engine: Engine) -> None:
    db.run(put(order(1)))
    db.run(put(order(2)))
    unknown(engine, 3)
    db.run(put(order(4)))
    feed = feed_of(db)
    # What came before it is delivered, and can be committed.
    assert ids(feed.poll()) == ["0001", "0002"]
    feed.commit()
    for _ in range(2):
        with pytest.raises(UnknownEntity, match=r"0003.*declare it, or give unknown="):
            drain(feed)


def test_unknown_entities_can_be_skipped(db: Db, engine: Engine) -> None:
    db.run(put(order(1)))
    unknown(engine, 2)
    db.run(put(order(3)))
    assert ids(drain(feed_of(db, unknown="skip"))) == ["0001", "0003"]


def test_unknown_entities_can_be_delivered_raw(db: Db, engine: Engine) -> None:
    unknown(engine, 1)
    (change,) = drain(feed_of(db, unknown="raw"))
    assert (change.entity, change.old, change.new, change.of(Order)) == (None, None, None, None)
    assert change.new_image is not None
    assert change.new_image["entity_type"] == {"S": "Invoice"}


@pytest.mark.parametrize("policy", ["raise", "skip", "raw"])
def test_items_that_cannot_be_read(db: Db, engine: Engine, policy: Any) -> None:
    key = {"PK": {"S": "CUST#ada"}, "SK": {"S": "ORDER#0001"}}
    raw_put(engine, **key, entity_type={"S": "Order"}, total={"S": "many"})
    feed = feed_of(db, unknown=policy)
    if policy == "raise":
        with pytest.raises(DataError, match=r"change 1\d+ of table Shop.*customer_id"):
            drain(feed)
        return
    changes = drain(feed)
    assert len(changes) == (1 if policy == "raw" else 0)
    for change in changes:
        typed = change.of(Order)
        assert typed is not None
        assert typed.new is None
        assert change.new_image is not None


def test_only_some_entities(db: Db) -> None:
    db.run(put(order(1)))
    db.run(put(Customer(customer_id="ada", email="ada@example.com")))
    (change,) = drain(feed_of(db, entities=[Customer]))
    assert change.of(Customer) is not None


def test_entities_of_another_table(db: Db) -> None:
    other = Table("Other", pk="PK")

    class Elsewhere(Entity, table=other, keys={"primary": Key("X#{x}")}):
        x: str

    with pytest.raises(RequestError, match="Elsewhere lives in table Other"):
        feed_of(db, entities=[Elsewhere])


def test_locks_are_bookkeeping(db: Db) -> None:
    ada = Customer(customer_id="ada", email="ada@example.com")
    db.run(put(ada).new())
    db.run(delete(Customer, "ada"))
    assert [change.kind for change in drain(feed_of(db))] == ["insert", "remove"]
    with_locks = drain(feed_of(db, locks=True))
    raw = [change for change in with_locks if change.entity is None]
    assert [change.kind for change in raw] == ["insert", "remove"]
    assert raw[0].new_image is not None
    assert raw[0].new_image["entity_type"] == {"S": "Unique:customer-email"}


# --- views -----------------------------------------------------------------------------------


def changes_of_view(engine: Engine, view: StreamView, tag: str | None = "kind") -> list[Change]:
    """An item that comes, changes and goes, in a table with such a stream."""
    table = Table(f"T-{view}", pk="PK", sk="SK", discriminator=tag, stream=view)

    class Thing(
        Entity,
        table=table,
        keys={"primary": Key("THING#{name}", "IT")},
        unique=[Unique("label", fields=("label",))],
    ):
        name: str
        label: str
        size: int = 0

    class Other(Entity, table=table, keys={"primary": Key("OTHER#{name}", "IT")}):
        name: str

    db = open_db(engine)
    db.create_tables(table)
    db.run(put(Thing(name="a", label="A")).new())
    db.run(put(Thing(name="a", label="A", size=1)))
    db.run(delete(Thing, "a"))
    return drain(feed_of(db, table=table))


@pytest.mark.parametrize("tag", ["kind", None])
@pytest.mark.parametrize(
    ("view", "olds", "news"),
    [
        ("NEW_AND_OLD_IMAGES", [False, True, True], [True, True, False]),
        ("NEW_IMAGE", [False, False, False], [True, True, False]),
        ("OLD_IMAGE", [False, True, True], [False, False, False]),
        ("KEYS_ONLY", [False, False, False], [False, False, False]),
    ],
)
def test_views(
    engine: Engine, view: StreamView, olds: list[bool], news: list[bool], tag: str | None
) -> None:
    changes = changes_of_view(engine, view, tag)
    # The lock comes and goes too, and is never among them.
    assert [change.kind for change in changes] == ["insert", "modify", "remove"]
    assert [change.old is not None for change in changes] == olds
    assert [change.new is not None for change in changes] == news
    for change in changes:
        assert change.entity is not None
        assert change.entity.name == "Thing"
        typed = change.of(change.entity.cls)
        assert typed is not None
        assert typed.kind == change.kind


def test_keys_that_no_entity_has(engine: Engine) -> None:
    table = Table("Bare", pk="PK", stream="KEYS_ONLY")

    class Thing(Entity, table=table, keys={"primary": Key("THING#{name}")}):
        name: str

    db = open_db(engine)
    db.create_tables(table)
    engine.call("PutItem", {"TableName": "Bare", "Item": {"PK": {"S": "NOTHING"}}})
    with pytest.raises(UnknownEntity):
        drain(feed_of(db, table=table))
    assert drain(feed_of(db, table=table, unknown="skip")) == []
