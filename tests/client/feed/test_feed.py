"""Delivering and committing: at least once, from where the last start ended."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import pytest
from tests.client.feed.shop import Order, app, drain, feed_of, ids, kit, open_db, order

from tablewright.client import Db, Embedded, Retries
from tablewright.client.feed import (
    Change,
    ChangesLost,
    ConsumerReplaced,
    Gap,
    HandlerFailed,
    MemoryCheckpoints,
    Polling,
    TableCheckpoints,
)
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.engine.streams.listing import prune
from tablewright.model import Entity, Key, Table, attr, put, update
from tablewright.model.errors import RequestError, Throttled
from tablewright.testing import injected


@pytest.fixture(params=["memory", "table"])
def checkpoints(request: pytest.FixtureRequest) -> Any:
    return MemoryCheckpoints() if request.param == "memory" else TableCheckpoints(kit)


def place(db: Db, *numbers: int) -> None:
    for number in numbers:
        db.run(put(order(number)))


# --- committing ----------------------------------------------------------------------------


def test_a_restart_goes_on_after_the_checkpoint(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2)
    assert ids(drain(feed_of(db, checkpoints))) == ["0001", "0002"]
    place(db, 3)
    assert ids(drain(feed_of(db, checkpoints))) == ["0003"]
    assert drain(feed_of(db, checkpoints)) == []


def test_what_was_not_committed_comes_again(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2)
    assert ids(drain(feed_of(db, checkpoints), commit=False)) == ["0001", "0002"]
    assert ids(drain(feed_of(db, checkpoints), commit=False)) == ["0001", "0002"]


def test_a_commit_up_to_one_change(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2, 3)
    feed = feed_of(db, checkpoints)
    changes = drain(feed, commit=False)
    feed.commit(changes[1])
    assert ids(drain(feed_of(db, checkpoints))) == ["0003"]


def test_a_commit_up_to_one_change_and_then_of_the_rest(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2, 3)
    feed = feed_of(db, checkpoints)
    changes = drain(feed, commit=False)
    feed.commit(changes[0])
    with pytest.raises(RequestError, match="not among what was delivered"):
        feed.commit(changes[0])
    feed.commit()
    assert drain(feed_of(db, checkpoints)) == []


def test_rewind(db: Db) -> None:
    place(db, 1, 2, 3)
    feed = feed_of(db)
    changes = drain(feed, commit=False)
    feed.commit(changes[0])
    feed.rewind()
    assert ids(drain(feed)) == ["0002", "0003"]


def test_a_batch_is_committed_at_its_end(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2)
    feed = feed_of(db, checkpoints)
    with feed.batch(wait=5) as changes:
        assert ids(changes) == ["0001", "0002"]
    assert drain(feed_of(db, checkpoints)) == []


def test_a_batch_that_fails_comes_again(db: Db) -> None:
    place(db, 1, 2)
    feed = feed_of(db)
    with pytest.raises(ZeroDivisionError), feed.batch(wait=5):
        raise ZeroDivisionError
    with feed.batch(wait=5) as changes:
        assert ids(changes) == ["0001", "0002"]


def test_commit_without_anything_delivered(db: Db) -> None:
    feed = feed_of(db)
    feed.commit()
    feed.start()
    feed.commit()
    assert drain(feed) == []


def test_small_pages(db: Db) -> None:
    for customer in ("ada", "bob", "cy", "dan"):
        for number in range(7):
            db.run(put(order(number, customer)))
    feed = feed_of(db, polling=Polling(page=2, least=0, most=0, relist=0))
    seen: dict[str, list[str]] = {}
    for change in drain(feed):
        seen.setdefault(change.new.customer_id, []).append(change.new.order_id)
    # All of them, and those of each partition in order.
    assert seen == {
        customer: [f"{n:04d}" for n in range(7)] for customer in ("ada", "bob", "cy", "dan")
    }


# --- where to start --------------------------------------------------------------------------


def test_latest_leaves_out_what_is_there(db: Db, checkpoints: Any) -> None:
    place(db, 1)
    feed = feed_of(db, checkpoints, start="latest")
    feed.start()
    place(db, 2)
    assert ids(drain(feed)) == ["0002"]


def test_latest_is_the_moment_of_the_first_start(
    db: Db, checkpoints: Any, clock: ManualClock
) -> None:
    place(db, 1)
    clock.advance(60)
    feed_of(db, checkpoints, start="latest").start()
    # It ended before it saw anything; what came then is not lost.
    place(db, 2)
    clock.advance(3600)
    place(db, 3)
    assert ids(drain(feed_of(db, checkpoints, start="latest"))) == ["0002", "0003"]


def test_latest_after_its_iterators_expired(db: Db, checkpoints: Any, clock: ManualClock) -> None:
    place(db, 1)
    clock.advance(60)
    feed = feed_of(db, checkpoints, start="latest")
    feed.start()
    place(db, 2)
    clock.advance(16 * 60)
    assert ids(drain(feed)) == ["0002"]


def test_expired_iterators(db: Db, checkpoints: Any, clock: ManualClock) -> None:
    feed = feed_of(db, checkpoints)
    place(db, 1)
    assert ids(drain(feed)) == ["0001"]
    place(db, 2)
    clock.advance(16 * 60)
    assert ids(drain(feed)) == ["0002"]


def test_a_table_without_a_stream(db: Db) -> None:
    with pytest.raises(RequestError, match=r"Kit has no stream: declare it with stream="):
        feed_of(db, table=kit).poll()


def test_a_table_that_is_not_there(db: Db) -> None:
    with pytest.raises(RequestError, match="no table Nowhere"):
        feed_of(db, table=Table("Nowhere", pk="PK")).poll()


# --- consumers -------------------------------------------------------------------------------


def test_each_consumer_gets_everything(db: Db, checkpoints: Any) -> None:
    place(db, 1)
    assert ids(drain(feed_of(db, checkpoints, consumer="one"))) == ["0001"]
    assert ids(drain(feed_of(db, checkpoints, consumer="two"))) == ["0001"]


def test_the_later_start_of_a_name_wins(db: Db, checkpoints: Any) -> None:
    place(db, 1)
    early = feed_of(db, checkpoints)
    assert ids(drain(early, commit=False)) == ["0001"]
    late = feed_of(db, checkpoints)
    late.start()
    with pytest.raises(ConsumerReplaced, match="'tests' was started again"):
        early.commit()
    # It stays out: going on would mean to take the name back.
    with pytest.raises(ConsumerReplaced):
        early.poll()
    assert ids(drain(late)) == ["0001"]
    place(db, 2)
    assert ids(drain(late)) == ["0002"]


def test_a_commit_before_the_other_start_counts(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2)
    early = feed_of(db, checkpoints)
    changes = drain(early, commit=False)
    early.commit(changes[0])
    assert ids(drain(feed_of(db, checkpoints))) == ["0002"]


# --- checkpoints in the table that is consumed ---------------------------------------------------


def test_a_feed_does_not_feed_itself(db: Db, engine: Engine) -> None:
    place(db, 1)
    feed = feed_of(db, TableCheckpoints(app))
    assert ids(drain(feed)) == ["0001"]

    def records() -> int:
        found = drain(feed_of(db, entities=None, unknown="raw", consumer="other"), commit=False)
        assert ids(found) == ["0001"]
        return int(engine.store.rows("SELECT COUNT(*) FROM stream_records", ())[0][0])

    before = records()
    for _ in range(50):
        assert feed.poll() == []
        feed.commit()
    assert records() - before <= 8


# --- run ---------------------------------------------------------------------------------------


def test_run(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2)
    stop, seen = threading.Event(), []

    def handle(change: Change) -> None:
        seen.append(change.new.order_id)
        if len(seen) == 4:
            stop.set()

    feed = feed_of(db, checkpoints, polling=None)
    thread = threading.Thread(target=feed.run, args=(handle, stop))
    thread.start()
    place(db, 3, 4)
    thread.join(20)
    assert not thread.is_alive()
    assert seen == ["0001", "0002", "0003", "0004"]
    assert drain(feed_of(db, checkpoints)) == []


def test_stop_in_the_middle_of_a_page(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2, 3)
    stop = threading.Event()
    feed_of(db, checkpoints).run(lambda change: stop.set(), stop)
    assert ids(drain(feed_of(db, checkpoints))) == ["0002", "0003"]


def test_stop_while_there_is_nothing(db: Db) -> None:
    stop = threading.Event()
    slow = Polling(least=60, most=60, relist=60)
    thread = threading.Thread(target=feed_of(db, polling=slow).run, args=(print, stop))
    thread.start()
    time.sleep(0.05)
    stop.set()
    thread.join(5)
    assert not thread.is_alive()


def test_a_handler_that_raises(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2, 3)

    def handle(change: Change) -> None:
        if change.new.order_id == "0002":
            raise ZeroDivisionError("no")

    feed = feed_of(db, checkpoints)
    for _ in range(2):
        with pytest.raises(HandlerFailed, match=r"of Order CUST#ada, ORDER#0002.*no") as failed:
            feed.run(handle)
        assert failed.value.change.sequence in str(failed.value)
        assert isinstance(failed.value.__cause__, ZeroDivisionError)
    assert ids(drain(feed_of(db, checkpoints))) == ["0002", "0003"]


@pytest.mark.parametrize("page", [2, 100])
def test_run_again_after_it_ended_in_the_middle_of_a_page(
    db: Db, checkpoints: Any, page: int
) -> None:
    place(db, 1, 2, 3, 4)
    stop, seen = threading.Event(), list[str]()
    feed = feed_of(db, checkpoints, polling=Polling(page=page, least=0, most=0, relist=0))

    def handle(change: Change) -> None:
        if len(seen) == 1:
            seen.append("interrupted")
            raise KeyboardInterrupt
        seen.append(change.new.order_id)
        if change.new.order_id == "0004":
            stop.set()

    with pytest.raises(KeyboardInterrupt):
        feed.run(handle, stop)
    feed.run(handle, stop)
    assert seen == ["0001", "interrupted", "0001", "0002", "0003", "0004"]
    assert drain(feed_of(db, checkpoints)) == []


def test_run_again_after_a_commit_that_failed(engine: Engine, db: Db) -> None:
    place(db, 1, 2, 3, 4)
    impatient = Db(Embedded(engine), clock=engine.clock, retries=Retries(attempts=1))
    feed = feed_of(
        impatient, TableCheckpoints(kit), polling=Polling(page=2, least=0, most=0, relist=0)
    )
    feed.start()
    stop, seen = threading.Event(), list[str]()

    def handle(change: Change) -> None:
        if change.new.order_id == "0002" and "0002" not in seen:
            seen.append("0002")
            raise ZeroDivisionError
        seen.append(change.new.order_id)
        if change.new.order_id == "0004":
            stop.set()

    refused = Fault("UpdateItem", error="ProvisionedThroughputExceededException")
    with injected(engine, refused), pytest.raises(Throttled):
        feed.run(handle, stop)
    feed.run(handle, stop)
    assert seen == ["0001", "0002", "0001", "0002", "0003", "0004"]
    assert drain(feed_of(db, TableCheckpoints(kit))) == []


def test_a_slow_handler_commits_within_a_page(
    db: Db, checkpoints: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablewright.client.feed.feed._COMMIT_SECONDS", 0.0)
    place(db, 1, 2, 3)

    def handle(change: Change) -> None:
        if change.new.order_id == "0003":
            raise KeyboardInterrupt  # as if the process ended here

    with pytest.raises(KeyboardInterrupt):
        feed_of(db, checkpoints).run(handle)
    assert ids(drain(feed_of(db, checkpoints))) == ["0003"]


def test_iteration(db: Db, checkpoints: Any) -> None:
    place(db, 1, 2)
    seen: list[str] = []
    for change in feed_of(db, checkpoints):
        if change.new.order_id == "0002" and len(seen) < 3:
            place(db, 3)
        seen.append(change.new.order_id)
        if change.new.order_id == "0003":
            break
    assert seen == ["0001", "0002", "0003"]
    # The page before is committed; the change that was broken off at is not.
    assert ids(drain(feed_of(db, checkpoints))) == ["0003"]


def test_two_iterations_of_one_feed(db: Db) -> None:
    place(db, 1, 2)
    feed = feed_of(db)
    assert next(iter(feed)).new.order_id == "0001"
    assert next(iter(feed)).new.order_id == "0001"


# --- waiting ---------------------------------------------------------------------------------


def test_polls_are_polite(db: Db) -> None:
    calls: Counter[str] = Counter()
    watched = Db(
        db._transport,
        clock=db.context.clock,
        hook=lambda event: calls.update([event.operation]),
    )
    feed = feed_of(watched, polling=Polling(least=0.1, most=0.4))
    assert feed.poll(wait=1.0) == []
    # Four shards: at 0, 0.1, 0.3 and 0.7 s.
    assert 8 <= calls["GetRecords"] <= 16
    assert calls["DescribeStream"] == 1


def test_a_poll_waits_for_a_change(db: Db) -> None:
    feed = feed_of(db, polling=None)
    feed.start()
    threading.Timer(0.3, place, (db, 1)).start()
    started = time.monotonic()
    assert ids(feed.poll(wait=20)) == ["0001"]
    assert 0.2 < time.monotonic() - started < 5


def test_requests_tell_who_asks(db: Db) -> None:
    asked: set[tuple[str, str | None, str]] = set()
    watched = Db(
        db._transport,
        clock=db.context.clock,
        hook=lambda event: asked.add((event.pattern, event.component, event.operation)),
    )
    place(db, 1)
    checkpoints = TableCheckpoints(kit, component="mail")
    drain(feed_of(watched, checkpoints, component="mail"))
    assert ("feed", "mail", "GetRecords") in asked
    assert ("feed_commit", "mail", "UpdateItem") in asked
    assert {component for _, component, _ in asked} == {"mail"}


# --- streams that are switched ---------------------------------------------------------------


def switch(engine: Engine, on: bool) -> None:
    wanted: dict[str, Any] = {"StreamEnabled": on}
    if on:
        wanted["StreamViewType"] = "NEW_AND_OLD_IMAGES"
    engine.call("UpdateTable", {"TableName": "Shop", "StreamSpecification": wanted})


@pytest.mark.parametrize("restart", [False, True])
def test_a_stream_that_is_switched_off_and_on(
    db: Db, engine: Engine, checkpoints: Any, clock: ManualClock, restart: bool
) -> None:
    gaps: list[Gap] = []
    feed = feed_of(db, checkpoints, on_gap=gaps.append)
    place(db, 1)
    assert ids(drain(feed)) == ["0001"]
    place(db, 2)
    switch(engine, False)
    place(db, 3)  # in no stream
    clock.advance(1)
    switch(engine, True)
    place(db, 4)
    if restart:
        feed = feed_of(db, checkpoints, on_gap=gaps.append)
    assert ids(drain(feed)) == ["0002", "0004"]
    assert [gap.reason for gap in gaps] == ["switched_off"]
    place(db, 5)
    assert ids(drain(feed_of(db, checkpoints))) == ["0005"]


def test_a_stream_that_is_switched_is_a_gap(db: Db, engine: Engine) -> None:
    feed = feed_of(db)
    place(db, 1)
    drain(feed)
    switch(engine, False)
    switch(engine, True)
    with pytest.raises(ChangesLost, match="was off for a time"):
        drain(feed)


def test_checkpoints_of_a_stream_that_is_over_are_forgotten(db: Db, engine: Engine) -> None:
    feed = feed_of(db, TableCheckpoints(kit), on_gap="continue")
    drain(feed)
    switch(engine, False)
    switch(engine, True)
    drain(feed)
    assert engine.call("Scan", {"TableName": "Kit"})["Count"] == 5


def test_checkpoints_that_came_from_another_table(engine: Engine, clock: ManualClock) -> None:
    """As in a table that was restored under another name, while the old one still has a stream."""
    checkpoints, gaps = MemoryCheckpoints(), list[Gap]()
    old = open_db(engine)
    place(old, 1)
    drain(feed_of(old, checkpoints))
    clock.advance(1)
    new = Db(old._transport, names=lambda name: f"restored-{name}", clock=clock)
    new.create_tables(app, kit)
    place(old, 2)
    place(new, 3)
    with feed_of(new, checkpoints, on_gap=gaps.append) as feed:
        assert ids(drain(feed)) == ["0003"]
    assert [gap.reason for gap in gaps] == ["expired"]
    assert drain(feed_of(new, checkpoints)) == []


# --- away for too long -----------------------------------------------------------------------


def test_away_for_more_than_a_day(
    db: Db, engine: Engine, checkpoints: Any, clock: ManualClock
) -> None:
    place(db, 1)
    drain(feed_of(db, checkpoints))
    place(db, 2)
    clock.advance(25 * 3600)
    prune(engine)
    place(db, 3)
    with pytest.raises(ChangesLost, match="dropped changes"):
        drain(feed_of(db, checkpoints))
    assert ids(drain(feed_of(db, checkpoints, on_gap="continue"))) == ["0003"]
    assert drain(feed_of(db, checkpoints)) == []


def test_idle_for_more_than_a_day(
    db: Db, engine: Engine, checkpoints: Any, clock: ManualClock
) -> None:
    place(db, 1)
    feed = feed_of(db, checkpoints, polling=Polling(least=0, most=0, relist=0, refresh=0))
    for _ in range(30):
        drain(feed)
        clock.advance(3600)
        prune(engine)
    place(db, 2)
    assert ids(drain(feed_of(db, checkpoints))) == ["0002"]


def test_a_consumer_that_runs_now_and_then(
    db: Db, engine: Engine, checkpoints: Any, clock: ManualClock
) -> None:
    """What it saw is kept when it is closed, so that an old place is no gap."""
    place(db, 1)
    for _ in range(4):
        with feed_of(db, checkpoints) as feed:
            for _ in range(8):
                feed.poll()
                feed.commit()
        clock.advance(20 * 3600)
        prune(engine)
    place(db, 2)
    assert ids(drain(feed_of(db, checkpoints))) == ["0002"]


def test_closing_commits_nothing(db: Db, checkpoints: Any) -> None:
    place(db, 1)
    with feed_of(db, checkpoints) as feed:
        assert ids(drain(feed, commit=False)) == ["0001"]
    assert ids(drain(feed_of(db, checkpoints))) == ["0001"]


# --- names ---------------------------------------------------------------------------------


def test_physical_names(engine: Engine) -> None:
    db = open_db(engine)
    named = Db(db._transport, names=lambda name: f"prod-{name}", clock=db.context.clock)
    named.create_tables(app, kit)
    place(db, 1)
    place(named, 2)
    assert ids(drain(feed_of(named, TableCheckpoints(kit)))) == ["0002"]
    assert engine.call("Scan", {"TableName": "Kit"})["Count"] == 0
    assert engine.call("Scan", {"TableName": "prod-Kit"})["Count"] == 5


def test_a_table_with_a_partition_key_alone(db: Db) -> None:
    flat = Table("Flat", pk="consumer", ttl="expires_at", discriminator=None, delimiter=":")

    class Other(Entity, table=flat, keys={"primary": Key("OTHER:{name}")}):
        name: str

    db.create_tables(flat)
    place(db, 1)
    assert ids(drain(feed_of(db, TableCheckpoints(flat)))) == ["0001"]
    place(db, 2)
    assert ids(drain(feed_of(db, TableCheckpoints(flat)))) == ["0002"]


def test_updates(db: Db) -> None:
    place(db, 1)
    db.run(update(Order, "ada", "0001").do(attr(Order.total).add(3)))
    change = drain(feed_of(db))[-1]
    assert (change.old.total, change.new.total) == (0, 3)
