from __future__ import annotations

import pytest
from examples.reference_count import Photo, like, likes_of_photo, photo, photos, unlike

from tablewright.client import Db
from tablewright.model import put
from tablewright.model.errors import AlreadyExists, NotFound, TransactionCancelled


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    db = tablewright_db
    db.create_tables(photos)
    db.run(put(Photo(photo="sunset")))
    return db


def count(db: Db) -> int:
    found = db.run(photo("sunset"))
    assert found is not None
    return found.likes


def test_the_count_is_the_number_of_likes(db: Db) -> None:
    db.run(like("sunset", "ada"))
    db.run(like("sunset", "bo"))
    db.run(unlike("sunset", "ada"))
    assert [each.user for each in db.run(likes_of_photo("sunset"))] == ["bo"]
    assert count(db) == 1


def test_nobody_likes_twice(db: Db) -> None:
    db.run(like("sunset", "ada"))
    with pytest.raises(TransactionCancelled) as caught:
        db.run(like("sunset", "ada"))
    assert [type(each.error) for each in caught.value.failures] == [AlreadyExists]
    assert count(db) == 1


def test_nobody_takes_back_what_they_did_not_give(db: Db) -> None:
    with pytest.raises(TransactionCancelled) as caught:
        db.run(unlike("sunset", "ada"))
    assert [type(each.error) for each in caught.value.failures] == [NotFound]
    assert count(db) == 0


def test_what_is_not_there_cannot_be_liked(db: Db) -> None:
    with pytest.raises(TransactionCancelled) as caught:
        db.run(like("sunrise", "ada"))
    assert caught.value.failures[0].position == 1
    assert list(db.run(likes_of_photo("sunrise"))) == []
