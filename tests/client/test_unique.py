"""Unique constraints: a lock for every value, and for no other."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime

import pytest
from tests.client import raw, world
from tests.client.world import Guest, Person

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import attr, check, delete, put, update
from tablewright.model.errors import (
    ConditionFailed,
    NotFound,
    RequestError,
    TransactionCancelled,
    UniqueViolation,
    VersionConflict,
)

A = {"person_id": {"S": "a"}}
B = {"person_id": {"S": "b"}}


def held(db: Db) -> dict[str, object]:
    return dict(raw.locks(db, world.app))


def test_create_change_delete(db: Db) -> None:
    first = db.run(put(Person(person_id="a", email="x", handle="h", room="r", seat=1)))
    assert held(db) == {
        "UNIQUE#email#x": A,
        "UNIQUE#handle#h": A,
        "UNIQUE#seat#r#10000000000000000001": A,
    }
    second = db.run(put(first.model_copy(update={"email": "y", "handle": None, "seat": None})))
    assert held(db) == {"UNIQUE#email#y": A}
    third = db.run(update(second).do(attr(Person.email).set("z"), attr(Person.handle).set("i")))
    assert held(db) == {"UNIQUE#email#z": A, "UNIQUE#handle#i": A}
    fourth = db.run(update(third).do(attr(Person.handle).remove()))
    assert held(db) == {"UNIQUE#email#z": A}
    db.run(delete(fourth))
    assert raw.items(db, world.app) == []


def test_a_violation_names_constraint_and_owner(db: Db) -> None:
    db.run(put(Person(person_id="a", email="x")))
    with pytest.raises(
        UniqueViolation, match=r"email is taken.*constraint email.*person_id=a"
    ) as c:
        db.run(put(Person(person_id="b", email="x")))
    assert (c.value.constraint, c.value.owner) == ("email", {"person_id": "a"})
    assert db.run(world.person("b")) is None
    other = db.run(put(Person(person_id="b", email="y")))
    with pytest.raises(UniqueViolation):
        db.run(update(other).do(attr(Person.email).set("x")))
    with pytest.raises(UniqueViolation):
        db.run(put(other.model_copy(update={"email": "x"})))
    assert held(db) == {"UNIQUE#email#x": A, "UNIQUE#email#y": B}


def test_several_fields_together(db: Db) -> None:
    db.run(put(Person(person_id="a", email="x", room="r", seat=1)))
    db.run(put(Person(person_id="b", email="y", room="r", seat=2)))
    db.run(put(Person(person_id="c", email="z", room="r")))
    with pytest.raises(UniqueViolation, match="room, seat is taken") as caught:
        db.run(put(Person(person_id="d", email="w", room="r", seat=2)))
    assert caught.value.constraint == "seat"
    half = db.run(world.person("c"))
    assert half is not None
    with pytest.raises(UniqueViolation):
        db.run(update(half).do(attr(Person.seat).set(1)))
    db.run(update(half).do(attr(Person.seat).set(3)))
    assert "UNIQUE#seat#r#10000000000000000003" in held(db)


def test_values_with_delimiters_do_not_collide(db: Db) -> None:
    db.run(put(Person(person_id="a", email="1", room="r#1", seat=1)))
    db.run(put(Person(person_id="b", email="2", room="r", seat=11)))
    assert len(held(db)) == 4


def test_the_same_value_again_changes_no_lock(db: Db) -> None:
    first = db.run(put(Person(person_id="a", email="x")))
    again = db.run(update(first).do(attr(Person.email).set("x")))
    assert db.run(put(again)).version == 3
    assert held(db) == {"UNIQUE#email#x": A}


def test_updates_by_key_find_the_old_value(db: Db) -> None:
    db.run(put(Guest(guest_id="1", badge="7")))
    db.run(update(Guest, "1").do(attr(Guest.badge).set("8")))
    assert list(held(db)) == ["UNIQUE#badge#8"]
    db.run(update(Guest, "1").do(attr(Guest.badge).set_if_missing("9")))
    assert list(held(db)) == ["UNIQUE#badge#8"]
    db.run(update(Guest, "1").do(attr(Guest.badge).remove()))
    assert held(db) == {}
    stored = db.run(update(Guest, "1").do(attr(Guest.badge).set_if_missing("9")))
    assert stored.badge == "9"
    assert list(held(db)) == ["UNIQUE#badge#9"]
    with pytest.raises(NotFound):
        db.run(update(Guest, "2").do(attr(Guest.badge).set("5")))
    assert list(held(db)) == ["UNIQUE#badge#9"]


def test_the_new_value_has_to_be_known(db: Db) -> None:
    db.run(put(Guest(guest_id="1", badge="7")))
    with pytest.raises(RequestError, match=r"unique.*use set"):
        db.run(update(Guest, "1").do(attr(Guest.badge).set(attr(Guest.note))))


def test_upserts(db: Db) -> None:
    db.run(update(Guest, "1").do(attr(Guest.badge).set("7")).upsert())
    assert list(held(db)) == ["UNIQUE#badge#7"]
    db.run(update(Guest, "1").do(attr(Guest.badge).set("8")).upsert())
    assert list(held(db)) == ["UNIQUE#badge#8"]
    with pytest.raises(UniqueViolation):
        db.run(update(Guest, "2").do(attr(Guest.badge).set("8")).upsert())


def test_a_put_without_version_starts_from_what_is_stored(db: Db) -> None:
    """Whoever has an old copy in hand overwrites, but leaves no lock behind."""
    old = db.run(put(Guest(guest_id="1", badge="7")))
    db.run(update(Guest, "1").do(attr(Guest.badge).set("8")))
    db.run(put(old))
    assert list(held(db)) == ["UNIQUE#badge#7"]
    db.run(delete(Guest, "1"))
    db.run(put(old))
    assert list(held(db)) == ["UNIQUE#badge#7"]
    db.run(put(Guest(guest_id="1", badge="9")))
    assert list(held(db)) == ["UNIQUE#badge#9"]
    db.run(put(Guest(guest_id="1")))
    assert held(db) == {}


def test_data_without_locks_can_be_adopted(db: Db) -> None:
    item = {"PK": {"S": "GUEST#1"}, "SK": {"S": "GUEST"}, "guest_id": {"S": "1"}}
    raw.store(db, world.app, {**item, "entity_type": {"S": "Guest"}, "badge": {"S": "7"}})
    stored = db.run(world.guest("1"))
    assert stored is not None
    changed = db.run(put(stored.model_copy(update={"badge": "8"})))
    assert list(held(db)) == ["UNIQUE#badge#8"]
    raw.store(db, world.app, {**item, "entity_type": {"S": "Guest"}, "badge": {"NULL": True}})
    db.run(update(Guest, "1").do(attr(Guest.badge).set("9")))
    assert "UNIQUE#badge#9" in held(db)
    assert changed.badge == "8"


def test_a_lock_of_ones_own_is_no_obstacle(db: Db) -> None:
    """The entity was deleted by others, who know nothing of locks."""
    db.run(put(Person(person_id="a", email="x")))
    raw.call(
        db,
        "DeleteItem",
        {"TableName": "World", "Key": {"PK": {"S": "PERSON#a"}, "SK": {"S": "PROFILE"}}},
    )
    assert db.run(put(Person(person_id="a", email="x"))).version == 1
    with pytest.raises(UniqueViolation):
        db.run(put(Person(person_id="b", email="x")))


def test_a_copy_with_another_key_does_not_take_the_locks_along(db: Db) -> None:
    stored = db.run(put(Guest(guest_id="1", badge="7")))
    with pytest.raises(UniqueViolation):
        db.run(put(stored.model_copy(update={"guest_id": "2"})))
    db.run(put(stored.model_copy(update={"guest_id": "2", "badge": "8"})))
    assert raw.locks(db, world.app) == {
        "UNIQUE#badge#7": {"guest_id": {"S": "1"}},
        "UNIQUE#badge#8": {"guest_id": {"S": "2"}},
    }
    person = db.run(put(Person(person_id="a", email="x")))
    twin = person.model_copy(update={"person_id": "b", "email": "y"})
    with pytest.raises(NotFound):
        db.run(put(twin))
    db.run(put(twin).new())


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
)
def test_copies_of_other_kinds(db: Db, copied: object) -> None:
    stored = db.run(put(Person(person_id="a", email="x")))
    twin: Person = copied(stored)  # type: ignore[operator]
    twin.email = "y"
    db.run(put(twin))
    assert held(db) == {"UNIQUE#email#y": A}


def test_a_stale_version_moves_no_lock(db: Db) -> None:
    old = db.run(put(Person(person_id="a", email="x")))
    db.run(update(old).do(attr(Person.email).set("y")))
    with pytest.raises(VersionConflict):
        db.run(update(old).do(attr(Person.email).set("z")))
    with pytest.raises(VersionConflict):
        db.run(put(old))
    assert held(db) == {"UNIQUE#email#y": A}


# --- transactions ---------------------------------------------------------------------------------


def test_in_transactions(db: Db) -> None:
    one, two = db.transact(
        put(Person(person_id="a", email="x")), put(Person(person_id="b", email="y"))
    )
    assert held(db) == {"UNIQUE#email#x": A, "UNIQUE#email#y": B}
    with pytest.raises(TransactionCancelled) as caught:
        db.transact(put(Guest(guest_id="1")), update(two).do(attr(Person.email).set("x")))
    [failure] = caught.value.failures
    assert failure.position == 1
    assert isinstance(failure.error, UniqueViolation)
    assert failure.error.owner == {"person_id": "a"}
    assert db.run(world.guest("1")) is None
    db.transact(delete(one), update(two).do(attr(Person.email).set("z")))
    assert held(db) == {"UNIQUE#email#z": B}


def test_a_value_can_be_handed_over(db: Db) -> None:
    one, _ = db.transact(put(Person(person_id="a", email="x")), put(Guest(guest_id="1")))
    [_, two] = db.transact(delete(one), put(Person(person_id="b", email="x")))
    assert held(db) == {"UNIQUE#email#x": B}
    assert [each.person_id for each in db.run(world.person_by_email("x"))] == ["b"]
    assert two.version == 1


def test_values_can_be_swapped(db: Db) -> None:
    one = db.run(put(Person(person_id="a", email="x")))
    two = db.run(put(Person(person_id="b", email="y")))
    db.transact(
        update(one).do(attr(Person.email).set("y")), update(two).do(attr(Person.email).set("x"))
    )
    assert held(db) == {"UNIQUE#email#x": B, "UNIQUE#email#y": A}


def test_a_value_that_is_not_ones_own_cannot_be_handed_over(db: Db) -> None:
    db.run(put(Person(person_id="c", email="x")))
    item = {"PK": {"S": "PERSON#a"}, "SK": {"S": "PROFILE"}, "person_id": {"S": "a"}}
    tag = {"entity_type": {"S": "Person"}, "version": {"N": "1"}}
    raw.store(db, world.app, {**item, **tag, "email": {"S": "x"}})
    adopted = db.run(world.person("a"))
    assert adopted is not None
    with pytest.raises(TransactionCancelled):
        db.transact(delete(adopted), put(Person(person_id="b", email="x")))
    assert held(db) == {"UNIQUE#email#x": {"person_id": {"S": "c"}}}


def test_two_members_cannot_take_the_same_value(db: Db) -> None:
    with pytest.raises(RequestError, match="same item"):
        db.transact(put(Person(person_id="a", email="x")), put(Person(person_id="b", email="x")))


def test_a_check_beside_a_lock(db: Db) -> None:
    db.transact(check(Guest, "1").absent(), put(Person(person_id="a", email="x")))
    with pytest.raises(TransactionCancelled) as caught:
        db.transact(check(Guest, "1"), put(Person(person_id="b", email="y")))
    assert isinstance(caught.value.failures[0].error, NotFound)
    assert held(db) == {"UNIQUE#email#x": A}


# --- time to live ---------------------------------------------------------------------------------


def ends(clock: ManualClock, seconds: float) -> datetime:
    return datetime.fromtimestamp(clock.now() + seconds, UTC)


def lock_ends(db: Db) -> dict[str, str | None]:
    return {
        item["PK"]["S"]: item.get("ends", {}).get("N")
        for item in raw.items(db, world.app)
        if item["PK"]["S"].startswith("UNIQUE")
    }


def test_a_lock_ends_with_its_owner(db: Db, clock: ManualClock) -> None:
    db.run(put(Person(person_id="a", email="x", ends=ends(clock, 10))))
    with pytest.raises(UniqueViolation):
        db.run(put(Person(person_id="b", email="x")))
    clock.advance(11)
    db.run(put(Person(person_id="b", email="x")))
    assert held(db) == {"UNIQUE#email#x": B}


def test_a_new_value_ends_with_its_owner_too(db: Db, clock: ManualClock) -> None:
    first = db.run(put(Person(person_id="a", email="x", ends=ends(clock, 10))))
    db.run(update(first).do(attr(Person.email).set("y")))
    assert lock_ends(db) == {"UNIQUE#email#y": str(int(clock.now()) + 10)}
    db.run(put(Guest(guest_id="1", badge="7", ends=ends(clock, 20))))
    db.run(update(Guest, "1").do(attr(Guest.badge).set("8")))
    assert lock_ends(db)["UNIQUE#badge#8"] == str(int(clock.now()) + 20)


def test_a_lock_follows_when_the_end_moves(db: Db, clock: ManualClock) -> None:
    first = db.run(put(Person(person_id="a", email="x", ends=ends(clock, 10))))
    second = db.run(update(first).do(attr(Person.ends).set(ends(clock, 99))))
    assert lock_ends(db) == {"UNIQUE#email#x": str(int(clock.now()) + 99)}
    third = db.run(put(second.model_copy(update={"ends": None})))
    assert lock_ends(db) == {"UNIQUE#email#x": None}
    clock.advance(200)
    with pytest.raises(UniqueViolation):
        db.run(put(Person(person_id="b", email="x")))
    db.run(put(Guest(guest_id="1", badge="7", ends=ends(clock, 20))))
    db.run(update(Guest, "1").do(attr(Guest.ends).set(ends(clock, 50))))
    assert lock_ends(db)["UNIQUE#badge#7"] == str(int(clock.now()) + 50)
    assert third.ends is None


def test_what_has_ended_may_have_lost_its_lock(db: Db, clock: ManualClock) -> None:
    old = db.run(put(Guest(guest_id="1", badge="7", ends=ends(clock, 10))))
    clock.advance(11)
    db.run(put(Guest(guest_id="2", badge="7")))
    with pytest.raises(UniqueViolation):
        db.run(put(Guest(guest_id="1", badge="7")))
    db.run(put(Guest(guest_id="1", badge="8")))
    assert raw.locks(db, world.app)["UNIQUE#badge#7"] == {"guest_id": {"S": "2"}}
    assert "UNIQUE#badge#8" in held(db)
    assert old.badge == "7"


def test_what_has_ended_and_comes_back_has_a_lock_again(db: Db, clock: ManualClock) -> None:
    db.run(put(Guest(guest_id="1", badge="7", ends=ends(clock, 10))))
    clock.advance(11)
    db.run(put(Guest(guest_id="1", badge="7", ends=ends(clock, 10))))
    assert lock_ends(db) == {"UNIQUE#badge#7": str(int(clock.now()) + 10)}
    with pytest.raises(UniqueViolation):
        db.run(put(Guest(guest_id="2", badge="7")))


def test_an_ended_owner_is_deleted_without_harm(db: Db, clock: ManualClock) -> None:
    db.run(put(Guest(guest_id="1", badge="7", ends=ends(clock, 10))))
    clock.advance(11)
    db.run(put(Guest(guest_id="2", badge="7")))
    assert db.run(delete(Guest, "1")) is None
    assert raw.locks(db, world.app) == {"UNIQUE#badge#7": {"guest_id": {"S": "2"}}}


def test_a_condition_of_the_caller_is_still_checked(db: Db) -> None:
    db.run(put(Guest(guest_id="1", badge="7")))
    with pytest.raises(ConditionFailed):
        db.run(
            update(Guest, "1").do(attr(Guest.badge).set("8")).when(attr(Guest.note) == "nothing")
        )
    with pytest.raises(ConditionFailed):
        db.run(delete(Guest, "1").when(attr(Guest.note) == "nothing"))
    assert list(held(db)) == ["UNIQUE#badge#7"]
