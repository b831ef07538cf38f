"""Batches: many gets or writes in few requests, and what is left of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.client import raw, world
from tests.client.conftest import QUICK
from tests.client.scripted import Script, lost, throttled, unsent
from tests.client.world import Board, Doc, Guest, Title, new_task

from tablewright.client import Db, RequestEvent, Retries
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.model import Op, attr, definition, delete, put, update
from tablewright.model.errors import (
    BatchIncomplete,
    OutcomeUnknown,
    RequestError,
    Throttled,
    Unavailable,
)
from tablewright.testing import Backend, injected


@pytest.fixture
def events() -> list[RequestEvent]:
    return []


@pytest.fixture
def watched(tablewright_backend: Backend, db: Db, events: list[RequestEvent]) -> Db:
    return tablewright_backend.db(retries=QUICK, hook=events.append)


def test_more_gets_than_a_request_takes(watched: Db, events: list[RequestEvent]) -> None:
    made = [new_task(number) for number in range(150)]
    watched.batch([put(each) for each in made])
    assert [event.operation for event in events] == ["BatchWriteItem"] * 6
    del events[:]
    wanted = [world.task("L", each.made_at, each.task_id) for each in reversed(made)]
    found = watched.batch([*wanted, world.task("L", world.NOON, "none")])
    assert list(found) == [*reversed(made), None]
    assert [event.operation for event in events] == ["BatchGetItem"] * 2


def test_the_same_get_twice(db: Db) -> None:
    stored = db.run(put(Doc(doc_id="1")))
    assert db.batch([world.doc("1"), world.doc("2"), world.doc("1")]) == (stored, None, stored)


def test_gets_of_several_kinds(db: Db) -> None:
    """With other projections and another consistency: in as many requests as it takes."""
    doc = db.run(put(Doc(doc_id="1")))
    db.run(put(Board(list_id="L", title="x")))
    found = db.batch([world.title("L"), world.doc("1"), world.title("M")])
    assert found == (Title(title="x"), doc, None)


def test_writes(db: Db) -> None:
    db.batch([put(Board(list_id=str(number))) for number in range(60)])
    left = [delete(Board, str(number)) for number in range(59)]
    result = db.batch([*left, put(Board(list_id="new"))])
    assert result == (*[None] * 59, Board(list_id="new"))
    assert {item["list_id"]["S"] for item in raw.items(db, world.app)} == {"59", "new"}
    assert db.batch([]) == ()


@pytest.mark.parametrize(
    ("ops", "text"),
    [
        (lambda: [put(Board(list_id="1")), world.doc("1")], "all gets"),
        (lambda: [update(Board, "1").do(attr(Board.title).set("x"))], "Update cannot be in a"),
        (lambda: [put(Board(list_id="1")), delete(Board, "1")], "the same item"),
        (lambda: [put(Board(list_id="1")).new()], "cannot check"),
        (lambda: [put(Doc(doc_id="1"))], "cannot check"),
        (lambda: [put(Guest(guest_id="1"))], "cannot check"),
        (lambda: [delete(Guest, "1")], "cannot check"),
        (lambda: [delete(Board, "1").existing()], "cannot check"),
    ],
)
def test_what_a_batch_cannot_do(db: Db, ops: Callable[[], list[Op[object]]], text: str) -> None:
    with pytest.raises(RequestError, match=text):
        db.batch(ops())
    assert raw.items(db, world.app) == []


# --- unprocessed: only our engine can be told to leave something ----------------------------------


@pytest.fixture
def engine_db(tablewright_engine: Engine, clock: ManualClock) -> Db:
    from tablewright.client import Embedded

    made = Db(Embedded(tablewright_engine), clock=clock, retries=QUICK)
    made.create_tables(world.app)
    return made


def test_unprocessed_writes_and_gets_are_tried_again(
    engine_db: Db, tablewright_engine: Engine
) -> None:
    made = [new_task(number) for number in range(120)]
    with injected(tablewright_engine, Fault(["BatchWriteItem", "BatchGetItem"], unprocessed=0.5)):
        engine_db.batch([put(each) for each in made])
        found = engine_db.batch([world.task("L", each.made_at, each.task_id) for each in made])
    assert list(found) == made


def test_writes_that_are_left_are_told(engine_db: Db, tablewright_engine: Engine) -> None:
    ops = [put(new_task(number)) for number in range(40)]
    fault = Fault("BatchWriteItem", unprocessed=1.0)
    with injected(tablewright_engine, fault), pytest.raises(BatchIncomplete) as caught:
        engine_db.batch(ops)
    error = caught.value
    assert list(error.unprocessed) == ops
    assert error.results == (None,) * 40
    assert "40 of 40" in str(error)
    engine_db.batch(error.unprocessed)  # type: ignore[arg-type]
    assert len(raw.items(engine_db, world.app)) == 40


def test_part_of_the_writes_left(engine_db: Db, tablewright_engine: Engine) -> None:
    ops = [put(new_task(number)) for number in range(30)]
    # The first request passes whole; every one after it leaves everything.
    from tablewright.client import Embedded
    from tablewright.client.transports import Request, Response

    class Tiring(Embedded):
        sent = 0

        def send(self, request: Request) -> Response:
            self.sent += 1
            if self.sent == 1:
                return super().send(request)
            with injected(tablewright_engine, Fault("BatchWriteItem", unprocessed=1.0)):
                return super().send(request)

    tired = Db(Tiring(tablewright_engine), retries=QUICK)
    with pytest.raises(BatchIncomplete) as caught:
        tired.batch(ops)
    assert caught.value.unprocessed == tuple(ops[25:])
    assert caught.value.results == (*[op.entity for op in ops[:25]], *[None] * 5)


def test_gets_that_are_left_are_told_with_those_that_are_not(
    engine_db: Db, tablewright_engine: Engine
) -> None:
    from tablewright.client import Embedded
    from tablewright.client.transports import Request, Response

    board = engine_db.run(put(Board(list_id="L", title="x")))
    doc = engine_db.run(put(Doc(doc_id="1")))

    class OneTable(Embedded):
        """Answers for whole items only when asked for a projection."""

        def send(self, request: Request) -> Response:
            asked = request.body["RequestItems"]["World"]  # type: ignore[index]
            if "ProjectionExpression" in asked:
                return super().send(request)
            left = [key for key in asked["Keys"] if key["PK"] != {"S": "DOC#1"}]
            kept = {**asked, "Keys": [key for key in asked["Keys"] if key not in left]}
            body: dict[str, object] = {"Responses": {}}
            if kept["Keys"]:
                body = super().send(Request("BatchGetItem", {"RequestItems": {"World": kept}})).body
            body["UnprocessedKeys"] = {"World": {**asked, "Keys": left}}
            return Response(body, 0, 0)

    slow = Db(OneTable(tablewright_engine), retries=Retries(attempts=2, base=0.001))
    title, first, second = world.title("L"), world.doc("1"), world.doc("2")
    with pytest.raises(BatchIncomplete) as caught:
        slow.batch([title, first, second])
    assert caught.value.results == (Title(title=board.title), doc, None)
    assert caught.value.unprocessed == (second,)
    # What stands in a later group was not asked for at all.
    with pytest.raises(BatchIncomplete) as caught:
        slow.batch([second, title])
    assert caught.value.unprocessed == (second, title)
    assert caught.value.results == (None, None)


@pytest.mark.parametrize("problem", [throttled, lost, unsent])
def test_a_request_that_is_refused_whole_leaves_its_ops(problem: Callable[[], Exception]) -> None:
    """What was done before it is told, and what is not."""
    once = Retries(attempts=1)
    boards = [put(Board(list_id=str(number))) for number in range(60)]
    with pytest.raises(BatchIncomplete, match="35 of 60 writes") as caught:
        Db(Script({}, problem()), retries=once).batch(boards)  # type: ignore[arg-type]
    assert caught.value.unprocessed == tuple(boards[25:])
    assert caught.value.results == (*[op.entity for op in boards[:25]], *[None] * 35)
    assert isinstance(caught.value.__cause__, Unavailable | OutcomeUnknown)

    gets = [world.doc(str(number)) for number in range(150)]
    stored = Doc(doc_id="0", version=1)
    answer = {"Responses": {"World": [definition(stored).encode(stored)]}}
    with pytest.raises(BatchIncomplete, match="50 of 150 items") as caught:
        Db(Script(answer, problem()), retries=once).batch(gets)  # type: ignore[arg-type]
    assert caught.value.unprocessed == tuple(gets[100:])
    assert caught.value.results == (stored, *[None] * 149)
    assert isinstance(caught.value.__cause__, Unavailable)


def test_a_batch_of_which_nothing_was_done_says_why() -> None:
    once = Retries(attempts=1)
    with pytest.raises(Throttled):
        Db(Script(throttled()), retries=once).batch([put(Board(list_id="1"))])
    with pytest.raises(OutcomeUnknown):
        Db(Script(lost()), retries=once).batch([put(Board(list_id="1"))])
    # Of two groups, the second one is not asked for.
    with pytest.raises(Throttled):
        Db(Script(throttled()), retries=once).batch([world.doc("1"), world.title("L")])


def test_a_read_of_many_items_that_is_refused_says_why() -> None:
    with pytest.raises(Throttled):
        Db(Script(throttled()), retries=Retries(attempts=1)).run(world.hits("home"))
