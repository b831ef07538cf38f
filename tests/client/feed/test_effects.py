"""Effects that happen exactly once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.client.feed.shop import Balance, drain, feed_of, kit, order

from tablewright.client import Db, Retries
from tablewright.client.feed import Change, apply_once, once
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.engine.expiry.sweep import sweep
from tablewright.model import Put, Table, Update, attr, put, update
from tablewright.model.errors import (
    ConditionFailed,
    ModelError,
    OutcomeUnknown,
    RequestError,
    TransactionCancelled,
)
from tablewright.testing import injected


@pytest.fixture
def change(db: Db) -> Change:
    db.run(put(order(1)))
    (change,) = drain(feed_of(db))
    return change


def spend(amount: int) -> Update[Balance]:
    return update(Balance, "ada").do(attr(Balance.spent).add(amount)).upsert()


def spent(engine: Engine) -> int:
    key = {"PK": {"S": "BALANCE#ada"}, "SK": {"S": "TOTAL"}}
    found = engine.call("GetItem", {"TableName": "Kit", "Key": key}).get("Item", {})
    return int(found.get("spent", {"N": "0"})["N"])


def test_once(db: Db, engine: Engine, change: Change) -> None:
    assert apply_once(db, "tests", change, spend(5), marks=kit) is True
    assert apply_once(db, "tests", change, spend(5), marks=kit) is False
    assert spent(engine) == 5


def test_each_consumer_has_its_own_effects(db: Db, engine: Engine, change: Change) -> None:
    assert apply_once(db, "one", change, spend(5), marks=kit)
    assert apply_once(db, "two", change, spend(5), marks=kit)
    assert spent(engine) == 10


def test_other_members_may_fail_with_the_mark(db: Db, change: Change) -> None:
    """The second time, an effect that may only happen once fails too; it has happened."""
    effect = put(Balance(customer_id="ada")).new()
    assert apply_once(db, "tests", change, effect, marks=kit)
    assert not apply_once(db, "tests", change, effect, marks=kit)


def test_an_effect_that_is_refused(db: Db, engine: Engine, change: Change) -> None:
    poor = spend(-5).when(attr(Balance.spent) >= 5)
    with pytest.raises(TransactionCancelled) as cancelled:
        apply_once(db, "tests", change, poor, marks=kit)
    (failure,) = cancelled.value.failures
    assert failure.position == 0
    assert isinstance(failure.error, ConditionFailed)
    # Nothing was marked: it may be tried again.
    assert apply_once(db, "tests", change, spend(7), marks=kit)
    assert spent(engine) == 7


def test_a_lost_answer(db: Db, engine: Engine, change: Change) -> None:
    lost = Fault("TransactWriteItems", error="InternalServerError", after=True, times=1)
    with injected(engine, lost):
        assert apply_once(db, "tests", change, spend(5), marks=kit)
    assert spent(engine) == 5


def test_an_unknown_outcome_is_settled_by_the_next_delivery(
    db: Db, engine: Engine, change: Change
) -> None:
    impatient = Db(db._transport, clock=db.context.clock, retries=Retries(attempts=1))
    lost = Fault("TransactWriteItems", error="InternalServerError", after=True)
    with injected(engine, lost), pytest.raises(OutcomeUnknown):
        apply_once(impatient, "tests", change, spend(5), marks=kit)
    assert apply_once(db, "tests", change, spend(5), marks=kit) is False
    assert spent(engine) == 5


def test_the_mark_is_the_last_member(change: Change) -> None:
    effect = once("tests", change, spend(5), marks=kit)
    assert len(effect.members) == 2
    mark = effect.members[-1]
    assert isinstance(mark, Put)
    assert mark.entity.event_id == change.event_id
    assert mark.entity.expires_at == change.at + timedelta(days=2)
    assert once("tests", change, spend(5), marks=kit) == effect


def test_marks_end(db: Db, engine: Engine, clock: ManualClock, change: Change) -> None:
    apply_once(db, "tests", change, marks=kit)
    assert engine.call("Scan", {"TableName": "Kit"})["Count"] == 1
    clock.advance(2 * 24 * 3600 + 60)
    sweep(engine)
    assert engine.call("Scan", {"TableName": "Kit"})["Count"] == 0


def test_what_cannot_work(change: Change) -> None:
    with pytest.raises(ModelError, match="Bare cannot hold marks"):
        once("tests", change, marks=Table("Bare", pk="PK"))
    with pytest.raises(RequestError, match="may end before"):
        once("tests", change, marks=kit, keep=timedelta(hours=24))


def test_the_moment_of_a_change(change: Change, clock: ManualClock) -> None:
    assert change.at == datetime.fromtimestamp(int(clock.now()), UTC)
