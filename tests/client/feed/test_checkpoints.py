"""Checkpoints in a table: who may write, and what happens if answers are lost."""

from __future__ import annotations

from typing import Any

import pytest
from tests.client.feed.shop import app, drain, feed_of, ids, kit, order

from tablewright.client import Db
from tablewright.client.feed import (
    Claim,
    ConsumerReplaced,
    MemoryCheckpoints,
    Position,
    TableCheckpoints,
    feed_entities,
)
from tablewright.engine import Engine, Fault
from tablewright.model import Entity, Key, Number, Table, put
from tablewright.model.errors import ModelError
from tablewright.testing import injected


class Store:
    """A store, driven."""

    def __init__(self, db: Db, checkpoints: Any) -> None:
        self.db = db
        self.checkpoints = checkpoints

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.checkpoints, name)
        return lambda *given: self.db.drive(method(self.db.context, *given))


@pytest.fixture(params=["memory", "table", "partition key alone"])
def store(request: pytest.FixtureRequest, db: Db) -> Store:
    if request.param == "memory":
        return Store(db, MemoryCheckpoints())
    if request.param == "table":
        return Store(db, TableCheckpoints(kit))
    flat = Table("Flat", pk="id")
    db.create_tables(flat)
    return Store(db, TableCheckpoints(flat))


def test_how_far_others_have_come(db: Db) -> None:
    """Whoever wants to know does not claim the name for that."""
    store = Store(db, TableCheckpoints(kit))
    assert store.seen("mail") is None
    claim = store.claim("mail")
    assert store.seen("mail") is None
    store.note(claim, "arn", 1800000000.25)
    assert store.seen("mail") == 1800000000.25
    store.create(claim, "a", Position())


def test_a_first_start(store: Store) -> None:
    claim = store.claim("mail")
    assert claim == Claim("mail", 1)
    assert store.open(claim, ["a", "b"]) == {}


@pytest.mark.parametrize(
    "position",
    [Position(), Position("123"), Position(since=1800000000.5), Position("9", done=True)],
)
def test_what_is_saved_is_found(store: Store, position: Position) -> None:
    claim = store.claim("mail")
    store.create(claim, "a", Position())
    store.save(claim, "a", position)
    store.create(claim, "b", position)
    store.note(claim, "arn", 1800000000.25)
    again = store.claim("mail")
    assert again == Claim("mail", 2, "arn", 1800000000.25)
    assert store.open(again, ["a", "b", "c"]) == {"a": position, "b": position}
    store.note(again, "arn", None)
    assert store.claim("mail") == Claim("mail", 3, "arn", None)


def test_consumers_do_not_meet(store: Store) -> None:
    one, two = store.claim("one"), store.claim("two")
    store.create(one, "a", Position("1"))
    assert store.open(two, ["a"]) == {}


def test_forget(store: Store) -> None:
    claim = store.claim("mail")
    for shard in ("a", "b"):
        store.create(claim, shard, Position("1"))
    store.forget(claim, ["a"])
    assert store.open(claim, ["a", "b"]) == {"b": Position("1")}


def test_an_earlier_start_cannot_write(store: Store) -> None:
    early = store.claim("mail")
    store.create(early, "a", Position("1"))
    late = store.claim("mail")
    assert store.open(late, ["a"]) == {"a": Position("1")}
    with pytest.raises(ConsumerReplaced):
        store.save(early, "a", Position("2"))
    with pytest.raises(ConsumerReplaced):
        store.create(early, "b", Position())
    with pytest.raises(ConsumerReplaced):
        store.note(early, "arn", 0.0)
    with pytest.raises(ConsumerReplaced):
        store.open(early, ["a"])
    assert store.open(late, ["a", "b"]) == {"a": Position("1")}


def test_a_commit_between_claim_and_open_is_found(db: Db) -> None:
    store = Store(db, TableCheckpoints(kit))
    early = store.claim("mail")
    store.create(early, "a", Position("1"))
    late = store.claim("mail")
    store.save(early, "a", Position("2"))
    assert store.open(late, ["a"]) == {"a": Position("2")}


@pytest.mark.parametrize("operation", ["UpdateItem", "PutItem", "TransactWriteItems"])
def test_lost_answers(db: Db, engine: Engine, operation: str) -> None:
    db.run(put(order(1)))
    for number in (1, 2, 3):
        lost = Fault(operation, error="InternalServerError", after=True, times=1)
        with injected(engine, lost):
            found = drain(feed_of(db, TableCheckpoints(kit)))
        assert ids(found) == [f"{number:04d}"]
        db.run(put(order(number + 1)))


def test_rivals(db: Db, engine: Engine) -> None:
    """Between the look and the claim, somebody else was faster."""
    store = Store(db, TableCheckpoints(kit))
    store.claim("mail")
    fault = Fault("UpdateItem", error="ConditionalCheckFailedException", times=3)
    with injected(engine, fault):
        assert store.claim("mail").generation == 2


# --- entities ------------------------------------------------------------------------------------


def test_the_entities_are_made_once() -> None:
    table = Table("Any", pk="PK", sk="SK", ttl="ends")
    assert feed_entities(table) == feed_entities(table)
    TableCheckpoints(table)
    assert list(table.entities) == ["FeedConsumer", "FeedCheckpoint", "FeedDone"]


def test_tables_that_cannot_hold_them() -> None:
    with pytest.raises(ModelError, match="number is of type N"):
        TableCheckpoints(Table("Any", pk=Number("number")))


def test_names_that_are_taken(db: Db) -> None:
    table = Table("Odd", pk="consumer", sk="shard", ttl="sequence", discriminator="generation")

    class Own(Entity, table=table, keys={"primary": Key("OWN#{name}", "IT")}):
        name: str

    db.create_tables(table)
    db.run(put(order(1)))
    assert ids(drain(feed_of(db, TableCheckpoints(table)))) == ["0001"]
    assert drain(feed_of(db, TableCheckpoints(table))) == []


def test_in_the_consumed_table_with_entities_named(db: Db) -> None:
    """Whoever asks for the bookkeeping gets it."""
    db.run(put(order(1)))
    drain(feed_of(db, TableCheckpoints(app)))
    kept = feed_entities(app).consumer
    found = drain(feed_of(db, entities=[kept], consumer="auditor"))
    assert found[0].new.consumer == "tests"
