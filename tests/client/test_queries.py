"""Queries, counts, collections and scans."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.client import raw, world
from tests.client.world import (
    Board,
    Label,
    OwnedLine,
    Person,
    StatusLine,
    Task,
    later,
    new_task,
)

from tablewright.client import Db, RequestEvent
from tablewright.clock import ManualClock
from tablewright.model import collect, delete, put, query
from tablewright.model.errors import CeilingReached, Incomplete, RequestError, UnknownEntity
from tablewright.testing import Backend


def store(db: Db, numbers: Iterator[int] | range, **fields: object) -> list[Task]:
    made = [new_task(number, **fields) for number in numbers]
    db.batch([put(each) for each in made])
    return made


def numbers(found: object) -> list[int]:
    return [int(each.task_id[1:]) for each in found]  # type: ignore[attr-defined]


def test_equality_and_order(db: Db) -> None:
    made = store(db, range(5))
    store(db, range(3), list_id="other")
    assert list(db.run(world.tasks("L"))) == made
    assert numbers(db.iterate(world.latest_tasks("L"))) == [4, 3, 2, 1, 0]


def test_ranges(db: Db) -> None:
    store(db, range(6))
    assert numbers(db.run(world.tasks("L", since=later(hours=2)))) == [2, 3, 4, 5]
    assert numbers(db.run(world.tasks("L", until=later(hours=2)))) == [0, 1]
    found = db.run(world.tasks("L", since=later(hours=1), until=later(hours=3)))
    assert numbers(found) == [1, 2]
    nothing = world.tasks("L", since=later(hours=3), until=later(hours=3))
    assert db.run(nothing).items == ()
    assert list(db.iterate(nothing)) == []


def test_begins_with(db: Db) -> None:
    for name in ("ab", "abc", "b", "a#b"):
        db.run(put(Label(list_id="L", name=name)))
    assert [each.name for each in db.run(world.labels("L", prefix="ab"))] == ["ab", "abc"]
    assert [each.name for each in db.run(world.labels("L", prefix="a#"))] == ["a#b"]
    assert len(db.run(world.labels("L"))) == 4


def test_filters_with_parameters(db: Db) -> None:
    store(db, range(0, 10, 2), status="new", priority=1)
    store(db, range(1, 10, 2), status="done", priority=2)
    assert numbers(db.run(world.tasks("L", status="done"))) == [1, 3, 5, 7, 9]
    assert numbers(db.run(world.tasks("L", status="new", least=2))) == []
    assert len(db.run(world.tasks("L", least=1))) == 10


def test_projections_of_an_include_index(db: Db) -> None:
    [stored] = store(db, range(1, 2), owner="ann", text="long")
    assert list(db.run(world.status_lines("new"))) == [
        StatusLine(list_id="L", task_id="t0001", made_at=stored.made_at, status="new")
    ]


def test_projections_of_a_keys_only_index(db: Db) -> None:
    for number in range(5):
        db.run(put(new_task(number, owner="ann", priority=number)))
    found = db.run(world.owned_lines("ann", least=1, most=3))
    assert list(found) == [
        OwnedLine(list_id="L", task_id=f"t{number:04d}", owner="ann", priority=number)
        for number in (1, 2, 3)
    ]


def test_hydrate(db: Db) -> None:
    made = store(db, range(4), owner="ann", text="long")
    assert list(db.run(world.by_status("new"))) == made
    assert sorted(numbers(db.run(world.owned("ann")))) == [0, 1, 2, 3]
    assert sorted(numbers(db.iterate(world.owned("ann")))) == [0, 1, 2, 3]


def test_hydrate_pages_in_full_although_some_have_ended(db: Db, clock: ManualClock) -> None:
    """An index of keys alone does not tell what has ended; the limit counts what is left."""
    end = datetime.fromtimestamp(clock.now() + 10, UTC)
    for number in range(8):
        ends = end if number % 2 else None
        db.run(put(new_task(number, owner="ann", priority=number, ends=ends)))
    clock.advance(11)
    page = db.run(world.owned("ann"), limit=3)
    assert numbers(page) == [0, 2, 4]
    assert numbers(db.run(world.owned("ann"), limit=3, cursor=page.cursor)) == [6]


def test_hydrate_with_what_has_ended(db: Db, clock: ManualClock) -> None:
    @query(Task, key="by_owner", hydrate=True, expired=True)
    def owned_ever(owner: str) -> None:
        """Tasks by owner, whole, the ended ones too."""

    end = datetime.fromtimestamp(clock.now() + 10, UTC)
    for number in range(4):
        ends = end if number % 2 else None
        db.run(put(new_task(number, owner="ann", priority=number, ends=ends)))
    clock.advance(11)
    assert numbers(db.run(owned_ever("ann"))) == [0, 1, 2, 3]


def test_a_local_index(db: Db) -> None:
    for number, priority in enumerate([5, 1, 9]):
        db.run(put(new_task(number, priority=priority)))
    assert [each.priority for each in db.run(world.by_priority("L"))] == [9, 5, 1]


# --- limits ---------------------------------------------------------------------------------------


def walk(db: Db, op: object, limit: int) -> tuple[list[int], list[int]]:
    """All results, and how many there were in each page."""
    found: list[int] = []
    sizes: list[int] = []
    cursor: str | None = None
    while True:
        page = db.run(op, limit=limit, cursor=cursor)  # type: ignore[call-overload]
        found += numbers(page)
        sizes.append(len(page))
        cursor = page.cursor
        if cursor is None:
            return found, sizes


def test_pages(db: Db) -> None:
    store(db, range(10))
    found, sizes = walk(db, world.tasks("L"), 4)
    assert found == list(range(10))
    assert sizes == [4, 4, 2]
    assert numbers(db.run(world.latest_tasks("L"))) == [9, 8]
    with pytest.raises(RequestError, match="at least 1"):
        db.run(world.tasks("L"), limit=0)
    with pytest.raises(RequestError, match="no pages"):
        db.run(world.task_count("L"), limit=1)  # type: ignore[call-overload]
    with pytest.raises(RequestError, match="one result"):
        list(db.iterate(world.task_count("L")))  # type: ignore[arg-type]


def test_the_limit_counts_results_of_a_filter(db: Db) -> None:
    store(db, range(300), status="new")
    store(db, range(300, 310), status="done")
    found, sizes = walk(db, world.tasks("L", status="done"), 4)
    assert found == list(range(300, 310))
    assert sizes[:2] == [4, 4]


def test_the_limit_counts_results_among_strangers(
    tablewright_backend: Backend, db: Db, clock: ManualClock
) -> None:
    """And does not take a request for each of them."""
    events: list[RequestEvent] = []
    for number in range(300):
        key = {"PK": {"S": "LIST#L"}, "SK": {"S": f"TASK#2020-01-01T00:00:00Z#{number}"}}
        raw.store(db, world.app, {**key, "entity_type": {"S": "Stranger"}})
    store(db, range(5))
    db = tablewright_backend.db(clock=clock, hook=events.append)
    found, sizes = walk(db, world.tasks("L"), 2)
    assert found == [0, 1, 2, 3, 4]
    assert sizes[:2] == [2, 2]
    assert len(events) < 10


def test_the_limit_does_not_count_what_has_ended(db: Db, clock: ManualClock) -> None:
    store(db, range(0, 10, 2), ends=datetime.fromtimestamp(clock.now() + 10, UTC))
    store(db, range(1, 10, 2))
    clock.advance(11)
    found, sizes = walk(db, world.tasks("L"), 2)
    assert found == [1, 3, 5, 7, 9]
    assert sizes[:2] == [2, 2]


def test_more_than_a_megabyte(db: Db) -> None:
    made = store(db, range(20), text="x" * 150_000)
    assert list(db.run(world.tasks("L"))) == made
    assert walk(db, world.tasks("L"), 13) == (list(range(20)), [13, 7])


def test_iterating_reads_no_page_ahead(tablewright_backend: Backend, db: Db) -> None:
    store(db, range(20), text="x" * 150_000)
    events: list[RequestEvent] = []
    db = tablewright_backend.db(hook=events.append)
    found = db.iterate(world.tasks("L"))
    assert events == []
    seen = [next(found) for _ in range(2)]
    assert len(events) == 1
    rest = list(found)
    assert numbers([*seen, *rest]) == list(range(20))
    assert len(events) >= 3


def test_ceilings(db: Db) -> None:
    store(db, range(4))
    assert len(db.run(world.few_pages("L"), limit=4)) == 4
    store(db, range(4, 6))
    with pytest.raises(CeilingReached, match="few_pages reached its ceiling of 2 requests"):
        db.run(world.few_pages("L"), limit=6)
    with pytest.raises(CeilingReached):
        list(db.iterate(world.few_pages("L")))
    assert len(db.run(world.few_units("L"), limit=2)) == 2
    with pytest.raises(CeilingReached, match=r"0\.5 read units"):
        db.run(world.few_units("L"), limit=6)


# --- counts, collections, scans -------------------------------------------------------------------


def test_counts(db: Db, clock: ManualClock) -> None:
    store(db, range(5))
    assert db.run(world.task_count("L")) == 5
    assert db.run(world.task_count("M")) == 0
    db.run(put(Board(list_id="L")))
    store(db, range(5, 7), ends=datetime.fromtimestamp(clock.now() + 10, UTC))
    key = {"PK": {"S": "LIST#L"}, "SK": {"S": "TASK#2020-01-01T00:00:00Z#x"}}
    raw.store(db, world.app, {**key, "entity_type": {"S": "Stranger"}})
    assert db.run(world.task_count("L")) == 7
    clock.advance(11)
    assert db.run(world.task_count("L")) == len(db.run(world.tasks("L"))) == 5


def test_counts_beyond_a_megabyte(db: Db) -> None:
    store(db, range(16), text="x" * 150_000)
    assert db.run(world.task_count("L")) == 16


def test_collections(db: Db, clock: ManualClock) -> None:
    with pytest.raises(Incomplete, match=r"BoardView\.board"):
        db.run(world.board_view("L"))
    assert db.run(world.small_view("L")) == world.SmallView(None, ())
    board = db.run(put(Board(list_id="L")))
    made = store(db, range(3))
    ended = datetime.fromtimestamp(clock.now() - 10, UTC)
    store(db, range(5, 6), ends=ended)
    label = db.run(put(Label(list_id="L", name="x")))
    assert db.run(world.board_view("L")) == world.BoardView(board, tuple(made), [label])
    assert db.run(world.small_view("L")) == world.SmallView(board, tuple(made))


def test_strangers_in_a_collection(db: Db) -> None:
    db.run(put(Board(list_id="L")))
    key = {"PK": {"S": "LIST#L"}, "SK": {"S": "SPY"}}
    raw.store(db, world.app, {**key, "entity_type": {"S": "Spy"}})
    with pytest.raises(UnknownEntity, match="SPY"):
        db.run(world.board_view("L"))
    assert db.run(world.small_view("L")).board is not None


def test_a_collection_beyond_a_megabyte(db: Db) -> None:
    db.run(put(Board(list_id="L")))
    made = store(db, range(16), text="x" * 150_000)
    assert db.run(world.board_view("L")).tasks == tuple(made)


def test_a_limit_of_a_collection_beyond_a_megabyte(db: Db) -> None:
    @collect(world.SmallView, others="skip", consistent=True, limit=10)
    def first_ten(list_id: str) -> None:
        """A board with its first tasks."""

    db.run(put(Board(list_id="L")))
    made = store(db, range(16), text="x" * 150_000)
    found = db.run(first_ten("L"))
    assert found.board is not None
    assert found.tasks == tuple(made[:9])


def test_scans(db: Db) -> None:
    store(db, range(30))
    db.run(put(Person(person_id="a", email="x")))
    for number in range(40):
        db.run(put(Label(list_id="M", name=str(number))))
    assert sorted(numbers(db.iterate(world.all_tasks()))) == list(range(30))
    found, sizes = walk(db, world.all_tasks(), 7)
    assert sorted(found) == list(range(30))
    assert sizes[:4] == [7, 7, 7, 7]
    assert list(db.iterate(world.all_tasks(status="done"))) == []
    db.run(delete(new_task(0)))
    assert len(list(db.iterate(world.all_tasks(status="new")))) == 29
