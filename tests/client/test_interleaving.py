"""Somebody else writes between the read and the write of an op that has locks to move."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.client import raw, world
from tests.client.world import Guest

from tablewright.client import Db, Embedded
from tablewright.client.transports import Request, Response
from tablewright.engine import Engine
from tablewright.model import Op, attr, delete, put, update
from tablewright.model.errors import NotFound

WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem")


class Interrupted(Embedded):
    """Lets somebody else go first, once, just before the first write."""

    def __init__(self, engine: Engine, meanwhile: Callable[[], object]) -> None:
        super().__init__(engine)
        self._meanwhile: Callable[[], object] | None = meanwhile

    def send(self, request: Request) -> Response:
        if request.operation in WRITES and self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        return super().send(request)


@pytest.fixture
def others(tablewright_engine: Engine) -> Db:
    made = Db(Embedded(tablewright_engine))
    made.create_tables(world.app)
    return made


def badge(value: str) -> Op[Guest]:
    return update(Guest, "1").do(attr(Guest.badge).set(value))


def held(db: Db) -> list[str]:
    return sorted(raw.locks(db, world.app))


@pytest.mark.parametrize(
    ("mine", "left"),
    [
        (badge("mine"), ["UNIQUE#badge#mine"]),
        (put(Guest(guest_id="1", badge="mine")), ["UNIQUE#badge#mine"]),
        (put(Guest(guest_id="1")), []),
        (delete(Guest, "1"), []),
        (update(Guest, "1").do(attr(Guest.badge).remove()), []),
    ],
)
def test_a_value_that_changes_meanwhile(
    tablewright_engine: Engine, others: Db, mine: Op[object], left: list[str]
) -> None:
    others.run(put(Guest(guest_id="1", badge="first")))
    db = Db(Interrupted(tablewright_engine, lambda: others.run(badge("theirs"))))
    db.run(mine)
    assert held(others) == left


@pytest.mark.parametrize(
    "mine",
    [
        put(Guest(guest_id="1", badge="mine")),
        update(Guest, "1").do(attr(Guest.badge).set("mine")).upsert(),
    ],
)
def test_an_entity_that_is_made_meanwhile(
    tablewright_engine: Engine, others: Db, mine: Op[object]
) -> None:
    theirs = put(Guest(guest_id="1", badge="theirs"))
    Db(Interrupted(tablewright_engine, lambda: others.run(theirs))).run(mine)
    assert held(others) == ["UNIQUE#badge#mine"]


def test_a_delete_sees_what_is_made_meanwhile(tablewright_engine: Engine, others: Db) -> None:
    theirs = Guest(guest_id="1", badge="theirs")
    db = Db(Interrupted(tablewright_engine, lambda: others.run(put(theirs))))
    assert db.run(delete(Guest, "1")) == theirs
    assert raw.items(others, world.app) == []


def test_an_entity_that_goes_meanwhile(tablewright_engine: Engine, others: Db) -> None:
    others.run(put(Guest(guest_id="1", badge="first")))
    db = Db(Interrupted(tablewright_engine, lambda: others.run(delete(Guest, "1"))))
    with pytest.raises(NotFound):
        db.run(badge("mine"))
    assert raw.items(others, world.app) == []
