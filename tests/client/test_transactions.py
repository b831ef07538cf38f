"""Transactions: all or nothing, and who was to blame."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.client import raw, world
from tests.client.world import Board, Doc, Guest, Hits, Person, Task, Title, new_task

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import (
    Get,
    Put,
    Update,
    attr,
    check,
    delete,
    increment,
    put,
    together,
    transaction,
    update,
)
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    ModelError,
    NotFound,
    RequestError,
    ServiceError,
    TransactionCancelled,
    VersionConflict,
)


@transaction(component="shop")
def rename(board: Board, doc: Doc, title: str) -> tuple[Put[Board], Update[Doc]]:
    """A board and its document."""
    return (
        put(board.model_copy(update={"title": title})),
        update(doc).do(attr(Doc.text).set(title)),
    )


def test_results_are_typed_by_their_members(db: Db) -> None:
    doc = db.run(put(Doc(doc_id="1")))
    board, changed = db.run(rename(Board(list_id="L"), doc, "x"))
    assert board == Board(list_id="L", title="x")
    assert changed is None
    stored = db.run(world.doc("1"))
    assert stored is not None
    assert (stored.text, stored.version) == ("x", 2)
    made, _, _ = db.transact(
        put(Doc(doc_id="2")), delete(Board, "L"), check(Guest, "none").absent()
    )
    assert made == db.run(world.doc("2"))
    assert made.version == 1


def test_what_joins_a_transaction_is_written_with_it_or_not_at_all(db: Db) -> None:
    doc = db.run(put(Doc(doc_id="1")))
    log = put(Guest(guest_id="log")).new()
    joined = together(rename(Board(list_id="L"), doc, "x"), log)
    assert (joined.pattern, joined.component) == ("rename", "shop")
    db.run(joined)
    assert db.run(world.doc("1")) is not None
    later = db.run(world.doc("1"))
    assert later is not None
    with pytest.raises(TransactionCancelled):
        db.run(together(rename(Board(list_id="L"), later, "y"), log))
    assert db.run(world.doc("1")) == later


def test_a_single_write_is_joined_too_and_a_token_makes_it_happen_once(db: Db) -> None:
    write = put(Doc(doc_id="1")).named("save_doc", "shop")
    joined = together(write, put(Board(list_id="L"))).with_token("t" * 20)
    assert (joined.pattern, joined.component, len(joined.members)) == ("save_doc", "shop", 2)
    db.run(joined)
    db.run(joined)
    stored = db.run(world.doc("1"))
    assert stored is not None
    assert stored.version == 1


def test_the_failing_member_is_named_with_the_stored_entity(db: Db) -> None:
    old = db.run(put(Doc(doc_id="1")))
    new = db.run(put(old))
    with pytest.raises(
        TransactionCancelled, match=r"rename was cancelled: member 1: Doc"
    ) as caught:
        db.run(rename(Board(list_id="L"), old, "x"))
    [failure] = caught.value.failures
    assert failure.position == 1
    assert failure.reason == "ConditionalCheckFailed"
    assert isinstance(failure.op, Update)
    assert isinstance(failure.error, VersionConflict)
    assert failure.error.item == new
    assert db.run(world.title("L")) is None


def test_each_kind_of_failure(db: Db, clock: ManualClock) -> None:
    board = db.run(put(Board(list_id="L", title="x")))
    ended = db.run(put(new_task(1, ends=datetime.fromtimestamp(clock.now() - 5, UTC))))
    with pytest.raises(TransactionCancelled) as caught:
        db.transact(
            put(Board(list_id="L")).new(),
            delete(Board, "M").existing(),
            update(Guest, "none").do(attr(Guest.note).set("x")),
            check(Task, "L", ended.made_at, ended.task_id),
            put(Board(list_id="N")).when(attr(Board.title) == "x"),
            put(Board(list_id="O")),
        )
    errors = {each.position: each.error for each in caught.value.failures}
    kinds = [AlreadyExists, NotFound, NotFound, NotFound, ConditionFailed]
    assert [type(errors[position]) for position in sorted(errors)] == kinds
    first = errors[0]
    assert isinstance(first, AlreadyExists)
    assert first.item == board


def test_what_has_ended_counts_as_absent(db: Db, clock: ManualClock) -> None:
    ended = db.run(put(new_task(1, ends=datetime.fromtimestamp(clock.now() - 5, UTC))))
    key = ("L", ended.made_at, ended.task_id)
    db.transact(check(Task, *key).absent(), put(Board(list_id="L")))
    with pytest.raises(TransactionCancelled) as caught:
        db.transact(update(Task, *key).do(attr(Task.text).set("x")), put(Board(list_id="M")))
    assert isinstance(caught.value.failures[0].error, NotFound)
    db.transact(put(new_task(1, text="new")).new(), put(Board(list_id="M")))


def test_the_same_item_twice(db: Db) -> None:
    with pytest.raises(RequestError, match=r"members 0 and 2 .* same item"):
        db.transact(
            put(Board(list_id="L")),
            put(Board(list_id="M")),
            check(Board, "L").when(attr(Board.title) == ""),
        )


def test_a_hundred_and_no_more(db: Db) -> None:
    db.transact(*[put(Board(list_id=str(number))) for number in range(100)])
    assert len(raw.items(db, world.app)) == 100
    with pytest.raises(RequestError, match="101 items"):
        db.transact(*[put(Board(list_id=str(number))) for number in range(101)])
    with pytest.raises(RequestError, match="locks of unique constraints included"):
        db.transact(*[put(Person(person_id=str(n), email=str(n))) for n in range(51)])
    with pytest.raises(RequestError, match="101 items"):
        db.transact(*[world.doc(str(number)) for number in range(101)])


def test_a_token_makes_a_repetition_harmless(db: Db) -> None:
    db.run(put(Doc(doc_id="1")))
    change = update(Doc, "1").do(attr(Doc.hits).add(1))
    for _ in range(3):
        db.transact(change, token="the same")
    stored = db.run(world.doc("1"))
    assert stored is not None
    assert stored.hits == 1
    with pytest.raises(ServiceError) as caught:
        db.transact(change.do(attr(Doc.text).set("x")), token="the same")
    assert caught.value.aws_code == "IdempotentParameterMismatchException"
    db.transact(change)
    db.transact(change, token="another")
    stored = db.run(world.doc("1"))
    assert stored is not None
    assert stored.hits == 3


def test_a_token_holds_for_ten_minutes_although_time_passes(db: Db, clock: ManualClock) -> None:
    """Whether something has ended is asked as of the first time."""
    end = datetime.fromtimestamp(clock.now() + 60, UTC)
    for _ in range(3):
        db.transact(put(new_task(1, ends=end)).new(), token="made")
        clock.advance(100)
    count = increment(Hits, lane="a", page="home", hits=1)
    for _ in range(2):
        db.run(together(count).with_token("counted"))
        clock.advance(1)
    assert db.run(world.hits("home")).hits == 1


def test_a_token_holds_although_it_has_changed_what_locks_are_made_from(db: Db) -> None:
    db.run(put(Guest(guest_id="1", badge="7")))
    for _ in range(2):
        # Without an entity in hand, what has the badge now is read first.
        db.transact(update(Guest, "1").do(attr(Guest.badge).set("8")), token="changed")
    for _ in range(2):
        db.transact(delete(Guest, "1"), token="deleted")
    for _ in range(2):
        db.transact(put(Guest(guest_id="2", badge="8")), token="put")
    assert db.run(world.guest("2")) is not None
    with pytest.raises(ServiceError, match="IdempotentParameterMismatch"):
        db.transact(put(Guest(guest_id="3", badge="8")), token="put")


def test_a_transaction_that_was_refused_may_be_repeated_under_its_token(db: Db) -> None:
    """What it rests on is read again: nothing was written under the token."""
    change = update(Guest, "1").do(attr(Guest.badge).set("8"))
    with pytest.raises(TransactionCancelled):
        db.transact(change, token="early")
    db.run(put(Guest(guest_id="1", badge="7")))
    db.transact(change, token="early")
    db.transact(change, token="early")
    db.run(put(Guest(guest_id="2", badge="7")).new())
    assert db.run(world.guest("1")) == Guest(guest_id="1", badge="8")


def test_reads(db: Db, clock: ManualClock) -> None:
    doc = db.run(put(Doc(doc_id="1")))
    db.run(put(Board(list_id="L", title="x")))
    ended = db.run(put(new_task(1, ends=datetime.fromtimestamp(clock.now() - 5, UTC))))
    found = db.transact(
        world.doc("1"),
        world.title("L"),
        world.doc("2"),
        world.task("L", ended.made_at, ended.task_id),
    )
    assert found == (doc, Title(title="x"), None, None)
    with pytest.raises(RequestError, match="all reads or all writes"):
        db.transact(world.doc("1"), put(Board(list_id="M")))


def test_nothing_is_nothing(db: Db) -> None:
    assert db.transact() == ()


def test_exactly_once(db: Db) -> None:
    db.run(put(Doc(doc_id="1")))
    changed = db.run(update(Doc, "1").do(attr(Doc.hits).add(1)).exactly_once())
    assert (changed.hits, changed.version) == (1, 2)
    with pytest.raises(NotFound):
        db.run(update(Doc, "2").do(attr(Doc.hits).add(1)).exactly_once())


def test_a_body_is_held_to_its_annotation() -> None:
    @transaction()
    def wrong(title: str) -> tuple[Put[Board]]:
        return (put(Doc(doc_id=title)),)  # type: ignore[return-value]

    with pytest.raises(ModelError, match=r"returned Put\[Doc\]"):
        wrong("x")
    with pytest.raises(ModelError, match="all reads or all writes"):

        @transaction()
        def mixed(title: str) -> tuple[Put[Board], Get[Doc]]:
            raise NotImplementedError
