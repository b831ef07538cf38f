"""A database that holds the demo."""

from __future__ import annotations

import pytest

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.systems.vibejudge.demo import demo
from tablewright.systems.vibejudge.model import model


def loaded(engine: Engine) -> Db:
    db = Db(Embedded(engine))
    db.create_tables(model)
    for item in demo().items:
        db.run(put(item))
    return db


@pytest.fixture
def db(tablewright_engine: Engine) -> Db:
    return loaded(tablewright_engine)
