from __future__ import annotations

from collections.abc import Iterable

import pytest
from examples.hierarchy import (
    Store,
    move_within_city,
    number_of_stores,
    store,
    stores,
    stores_in_city,
    stores_in_country,
    stores_in_district,
    stores_in_region,
)

from tablewright.client import Db
from tablewright.model import put


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    db = tablewright_db
    db.create_tables(stores)
    for store_id, country, region, city, post_code in (
        ("a", "DE", "Bavaria", "Munich", "80331"),
        ("b", "DE", "Bavaria", "Munich", "80999"),
        ("c", "DE", "Bavaria", "Muni", "80331"),
        ("d", "DE", "Bavaria#Munich", "Munich", "80331"),
        ("e", "FR", "Bavaria", "Munich", "80331"),
    ):
        new = Store(
            store_id=store_id, country=country, region=region, city=city, post_code=post_code
        )
        db.run(put(new))
    return db


def ids(found: Iterable[Store]) -> str:
    return "".join(each.store_id for each in found)


def test_every_level(db: Db) -> None:
    assert ids(db.run(stores_in_country("DE"))) == "cabd"
    assert ids(db.run(stores_in_region("DE", "Bavaria"))) == "cab"
    assert ids(db.run(stores_in_city("DE", "Bavaria", "Munich"))) == "ab"
    assert ids(db.run(stores_in_district("DE", "Bavaria", "Munich", "803"))) == "a"


def test_a_level_is_not_a_prefix(db: Db) -> None:
    assert ids(db.run(stores_in_city("DE", "Bavaria", "Muni"))) == "c"
    assert ids(db.run(stores_in_region("DE", "Bavaria#Munich"))) == "d"
    assert ids(db.run(stores_in_region("DE", "Bav"))) == ""


def test_counting(db: Db) -> None:
    assert db.run(number_of_stores("DE", "Bavaria")) == 3


def test_moving(db: Db) -> None:
    found = db.run(store("a"))
    assert found is not None
    db.run(move_within_city(found, "90000"))
    assert ids(db.run(stores_in_city("DE", "Bavaria", "Munich"))) == "ba"
    moved = db.run(store("a"))
    assert moved is not None
    assert moved.post_code == "90000"
