from __future__ import annotations

import pytest
from examples.unique_attributes import (
    Team,
    User,
    change_email,
    club,
    found_team,
    sign_off,
    sign_up,
    user,
)

from tablewright.client import Db
from tablewright.model.errors import UniqueViolation


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    tablewright_db.create_tables(club)
    return tablewright_db


@pytest.mark.parametrize(
    ("name", "email", "constraint"),
    [("ada", "other@x", "user-name"), ("other", "ada@x", "user-email")],
)
def test_each_attribute_is_unique_by_itself(db: Db, name: str, email: str, constraint: str) -> None:
    ada = db.run(sign_up(User(name="ada", email="ada@x")))
    with pytest.raises(UniqueViolation) as caught:
        db.run(sign_up(User(name=name, email=email)))
    assert caught.value.constraint == constraint
    assert caught.value.owner == {"user_id": ada.user_id}


def test_a_refused_change_changes_nothing(db: Db) -> None:
    db.run(sign_up(User(name="ada", email="ada@x")))
    bo = db.run(sign_up(User(name="bo", email="bo@x")))
    with pytest.raises(UniqueViolation):
        db.run(change_email(bo, "ada@x"))
    assert db.run(user(bo.user_id)) == bo


def test_what_is_given_up_is_free(db: Db) -> None:
    ada = db.run(sign_up(User(name="ada", email="ada@x", phone="1")))
    ada = db.run(change_email(ada, "new@x"))
    db.run(sign_up(User(name="bo", email="ada@x")))
    db.run(sign_off(ada))
    again = db.run(sign_up(User(name="ada", email="new@x", phone="1")))
    assert db.run(user(again.user_id)) == again


def test_what_is_absent_is_not_taken(db: Db) -> None:
    without = [db.run(sign_up(User(name=each, email=f"{each}@x"))) for each in ("ada", "bo")]
    assert [each.phone for each in without] == [None, None]


def test_several_fields_together(db: Db) -> None:
    db.run(found_team(Team(league="north", name="Lions")))
    db.run(found_team(Team(league="north", name="Tigers")))
    db.run(found_team(Team(league="south", name="Lions")))
    with pytest.raises(UniqueViolation, match="team-name"):
        db.run(found_team(Team(league="north", name="Lions")))
