"""What is tried again, what is not, and what is said in the end."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from tests.client import world
from tests.client.scripted import (
    QUICK,
    Runner,
    Script,
    broken,
    cancelled,
    failed_condition,
    lost,
    throttled,
    unsent,
)
from tests.client.world import Board, Doc, Guest

from tablewright.client import Db, Retries
from tablewright.client.transports import Failure
from tablewright.model import (
    Entity,
    Field,
    Key,
    Table,
    Transaction,
    attr,
    definition,
    delete,
    put,
    update,
)
from tablewright.model.errors import (
    AlreadyExists,
    NotFound,
    OutcomeUnknown,
    ServiceError,
    Throttled,
    TransactionCancelled,
    Unavailable,
    VersionConflict,
)

CONFLICT = {"Code": "TransactionConflict", "Message": "busy"}
FINE = {"Code": "None"}


def item(entity: Any) -> dict[str, Any]:
    return definition(entity).encode(entity)


@pytest.fixture(params=["sync", "async"])
def runner(request: pytest.FixtureRequest) -> Runner:
    return Runner(request.param)


class Note(Entity, table=Table("Lines", pk="PK"), keys={"primary": Key("NOTE#{note_id}")}):
    """With a list, and without a version."""

    note_id: str
    lines: list[str] = Field(default_factory=list)


COUNT = update(Doc, "1").do(attr(Doc.hits).add(1))
SET = update(Board, "L").do(attr(Board.title).set("x"))


# --- nothing was written: always again -----------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
        "TransactionConflictException",
    ],
)
def test_throttling_is_tried_again_whatever_it_is(runner: Runner, code: str) -> None:
    changed = Doc(doc_id="1", hits=1, version=1)
    script = Script(throttled(code), throttled(code), {"Attributes": item(changed)})
    assert runner.run(script, COUNT) == changed
    assert [event.attempts for event in runner.events] == [3]
    assert script.left == 0


def test_what_was_not_sent_is_tried_again(runner: Runner) -> None:
    script = Script(unsent(), unsent(), {"Attributes": item(Doc(doc_id="1", version=1))})
    runner.run(script, COUNT)
    assert len(script.requests) == 3


def test_giving_up(runner: Runner) -> None:
    script = Script(*[throttled()] * 4)
    with pytest.raises(Throttled, match=r"UpdateItem for adhoc .* after 4 attempts: too much"):
        runner.run(script, COUNT)
    script = Script(*[unsent()] * 4)
    with pytest.raises(Unavailable, match=r"after 4 attempts: no route") as caught:
        runner.run(script, COUNT)
    assert type(caught.value) is Unavailable
    assert [event.error for event in runner.events] == [
        "ProvisionedThroughputExceededException",
        "Unavailable",
    ]


def test_our_clock_put_right_is_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    wrong = Failure("InvalidSignatureException", "skew", 400, corrected=True)
    Db(Script(wrong, {})).run(world.doc("1"))
    assert waits == [0.0]


# --- waiting -------------------------------------------------------------------------------------


def test_waits_are_random_and_grow_up_to_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    policy = Retries(attempts=8, budget=100, base=0.1, cap=1.0)
    longest = [0.0] * 7
    for _ in range(60):
        del waits[:]
        with pytest.raises(Throttled):
            Db(Script(*[throttled()] * 8), retries=policy).run(world.doc("1"))
        assert len(waits) == 7
        longest = [max(pair) for pair in zip(longest, waits, strict=True)]
    for position, wait in enumerate(longest):
        most = min(1.0, 0.1 * 2**position)
        assert most / 2 < wait <= most


def test_the_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    policy = Retries(attempts=1000, budget=3.0, base=1.0, cap=1.0)
    script = Script(*[throttled()] * 1000)
    with pytest.raises(Throttled):
        Db(script, retries=policy).run(world.doc("1"))
    assert 1000 < now[0] <= 1003.0
    assert script.left > 900


def test_the_service_may_say_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    busy = Failure("ThrottlingException", "later", 400, retry_after=0.7)
    Db(Script(busy, {})).run(world.doc("1"))
    assert waits == [0.7]
    tired = Failure("ThrottlingException", "much later", 400, retry_after=70)
    with pytest.raises(Throttled):
        Db(Script(tired)).run(world.doc("1"))


# --- perhaps it was written ----------------------------------------------------------------------


@pytest.mark.parametrize("problem", [broken, lost, lambda: broken("HTTP 503", 503)])
def test_reads_are_tried_again(runner: Runner, problem: Any) -> None:
    doc = Doc(doc_id="1", version=1)
    assert runner.run(Script(problem(), problem(), {"Item": item(doc)}), world.doc("1")) == doc
    page = runner.run(Script(problem(), {"Items": []}), world.tasks("L"))
    assert page.items == ()
    with pytest.raises(Unavailable, match="got no usable answer"):
        runner.run(Script(*[problem() for _ in range(4)]), world.doc("1"))


@pytest.mark.parametrize("problem", [broken, lost])
def test_a_counting_update_is_not_repeated(runner: Runner, problem: Any) -> None:
    script = Script(problem())
    with pytest.raises(OutcomeUnknown, match="exactly_once"):
        runner.run(script, COUNT)
    assert len(script.requests) == 1
    appending = update(Doc, "1").do(attr(Doc.lines).append("x"))
    with pytest.raises(OutcomeUnknown):
        runner.run(Script(throttled(), problem()), appending)
    assert [event.attempts for event in runner.events] == [1, 2]


@pytest.mark.parametrize(
    "op",
    [
        SET.when(attr(Board.title) == "y"),
        delete(Board, "L").existing(),
        update(Board, "L").do(attr(Board.title).set(attr(Board.list_id))),
        # Beyond the end of a list, each of them appends.
        update(Note, "1").do(attr(Note.lines[5]).set("x")),
        update(Note, "1").do(attr(Note.lines[5]).set_if_missing("x")),
        update(Note, "1").do(attr(Note.lines[0]).remove()),
        # The second time, what it was before is what the first time made of it.
        SET.returning_old(),
    ],
)
def test_nor_is_what_would_answer_otherwise_the_second_time(runner: Runner, op: Any) -> None:
    with pytest.raises(OutcomeUnknown):
        runner.run(Script(lost()), op)


def test_a_write_that_is_the_same_the_second_time_is_repeated(runner: Runner) -> None:
    board = Board(list_id="L", title="x")
    assert runner.run(Script(lost(), broken(), {}), put(board)) == board
    assert runner.run(Script(lost(), {"Attributes": item(board)}), SET) == board
    assert runner.run(Script(lost(), {}), delete(Board, "L")) is None


def test_giving_up_on_a_write_says_that_it_may_have_happened(runner: Runner) -> None:
    with pytest.raises(OutcomeUnknown):
        runner.run(Script(*[lost() for _ in range(4)]), put(Board(list_id="L")))
    # Once in doubt, always in doubt, however clear the last answer was.
    with pytest.raises(OutcomeUnknown):
        runner.run(Script(lost(), throttled(), throttled(), throttled()), put(Board(list_id="L")))


def test_a_conditional_put_recognises_itself(runner: Runner) -> None:
    new = Doc(doc_id="1", text="x")
    stored = new.model_copy(update={"version": 1})
    assert runner.run(Script(lost(), failed_condition(item(stored))), put(new)) == stored
    [event] = runner.events
    assert (event.error, event.attempts) == (None, 2)


def test_a_conditional_put_does_not_take_another_for_itself(runner: Runner) -> None:
    new = Doc(doc_id="1", text="x")
    other = item(Doc(doc_id="1", text="y", version=1))
    with pytest.raises(AlreadyExists):
        runner.run(Script(failed_condition(other)), put(new))
    # Was ours there, and changed since? Nobody knows.
    with pytest.raises(OutcomeUnknown):
        runner.run(Script(lost(), failed_condition(other)), put(new))
    # Not in doubt: nothing had been sent.
    with pytest.raises(AlreadyExists):
        runner.run(Script(unsent(), failed_condition(other)), put(new))


# --- transactions --------------------------------------------------------------------------------


def tokens(script: Script) -> set[Any]:
    return {
        request.body["ClientRequestToken"]
        for request in script.requests
        if request.operation == "TransactWriteItems"
    }


def test_exactly_once_is_repeated_with_its_token(runner: Runner) -> None:
    changed = Doc(doc_id="1", hits=1, version=1)
    script = Script(lost(), broken(), {}, {"Item": item(changed)})
    assert runner.run(script, COUNT.exactly_once()) == changed
    operations = [request.operation for request in script.requests]
    assert operations == ["TransactWriteItems"] * 3 + ["GetItem"]
    assert len(tokens(script)) == 1


def test_each_run_has_a_token_of_its_own(runner: Runner) -> None:
    op = Transaction[Any]((put(Board(list_id="L")),))
    first, second = Script({}), Script({})
    runner.run(first, op)
    runner.run(second, op)
    assert tokens(first) != tokens(second)


def test_conflicts_are_tried_again_with_the_same_token(runner: Runner) -> None:
    op = Transaction[Any]((put(Board(list_id="L")), put(Board(list_id="M"))))
    script = Script(
        cancelled(CONFLICT, FINE),
        cancelled(FINE, {"Code": "ThrottlingError"}),
        Failure("TransactionInProgressException", "still at it"),
        {},
    )
    runner.run(script, op)
    assert len(tokens(script)) == 1
    assert script.left == 0


def test_conflicts_that_stay(runner: Runner) -> None:
    op = Transaction[Any]((put(Board(list_id="L")), put(Board(list_id="M"))))
    with pytest.raises(TransactionCancelled) as caught:
        runner.run(Script(*[cancelled(FINE, CONFLICT)] * 4), op)
    [failure] = caught.value.failures
    assert (failure.position, failure.reason) == (1, "TransactionConflict")
    assert isinstance(failure.error, Throttled)
    with pytest.raises(Throttled):
        runner.run(
            Script(*[cancelled(CONFLICT, FINE)] * 4), put(Guest(guest_id="1", badge="7")).new()
        )
    reads = Transaction[Any]((world.doc("1"), world.doc("2")))
    with pytest.raises(Throttled):
        runner.run(Script(*[cancelled(FINE, CONFLICT)] * 4), reads)


def test_conflicts_that_are_left_to_the_caller(runner: Runner) -> None:
    op = Transaction[Any]((put(Board(list_id="L")), put(Board(list_id="M"))))
    once = replace(QUICK, conflicts=False)
    with pytest.raises(TransactionCancelled):
        runner.run(Script(cancelled(FINE, CONFLICT)), op, once)
    with pytest.raises(Throttled, match="at the first attempt"):
        runner.run(Script(throttled("TransactionConflictException")), COUNT, once)
    # Too few units are no conflict.
    script = Script(cancelled(FINE, {"Code": "ThrottlingError"}), throttled(), {})
    runner.run(script, op, once)
    assert script.left == 0


def test_a_conflict_after_a_lost_answer_is_not_left_to_the_caller(runner: Runner) -> None:
    """Under another token it would be another transaction, and perhaps the second one."""
    op = Transaction[Any]((put(Board(list_id="L")), put(Board(list_id="M"))))
    script = Script(lost(), cancelled(CONFLICT, FINE), {})
    runner.run(script, op, replace(QUICK, conflicts=False))
    assert len(tokens(script)) == 1
    assert script.left == 0


def test_a_condition_is_not_tried_again_even_beside_a_conflict(runner: Runner) -> None:
    op = Transaction[Any]((put(Board(list_id="L")).new(), put(Board(list_id="M"))))
    script = Script(cancelled({"Code": "ConditionalCheckFailed"}, CONFLICT))
    with pytest.raises(TransactionCancelled):
        runner.run(script, op)


# --- other answers -------------------------------------------------------------------------------


def test_an_answer_that_nothing_is_known_about(runner: Runner) -> None:
    missing = Failure("ResourceNotFoundException", "Requested resource not found")
    for op in (world.doc("1"), put(Board(list_id="L")), world.tasks("L"), COUNT):
        with pytest.raises(ServiceError, match="ResourceNotFoundException") as caught:
            runner.run(Script(missing), op)
        assert caught.value.aws_code == "ResourceNotFoundException"


def test_conditions_that_fail(runner: Runner) -> None:
    stored = Doc(doc_id="1", version=3)
    with pytest.raises(NotFound):
        runner.run(Script(failed_condition()), COUNT)
    with pytest.raises(VersionConflict) as caught:
        runner.run(Script(failed_condition(item(stored))), put(Doc(doc_id="1", version=2)))
    assert caught.value.item == stored


def test_an_item_that_cannot_be_read_does_not_hide_the_failure(runner: Runner) -> None:
    strange = {"PK": {"S": "DOC#1"}, "SK": {"S": "DOC"}, "entity_type": {"S": "Spy"}}
    with pytest.raises(AlreadyExists) as caught:
        runner.run(Script(failed_condition(strange)), put(Doc(doc_id="1")))
    assert caught.value.item == strange


def test_one_attempt_means_one(runner: Runner) -> None:
    with pytest.raises(Throttled, match="at the first attempt"):
        runner.run(Script(throttled()), world.doc("1"), Retries(attempts=1))
    assert QUICK.attempts == 4
