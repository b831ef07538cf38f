"""The model that most tests of the client run: one table with everything that can go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from tablewright.model import (
    Counter,
    Entity,
    Field,
    Index,
    IsoSeconds,
    Key,
    Model,
    Projection,
    Range,
    Shard,
    Table,
    Ttl,
    Unique,
    Version,
    attr,
    collect,
    count,
    get,
    param,
    query,
    scan,
    total,
)

app = Table(
    "World",
    pk="PK",
    sk="SK",
    ttl="ends",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK"),
        Index("GSI2", pk="GSI2PK", sk="GSI2SK", include=("status", "ends")),
        Index("GSI3", pk="GSI3PK", sk="GSI3SK", keys_only=True),
        Index("LSI1", sk="LSI1SK", local=True),
    ],
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def later(**parts: float) -> datetime:
    return NOON + timedelta(**parts)


class Person(
    Entity,
    table=app,
    keys={
        "primary": Key("PERSON#{person_id}", "PROFILE"),
        "by_email": Key("EMAIL#{email}", "PERSON", on="GSI1"),
    },
    unique=[Unique("seat", fields=("room", "seat"))],
):
    """Versioned, with unique values of every kind, and an end."""

    person_id: str
    email: Annotated[str, Unique("email")]
    handle: Annotated[str | None, Unique("handle")] = None
    room: str | None = None
    seat: int | None = None
    score: int = 0
    ends: Ttl | None = None
    version: Version = 0


class Guest(Entity, table=app, keys={"primary": Key("GUEST#{guest_id}", "GUEST")}):
    """Unique, but without a version."""

    guest_id: str
    badge: Annotated[str | None, Unique("badge")] = None
    note: str = ""
    ends: Ttl | None = None


class Task(
    Entity,
    table=app,
    keys={
        "primary": Key("LIST#{list_id}", "TASK#{made_at}#{task_id}"),
        "open": Key(
            "OPEN#{owner}", "{made_at}#{task_id}", on="GSI1", when={"status": {"new", "doing"}}
        ),
        "by_status": Key("STATUS#{status}", "{made_at}#{task_id}", on="GSI2"),
        "by_owner": Key("OWNER#{owner}", "{priority:03d}", on="GSI3"),
        "by_priority": Key("{priority:03d}#{task_id}", on="LSI1"),
    },
):
    """Without a version: index keys that rest on several fields."""

    list_id: str
    task_id: str
    made_at: IsoSeconds = NOON
    status: str = "new"
    owner: str | None = None
    priority: int = 0
    text: str = ""
    tags: set[str] = Field(default_factory=set)
    ends: Ttl | None = None


class Board(Entity, table=app, keys={"primary": Key("LIST#{list_id}", "BOARD")}):
    list_id: str
    title: str = ""


class Label(Entity, table=app, keys={"primary": Key("LIST#{list_id}", "LABEL#{name}")}):
    list_id: str
    name: str


class Doc(Entity, table=app, keys={"primary": Key("DOC#{doc_id}", "DOC")}):
    """Versioned and nothing else."""

    doc_id: str
    text: str = ""
    hits: int = 0
    lines: list[str] = Field(default_factory=list)
    version: Version = 0


class Hits(Counter, table=app, keys={"primary": Key("HITS#{page}", "SHARD#{shard}")}, shards=4):
    page: str
    shard: Shard = 0
    hits: int = 0
    misses: int = 0
    ends: Ttl | None = None


class StatusLine(Projection, of=Task):
    """What the INCLUDE index holds, and what stands in its keys."""

    list_id: str
    task_id: str
    made_at: IsoSeconds
    status: str


class OwnedLine(Projection, of=Task):
    """What stands in the keys of the KEYS_ONLY index."""

    list_id: str
    task_id: str
    owner: str | None
    priority: int


class Title(Projection, of=Board):
    title: str


@dataclass(frozen=True)
class BoardView:
    board: Board
    tasks: tuple[Task, ...]
    labels: list[Label]


@dataclass(frozen=True)
class SmallView:
    board: Board | None
    tasks: tuple[Task, ...]


@get(Person, consistent=True)
def person(person_id: str) -> None:
    """One person."""


@query(Person, key="by_email")
def person_by_email(email: str) -> None:
    """Who has an address."""


@get(Guest, consistent=True)
def guest(guest_id: str) -> None:
    """One guest."""


@get(Task, consistent=True)
def task(list_id: str, made_at: IsoSeconds, task_id: str) -> None:
    """One task."""


@get(Doc, consistent=True)
def doc(doc_id: str) -> None:
    """One document."""


@get(Board, into=Title)
def title(list_id: str) -> None:
    """The title of a board."""


@query(
    Task,
    range=Range("made_at", ge="since", lt="until"),
    filter=(attr(Task.status) == param("status")) & (attr(Task.priority) >= param("least")),
    consistent=True,
)
def tasks(
    list_id: str,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    status: str | None = None,
    least: int | None = None,
) -> None:
    """Tasks of a list, oldest first."""


@query(Task, descending=True, limit=2, consistent=True)
def latest_tasks(list_id: str) -> None:
    """Tasks of a list, newest first."""


@query(Task, key="open")
def open_tasks(owner: str) -> None:
    """Tasks that somebody has to do."""


@query(Task, key="by_status", into=StatusLine)
def status_lines(status: str) -> None:
    """Tasks by status, in short."""


@query(Task, key="by_status", hydrate=True)
def by_status(status: str) -> None:
    """Tasks by status, whole."""


@query(
    Task,
    key="by_owner",
    into=OwnedLine,
    range=Range("priority", ge="least", le="most"),
    expired=True,
)
def owned_lines(owner: str, *, least: int | None = None, most: int | None = None) -> None:
    """Tasks by owner, in short."""


@query(Task, key="by_owner", hydrate=True)
def owned(owner: str) -> None:
    """Tasks by owner, whole."""


@query(Task, key="by_priority", descending=True, consistent=True)
def by_priority(list_id: str) -> None:
    """Tasks of a list, most urgent first."""


@query(Label, range=Range("name", begins_with="prefix"))
def labels(list_id: str, *, prefix: str | None = None) -> None:
    """Labels of a list."""


@count(Task, consistent=True)
def task_count(list_id: str) -> None:
    """How many tasks a list has."""


@collect(BoardView, consistent=True)
def board_view(list_id: str) -> None:
    """A board with all that is on it."""


@collect(SmallView, others="skip", consistent=True)
def small_view(list_id: str) -> None:
    """A board with its tasks."""


@scan(Task, admin=True, filter=attr(Task.status) == param("status"))
def all_tasks(*, status: str | None = None) -> None:
    """All tasks there are."""


@query(Task, max_pages=2, page_size=2, consistent=True)
def few_pages(list_id: str) -> None:
    """Tasks, at most four of them."""


@query(Task, max_units=0.5, page_size=2, consistent=True)
def few_units(list_id: str) -> None:
    """Tasks, for half a unit."""


@total(Hits)
def hits(page: str) -> None:
    """How often a page was seen."""


def new_task(number: int, **fields: object) -> Task:
    """Task ``number`` of list L, an hour after the one before."""
    given = {"list_id": "L", "task_id": f"t{number:04d}", "made_at": later(hours=number), **fields}
    return Task.model_validate(given)


model = Model("world", __name__)
