from __future__ import annotations

from typing import Any

import pytest
from examples.adopted_table import (
    WRITTEN_BEFORE,
    Login,
    User,
    legacy,
    logins,
    user,
    user_with_mail,
)

from tablewright.client import Db
from tablewright.engine import Engine
from tablewright.model import attr, put, update
from tablewright.model.errors import KeyValueError


@pytest.fixture
def db(tablewright_db: Db, inside: Engine) -> Db:
    db = tablewright_db
    db.create_tables(legacy)
    for item in WRITTEN_BEFORE:
        inside.call("PutItem", {"TableName": "prod-users", "Item": item})
    return db


def stored(engine: Engine) -> list[dict[str, Any]]:
    return [dict(each) for each in engine.call("Scan", {"TableName": "prod-users"})["Items"]]


def test_what_others_wrote_is_read(db: Db) -> None:
    ada = db.run(user(42))
    assert ada is not None
    assert (ada.user_id, ada.first_name) == (42, "Ada")
    assert ada.created_at.timestamp() == 1_700_000_000
    assert db.run(user_with_mail("ada#lovelace@example.com")) == ada
    assert [each.from_address for each in db.run(logins(42))] == ["192.0.2.7"]


def test_what_we_write_back_is_the_same(db: Db, inside: Engine) -> None:
    before = stored(inside)
    ada = db.run(user(42))
    assert ada is not None
    db.run(put(ada))
    db.run(put(db.run(logins(42))[0]))
    assert stored(inside) == before


def test_an_update_moves_the_raw_index_key(db: Db) -> None:
    ada = db.run(user(42))
    assert ada is not None
    moved = db.run(update(ada).do(attr(User.mail).set("ada@example.com")))
    assert db.run(user_with_mail("ada@example.com")) == moved
    assert db.run(user_with_mail("ada#lovelace@example.com")) is None


def test_logins_are_no_users(db: Db) -> None:
    found = db.run(logins(42))
    assert all(isinstance(each, Login) for each in found)


def test_an_empty_value_cannot_stand_in_a_key(db: Db) -> None:
    with pytest.raises(KeyValueError):
        db.run(user_with_mail(""))
