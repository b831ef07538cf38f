"""The fixtures that the pytest plugin gives to tests of models."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from tests.client import world
from tests.client.world import Doc, new_task

from tablewright.client import AsyncDb, Db
from tablewright.clock import ManualClock
from tablewright.model import put


def test_both_kinds_are_one_database(tablewright_db: Db, tablewright_async_db: AsyncDb) -> None:
    tablewright_db.create_tables(world.app)
    stored = tablewright_db.run(put(Doc(doc_id="1")))

    async def main() -> Doc | None:
        async with tablewright_async_db as db:
            return await db.run(world.doc("1"))

    assert asyncio.run(main()) == stored


def test_they_go_by_the_clock_of_the_test(
    tablewright_db: Db, tablewright_clock: ManualClock
) -> None:
    tablewright_db.create_tables(world.app)
    end = datetime.fromtimestamp(tablewright_clock.now() + 10, UTC)
    tablewright_db.run(put(new_task(1, ends=end)))
    assert len(tablewright_db.run(world.tasks("L"))) == 1
    tablewright_clock.advance(11)
    assert len(tablewright_db.run(world.tasks("L"))) == 0
