"""The hook: one event per request."""

from __future__ import annotations

import pytest
from tests.client import world
from tests.client.world import Board, Doc, Person, new_task

from tablewright.client import Db, RequestEvent
from tablewright.engine import Fault
from tablewright.model import Put, put, update, write
from tablewright.model import attr as at
from tablewright.model.errors import AlreadyExists, TransactionCancelled
from tablewright.testing import Backend, injected


@write(component="shop")
def add_doc(doc: Doc) -> Put[Doc]:
    """A new document."""
    return put(doc)


@pytest.fixture
def events() -> list[RequestEvent]:
    return []


@pytest.fixture
def watched(tablewright_backend: Backend, db: Db, events: list[RequestEvent]) -> Db:
    return tablewright_backend.db(hook=events.append)


def test_a_named_write(
    watched: Db, events: list[RequestEvent], tablewright_backend: Backend
) -> None:
    watched.run(add_doc(Doc(doc_id="1")))
    [event] = events
    assert (event.pattern, event.component) == ("add_doc", "shop")
    assert (event.operation, event.table, event.index) == ("PutItem", "World", None)
    assert (event.attempts, event.error) == (1, None)
    assert (event.read_units, event.write_units) == (0.0, 1.0)
    assert event.seconds > 0
    over_a_wire = tablewright_backend.name != "engine"
    assert (event.sent > 0, event.received > 0) == (over_a_wire, over_a_wire)


def test_reads_and_index_writes(watched: Db, events: list[RequestEvent]) -> None:
    watched.run(put(new_task(1, owner="ann")))
    assert events[-1].write_units == 5.0
    assert {each.index for each in events[-1].consumed} == {None, "GSI1", "GSI2", "GSI3", "LSI1"}
    watched.run(world.task("L", new_task(1).made_at, "t0001"))
    assert (events[-1].pattern, events[-1].read_units) == ("task", 1.0)
    watched.run(world.open_tasks("ann"))
    assert (events[-1].index, events[-1].read_units) == ("GSI1", 0.5)


def test_an_error(watched: Db, events: list[RequestEvent]) -> None:
    watched.run(put(Doc(doc_id="1")))
    with pytest.raises(AlreadyExists):
        watched.run(add_doc(Doc(doc_id="1")))
    event = events[-1]
    assert (event.pattern, event.error) == ("add_doc", "ConditionalCheckFailedException")
    assert event.failures == ("ConditionalCheckFailedException",)


def test_every_attempt_that_failed(
    watched: Db, events: list[RequestEvent], tablewright_backend: Backend
) -> None:
    watched.run(put(Doc(doc_id="1")))
    with pytest.raises(TransactionCancelled):
        watched.transact(add_doc(Doc(doc_id="1")), put(Doc(doc_id="2")))
    assert events[-1].error == "TransactionCanceledException"
    assert events[-1].failures == ("ConditionalCheckFailed",)
    if tablewright_backend.engine is None:
        return  # only our own engine can be told to fail
    throttle = Fault("PutItem", error="ThrottlingException", times=2)
    with injected(tablewright_backend.engine, throttle):
        watched.run(put(Doc(doc_id="3")))
    event = events[-1]
    assert (event.error, event.attempts) == (None, 3)
    assert event.failures == ("ThrottlingException", "ThrottlingException")


def test_all_requests_of_an_op_report_as_it(
    watched: Db, events: list[RequestEvent], tablewright_backend: Backend
) -> None:
    stored = watched.run(put(Person(person_id="a", email="x")).named("sign_up", "web"))
    assert [(each.pattern, each.operation) for each in events] == [
        ("sign_up", "TransactWriteItems")
    ]
    if tablewright_backend.name != "local":  # which doubles what it has doubled
        # The person and its lock twice each, the index entry once.
        assert events[-1].write_units == 5.0
    del events[:]
    watched.run(update(Person, "a").do(at(Person.handle).set("h")).named("rename", "web"))
    assert [(each.pattern, each.operation) for each in events] == [
        ("rename", "GetItem"),
        ("rename", "TransactWriteItems"),
        ("rename", "GetItem"),
    ]
    assert stored.handle is None


def test_batches_and_scans(watched: Db, events: list[RequestEvent]) -> None:
    watched.batch([put(Board(list_id=str(number))) for number in range(30)])
    assert [each.write_units for each in events] == [25.0, 5.0]
    del events[:]
    list(watched.iterate(world.all_tasks()))
    assert [(each.pattern, each.operation) for each in events] == [("all_tasks", "Scan")]
