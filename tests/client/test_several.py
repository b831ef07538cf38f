"""Reads that the other files do not have: several entities at once, the first one, the latest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tablewright.client import Db, Embedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Index,
    IsoSeconds,
    Key,
    Projection,
    Range,
    Table,
    Ttl,
    attr,
    collect,
    find,
    put,
    query,
    update,
)
from tablewright.model.errors import ModelError, NotFound, RequestError

desk = Table(
    "Desk",
    pk="PK",
    sk="SK",
    ttl="ends",
    indexes=[
        Index("due", pk="due_pk", sk="due_sk"),
        Index("short", pk="short_pk", sk="short_sk", include=("note",)),
    ],
)


def keys(kind: str) -> dict[str, Key]:
    return {
        "primary": Key("DESK#{desk_id}", kind + "#{name}"),
        "due": Key("DUE", "{due_at}", on="due"),
        "short": Key("SHORT", "{due_at}", on="short"),
    }


class Task(Entity, table=desk, keys=keys("TASK")):
    desk_id: str
    name: str
    due_at: IsoSeconds
    note: str = ""
    hours: int = 1
    ends: Ttl | None = None


class Timer(Entity, table=desk, keys=keys("TIMER")):
    desk_id: str
    name: str
    due_at: IsoSeconds
    note: str = ""


class Owner(Entity, table=desk, keys={"primary": Key("DESK#{desk_id}", "OWNER")}):
    desk_id: str


class Line(Projection, of=Task):
    name: str
    note: str


@dataclass(frozen=True)
class Latest:
    timers: tuple[Timer, ...]
    tasks: tuple[Task, ...]


@query(Task, Timer, key="due", range=Range("due_at", le="until"))
def due(until: datetime) -> None:
    """Whatever is due, in order."""


@query(Task, Timer, key="short", hydrate=True)
def due_whole() -> None:
    """The same from an index that does not hold everything."""


@query(Task, key="short", into=Line, expired=True)
def lines() -> None:
    """Lines, ended ones too."""


@find(Task, key="due", descending=True)
def last_task() -> None:
    """The task that is due last."""


@collect(Latest, descending=True, limit=3, others="skip")
def latest(desk_id: str) -> None:
    """The last three things on a desk."""


def at(day: int) -> datetime:
    return datetime(2026, 1, day, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(at(1).timestamp())


@pytest.fixture
def db(clock: ManualClock) -> Iterator[Db]:
    with Engine.memory(clock=clock) as engine, Db(Embedded(engine), clock=clock) as db:
        db.create_tables(desk)
        db.batch(
            [
                put(Task(desk_id="d", name="a", due_at=at(3), hours=5)),
                put(Task(desk_id="d", name="b", due_at=at(9), ends=at(20))),
                put(Timer(desk_id="d", name="t", due_at=at(2), note="ring")),
                put(Owner(desk_id="d")),
            ]
        )
        yield db


def test_entities_that_meet_under_a_key_come_in_its_order(db: Db) -> None:
    found = db.run(due(at(5)))
    assert [(type(each), each.name) for each in found] == [(Timer, "t"), (Task, "a")]


def test_a_page_of_several_entities_goes_on_where_it_ended(db: Db) -> None:
    first = db.run(due(at(9)), limit=2)
    rest = db.run(due(at(9)), limit=2, cursor=first.cursor)
    assert [each.name for each in (*first, *rest)] == ["t", "a", "b"]


def test_several_entities_are_read_whole_after_a_short_index(db: Db) -> None:
    found = db.run(due_whole())
    assert [each.name for each in found] == ["t", "a", "b"]
    assert isinstance(found[1], Task)
    assert found[1].hours == 5


def test_what_has_ended_is_left_out_unless_the_pattern_wants_it(db: Db, clock: ManualClock) -> None:
    clock.set(at(21).timestamp())
    assert [each.name for each in db.run(due(at(9)))] == ["t", "a"]
    assert [each.name for each in db.run(lines())] == ["a", "b"]


def test_an_index_without_the_end_has_to_say_what_it_means() -> None:
    with pytest.raises(ModelError, match=r"ends.*expired=True"):

        @query(Task, key="short", into=Line)
        def without() -> None: ...


def test_entities_that_do_not_meet_cannot_be_read_together() -> None:
    with pytest.raises(ModelError, match="do not meet"):

        @query(Task, Owner, key="primary")
        def both(desk_id: str) -> None: ...


def test_the_first_of_a_query_or_none(db: Db) -> None:
    found = db.run(last_task())
    assert found is not None
    assert found.name == "b"
    assert db.require(last_task()) == found


def test_nothing_found_is_an_error_only_where_it_is_required(clock: ManualClock) -> None:
    with Engine.memory() as engine, Db(Embedded(engine)) as empty:
        empty.create_tables(desk)
        assert empty.run(last_task()) is None
        with pytest.raises(NotFound, match="last_task"):
            empty.require(last_task())


def test_an_update_can_give_what_was_there_before(db: Db) -> None:
    op = update(Task, "d", "a").do(attr(Task.hours).set(7)).returning_old()
    assert db.run(op).hours == 5
    assert db.run(op).hours == 7


def test_what_was_there_before_is_not_known_of_an_upsert(db: Db) -> None:
    with pytest.raises(RequestError, match="returning_old"):
        db.run(update(Task, "d", "a").do(attr(Task.hours).set(7)).upsert().returning_old())


def test_a_collection_of_the_latest_few(db: Db) -> None:
    view = db.run(latest("d"))
    assert [each.name for each in view.timers] == ["t"]
    assert [each.name for each in view.tasks] == ["b", "a"]
