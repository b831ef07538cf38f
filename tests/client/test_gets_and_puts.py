"""Gets, and puts with and without a version."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.client import raw, world
from tests.client.world import Board, Doc, Label, Task, Title, new_task

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import Condition, Delete, Put, attr, delete, put
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    UnknownEntity,
    VersionConflict,
)


def ends(clock: ManualClock, seconds: float) -> datetime:
    return datetime.fromtimestamp(clock.now() + seconds, UTC)


def test_what_is_not_there_is_none(db: Db) -> None:
    assert db.run(world.doc("1")) is None


def test_a_put_gives_back_what_is_stored(db: Db) -> None:
    given = Task(list_id="L", task_id="1", tags={"a", "b"}, priority=3)
    assert db.run(put(given)) == given
    assert db.run(world.task("L", world.NOON, "1")) == given


def test_a_put_without_version_overwrites(db: Db) -> None:
    db.run(put(Board(list_id="L", title="old")))
    db.run(put(Board(list_id="L", title="new")))
    assert db.run(world.title("L")) == Title(title="new")


def test_new_and_replace(db: Db) -> None:
    with pytest.raises(NotFound):
        db.run(put(Board(list_id="L")).replace())
    db.run(put(Board(list_id="L", title="one")).new())
    with pytest.raises(AlreadyExists) as caught:
        db.run(put(Board(list_id="L", title="two")).new())
    assert caught.value.item == Board(list_id="L", title="one")
    db.run(put(Board(list_id="L", title="three")).replace())
    assert db.run(world.title("L")) == Title(title="three")


def test_a_condition_that_fails_shows_the_stored_entity(db: Db) -> None:
    db.run(put(Board(list_id="L", title="one")))
    with pytest.raises(ConditionFailed) as caught:
        db.run(put(Board(list_id="L", title="two")).when(attr(Board.title) == "zero"))
    assert type(caught.value) is ConditionFailed
    assert caught.value.item == Board(list_id="L", title="one")


def test_versions_count_puts(db: Db) -> None:
    first = db.run(put(Doc(doc_id="1", text="one")))
    assert first.version == 1
    second = db.run(put(first.model_copy(update={"text": "two"})))
    assert second.version == 2
    assert db.run(world.doc("1")) == second


def test_a_put_of_an_old_version_is_refused(db: Db) -> None:
    first = db.run(put(Doc(doc_id="1")))
    second = db.run(put(first))
    with pytest.raises(VersionConflict) as caught:
        db.run(put(first))
    assert caught.value.item == second
    assert "version 1 was read, 2 is stored" in str(caught.value)


def test_version_0_is_new(db: Db) -> None:
    db.run(put(Doc(doc_id="1")))
    with pytest.raises(AlreadyExists):
        db.run(put(Doc(doc_id="1")))


def test_a_version_that_is_gone_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound):
        db.run(put(Doc(doc_id="1", version=3)))


def test_replace_with_version_0_does_not_overwrite_a_later_one(db: Db) -> None:
    db.run(put(Doc(doc_id="1", text="precious")))
    with pytest.raises(VersionConflict):
        db.run(put(Doc(doc_id="1")).replace())


def test_data_older_than_the_version_can_be_replaced_and_updated(db: Db) -> None:
    old = {"PK": {"S": "DOC#1"}, "SK": {"S": "DOC"}, "doc_id": {"S": "1"}}
    raw.store(db, world.app, {**old, "entity_type": {"S": "Doc"}})
    found = db.run(world.doc("1"))
    assert found is not None
    assert found.version == 0
    assert db.run(put(found).replace()).version == 1


def test_an_item_of_another_kind_is_not_mistaken(db: Db) -> None:
    item = {"PK": {"S": "DOC#1"}, "SK": {"S": "DOC"}, "doc_id": {"S": "1"}}
    raw.store(db, world.app, {**item, "entity_type": {"S": "Spy"}})
    with pytest.raises(UnknownEntity, match="Spy"):
        db.run(world.doc("1"))


def test_a_projection_of_another_kind_is_not_mistaken(db: Db) -> None:
    item = {"PK": {"S": "LIST#L"}, "SK": {"S": "BOARD"}, "title": {"S": "x"}}
    raw.store(db, world.app, {**item, "entity_type": {"S": "Spy"}})
    with pytest.raises(UnknownEntity, match="Title"):
        db.run(world.title("L"))


def test_what_has_ended_is_not_there(db: Db, clock: ManualClock) -> None:
    stored = db.run(put(new_task(1, ends=ends(clock, 10))))
    assert db.run(world.task("L", stored.made_at, stored.task_id)) == stored
    clock.advance(10)
    assert db.run(world.task("L", stored.made_at, stored.task_id)) is None


def test_what_has_ended_can_be_made_anew(db: Db, clock: ManualClock) -> None:
    db.run(put(new_task(1, ends=ends(clock, 10), text="old")).new())
    with pytest.raises(AlreadyExists):
        db.run(put(new_task(1)).new())
    clock.advance(11)
    with pytest.raises(NotFound):
        db.run(put(new_task(1)).replace())
    db.run(put(new_task(1, text="new")).new())
    assert [each.text for each in db.run(world.tasks("L"))] == ["new"]


@pytest.mark.parametrize(
    ("condition", "free"),
    [
        (attr(Task.text) == "old", False),
        (attr(Task.text) != "new", True),
        (attr(Task.text).missing(), True),
        (attr(Task.text).missing() & (attr(Task.status) != "new"), True),
        (attr(Task.text).missing() & attr(Task.status).exists(), False),
        (attr(Task.text).missing() | (attr(Task.priority) > 5), True),
        (~(attr(Task.text) == "old"), True),
    ],
    ids=str,
)
def test_conditions_see_nothing_of_what_has_ended(
    db: Db, clock: ManualClock, condition: Condition, free: bool
) -> None:
    def holds(op: Put[Task] | Delete[Task]) -> bool:
        try:
            db.run(op)
        except ConditionFailed:
            return False
        return True

    again = new_task(1, text="again")
    assert holds(put(new_task(2, text="again")).when(condition)) is free
    ops = (
        put(again).when(condition),
        put(again).new().when(condition),
        delete(again).when(condition),
    )
    for op in ops:
        db.run(put(new_task(1, text="old", ends=ends(clock, 10))))
        clock.advance(11)
        assert holds(op) is free
    db.run(put(new_task(1, text="old", ends=ends(clock, -10))))
    assert not holds(put(again).replace().when(condition))


def test_values_cannot_forge_keys(db: Db) -> None:
    db.run(put(Label(list_id="L", name="a#b")))
    db.run(put(Label(list_id="L#LABEL", name="b")))
    assert [each.name for each in db.run(world.labels("L"))] == ["a#b"]
