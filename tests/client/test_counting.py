"""Counts and projections where the key alone tells entities apart, or when they end."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import pytest

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.deploy.templates.iam import Account, policies
from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Number,
    Projection,
    Range,
    Table,
    Ttl,
    Unique,
    attr,
    count,
    put,
    query,
)
from tablewright.testing import Backend

sessions = Table(
    "Sessions",
    pk="PK",
    ttl="ends",
    indexes=[
        Index("by_end", pk="user", sk=Number("ends")),
        Index("end_keys", pk="room", sk=Number("ends"), keys_only=True),
    ],
)


class Session(
    Entity,
    table=sessions,
    keys={
        "primary": Key("SESSION#{id}"),
        "by_end": Key("{user}", "{ends}", on="by_end"),
        "in_room": Key("{room}", "{ends}", on="end_keys"),
    },
):
    id: str
    user: str = "ada"
    room: str = "hall"
    clicks: int = 0
    ends: Ttl | None = None


class Visit(
    Entity,
    table=sessions,
    keys={"primary": Key("VISIT#{id}"), "by_end": Key("{user}", "{ends}", on="by_end")},
):
    id: str
    user: str = "ada"
    ends: Ttl


@query(Session, key="by_end")
def sessions_of(user: str) -> None:
    """Whoever is signed in."""


@count(Session, key="by_end", filter=attr(Session.clicks) > 0)
def busy_sessions(user: str) -> None:
    """How many of them do something."""


@count(Session, key="by_end")
def number_of_sessions(user: str) -> None:
    """How many there are."""


@count(Session, key="in_room")
def number_in_room(room: str) -> None:
    """How many are in a room, of an index of keys."""


readings = Table(
    "Readings",
    pk="PK",
    sk="SK",
    discriminator=None,
    indexes=[Index("by_day", pk="day", sk="SK"), Index("by_tag", pk="tag", sk="SK")],
)


class Measure(
    Entity,
    table=readings,
    keys={
        "primary": Key("LINE#{line}", "{at:03d}#@{sensor}"),
        "by_day": Key("{day}", "{at:03d}#@{sensor}", on="by_day"),
    },
):
    line: str
    at: int
    sensor: str
    day: str = "mon"


class Note(
    Entity,
    table=readings,
    keys={
        "primary": Key("LINE#{line}", "{at:03d}#{tag}"),
        "by_day": Key("{day}", "{at:03d}#{tag}", on="by_day"),
        "by_tag": Key("{tag}", "{at:03d}#{tag}", on="by_tag"),
    },
):
    line: str
    at: int
    tag: str
    day: str = "mon"


class Tagged(Projection, of=Note):
    at: int
    tag: str


@query(Note)
def notes(line: str) -> None:
    """The notes of a line."""


@query(Note, into=Tagged)
def tags(line: str) -> None:
    """In short."""


@query(Note, key="by_day", into=Tagged)
def tags_of_day(day: str) -> None:
    """In short, by day."""


@count(Note, range=Range("at", ge="since"))
def number_of_notes(line: str, *, since: int | None = None) -> None:
    """How many there are."""


@count(Note, key="by_day")
def notes_of_day(day: str) -> None:
    """How many a day has."""


@count(Note, key="by_tag", component="tagging")
def notes_of_tag(tag: str) -> None:
    """How many have a tag."""


people = Table("People", pk="id", discriminator=None)


class Member(Entity, table=people, keys={"primary": Key("{id}")}):
    id: str
    email: Annotated[str | None, Unique("email", key=Key("{email}"))] = None


class MemberId(Projection, of=Member):
    id: str


@query(Member, into=MemberId)
def member(id: str) -> None:
    """Who that is."""


@count(Member)
def is_member(id: str) -> None:
    """Whether there is one."""


@pytest.fixture
def db(tablewright_backend: Backend, clock: ManualClock) -> Db:
    db = tablewright_backend.db(clock=clock)
    db.create_tables(sessions, readings, people)
    return db


def test_what_has_ended_is_not_counted_by_its_end(db: Db, clock: ManualClock) -> None:
    """A filter may not name a key of the index, and there the end is one."""
    for number, seconds in enumerate((-5, 0, 5, 50)):
        end = datetime.fromtimestamp(clock.now() + seconds, UTC)
        db.run(put(Session(id=str(number), ends=end, clicks=number % 2)))
        db.run(put(Visit(id=str(number), ends=end)))
    assert db.run(number_of_sessions("ada")) == len(db.run(sessions_of("ada"))) == 2
    assert db.run(busy_sessions("ada")) == 1
    assert db.run(number_in_room("hall")) == 2
    clock.advance(5)
    assert db.run(number_of_sessions("ada")) == db.run(number_in_room("hall")) == 1


def test_entities_that_only_their_keys_tell_apart(db: Db) -> None:
    made = [db.run(put(Note(line="a", at=at, tag="t"))) for at in range(3)]
    for at in range(3):
        db.run(put(Measure(line="a", at=at, sensor="s")))
    short = [Tagged(at=each.at, tag=each.tag) for each in made]
    assert list(db.run(notes("a"))) == made
    assert list(db.run(tags("a"))) == list(db.run(tags_of_day("mon"))) == short
    assert db.run(number_of_notes("a")) == db.run(notes_of_day("mon")) == 3
    assert db.run(number_of_notes("a", since=2)) == 1


def test_locks_are_neither_counted_nor_read_in_short(db: Db) -> None:
    db.run(put(Member(id="ada", email="a@x")))
    assert [db.run(is_member(id)) for id in ("ada", "a@x")] == [1, 0]
    assert [list(db.run(member(id))) for id in ("ada", "a@x")] == [[MemberId(id="ada")], []]


def test_the_service_counts_where_it_can(db: Db) -> None:
    db.run(put(Note(line="a", at=1, tag="t")))
    assert db.run(notes_of_tag("t")) == 1
    assert '"COUNT"' in notes_of_tag("t").explain()
    assert '"COUNT"' not in notes_of_day("mon").explain()


def test_only_those_that_read_keys_may_read() -> None:
    found = policies(Model("counts", __name__), Account(), {})
    held = {name: str(each).count("'dynamodb:Select': 'COUNT'") for name, each in found.items()}
    assert held == {"tagging": 1, "default": 0}
