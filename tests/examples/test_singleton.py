from __future__ import annotations

import pytest
from examples.singleton import close, install, settings, shop

from tablewright.client import Db
from tablewright.model.errors import AlreadyExists, VersionConflict


def test_there_is_one(tablewright_db: Db) -> None:
    db = tablewright_db
    db.create_tables(shop)
    assert db.run(settings()) is None
    first = db.run(install())
    with pytest.raises(AlreadyExists):
        db.run(install())
    closed = db.run(close(first, "stocktaking"))
    assert (closed.open, closed.notice) == (False, "stocktaking")
    assert db.run(settings()) == closed
    with pytest.raises(VersionConflict):
        db.run(close(first, "holidays"))
