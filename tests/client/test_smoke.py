"""One path through everything, on every backend."""

from __future__ import annotations

import asyncio

import pytest
from tests.backends import SMOKE
from tests.client import world
from tests.client.world import Board, Person, Task, new_task

from tablewright.model import attr, delete, put, update
from tablewright.model.errors import NotFound, UniqueViolation, VersionConflict
from tablewright.testing import Backend

everywhere = pytest.mark.parametrize("tablewright_backend", SMOKE, indirect=True)


@everywhere
def test_reads_and_writes(tablewright_backend: Backend) -> None:
    db = tablewright_backend.db()
    assert db.create_tables(world.model) == ["World"]
    assert db.create_tables(world.model) == []
    first = db.run(put(Person(person_id="1", email="a@x")))
    assert db.run(world.person("1")) == first
    with pytest.raises(UniqueViolation):
        db.run(put(Person(person_id="2", email="a@x")))
    second = db.run(update(first).do(attr(Person.email).set("b@x")))
    with pytest.raises(VersionConflict):
        db.run(update(first).do(attr(Person.score).add(1)))
    assert second.version == 2
    db.batch([put(new_task(number, owner="ann")) for number in range(30)])
    assert len(db.run(world.tasks("L"), limit=100)) == 30
    page = db.run(world.open_tasks("ann"), limit=20)
    rest = db.run(world.open_tasks("ann"), limit=20, cursor=page.cursor)
    assert [each.task_id for each in (*page, *rest)] == [f"t{n:04d}" for n in range(30)]
    db.transact(
        put(Board(list_id="L")), update(new_task(0, owner="ann")).do(attr(Task.priority).set(7))
    )
    view = db.run(world.board_view("L"))
    assert view.tasks[0].priority == 7
    assert db.run(delete(second)) == second
    with pytest.raises(NotFound):
        db.run(update(second).do(attr(Person.score).add(1)))


@everywhere
def test_the_same_with_coroutines(tablewright_backend: Backend) -> None:
    async def main() -> None:
        async with tablewright_backend.async_db() as db:
            await db.create_tables(world.model)
            stored = await db.run(put(Person(person_id="1", email="a@x")))
            assert await db.run(world.person("1")) == stored
            with pytest.raises(UniqueViolation) as caught:
                await db.run(put(Person(person_id="2", email="a@x")))
            assert caught.value.owner == {"person_id": "1"}
            await db.batch([put(new_task(number)) for number in range(30)])
            found = [each.task_id async for each in db.iterate(world.tasks("L"))]
            assert len(found) == 30
            done = await db.transact(put(Board(list_id="L")), put(Board(list_id="M")))
            assert [board.list_id for board in done] == ["L", "M"]
            assert (await db.run(world.small_view("L"))).board == Board(list_id="L")

    asyncio.run(main())
