"""Deletes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.client import raw, world
from tests.client.world import Board, Doc, Guest, Person, new_task

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import attr, delete, put, update
from tablewright.model.errors import ConditionFailed, NotFound, RequestError, VersionConflict


def test_a_delete_gives_what_was_there(db: Db) -> None:
    stored = db.run(put(Board(list_id="L", title="x")))
    assert db.run(delete(Board, "L")) == stored
    assert db.run(delete(Board, "L")) is None
    assert raw.items(db, world.app) == []


def test_existing(db: Db) -> None:
    with pytest.raises(NotFound):
        db.run(delete(Board, "L").existing())
    db.run(put(Board(list_id="L")))
    assert db.run(delete(Board, "L").existing()) is not None


def test_a_condition(db: Db) -> None:
    stored = db.run(put(Board(list_id="L", title="x")))
    with pytest.raises(ConditionFailed) as caught:
        db.run(delete(Board, "L").when(attr(Board.title) == "y"))
    assert caught.value.item == stored


def test_the_version_in_hand_is_checked(db: Db) -> None:
    first = db.run(put(Doc(doc_id="1")))
    second = db.run(put(first))
    with pytest.raises(VersionConflict):
        db.run(delete(first))
    with pytest.raises(VersionConflict):
        db.run(delete(Doc, "1").at_version(1))
    with pytest.raises(RequestError):
        delete(Board, "L").at_version(1)
    assert db.run(delete(second)) == second
    with pytest.raises(NotFound):
        db.run(delete(second))


def test_what_has_ended_was_not_there(db: Db, clock: ManualClock) -> None:
    stored = db.run(put(new_task(1, ends=datetime.fromtimestamp(clock.now() + 10, UTC))))
    clock.advance(11)
    with pytest.raises(NotFound):
        db.run(delete(stored).existing())
    assert db.run(delete(stored)) is None
    assert raw.items(db, world.app) == []


def test_an_entity_with_locks_is_given_as_it_was_stored(db: Db) -> None:
    """Not as it was read by whoever deletes it."""
    old = db.run(put(Guest(guest_id="1", badge="7")))
    new = db.run(update(Guest, "1").do(attr(Guest.note).set("changed")))
    assert db.run(delete(old)) == new
    assert raw.items(db, world.app) == []


def test_an_entity_with_locks_and_a_version(db: Db) -> None:
    old = db.run(put(Person(person_id="1", email="a@x")))
    new = db.run(update(old).do(attr(Person.email).set("b@x")))
    with pytest.raises(VersionConflict):
        db.run(delete(old))
    assert db.run(delete(Person, "1")) == new
    assert raw.items(db, world.app) == []
    with pytest.raises(NotFound):
        db.run(delete(Person, "1").existing())
    assert db.run(delete(Person, "1")) is None
