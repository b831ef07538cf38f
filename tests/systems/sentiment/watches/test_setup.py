"""What holds for the whole system, and its first values."""

from __future__ import annotations

import asyncio

from tests.systems.sentiment.support import ADMIN, VADER, newsroom_on, refused

from tablewright.clock import ManualClock
from tablewright.model import delete
from tablewright.service.kit import audit
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.config import Settings
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import SHARDS
from tablewright.testing.backends import Backend


def test_opening_sets_what_is_not_set(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.db.run(delete(Settings))
            await asyncio.gather(*(newsroom.setup.open() for _ in range(3)))
            found = await newsroom.setup.current()
            assert (found.active_model, found.shards) == (VADER, SHARDS)
            await newsroom.db.run(writes.raise_shards(20))
            await newsroom.setup.open()
            assert (await newsroom.setup.current()).shards == 20
            registered = [
                each.model_version async for each in newsroom.db.iterate(config_reads.models())
            ]
            assert VADER in registered

    asyncio.run(go())


def test_settings_are_there_for_whoever_asks_first(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.db.run(delete(Settings))
            assert (await Newsroom(newsroom.runtime).setup.current()).active_model == VADER

    asyncio.run(go())


def test_shards_only_rise(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            assert (await newsroom.setup.raise_shards(32, ADMIN)).shards == 32
            for fewer in (32, 31):
                problem = await refused(newsroom.setup.raise_shards(fewer, ADMIN))
                assert (problem.status, problem.code) == (409, "SHARDS_ONLY_RISE")
            assert (await newsroom.setup.current()).shards == 32
            (entry,) = await audit.entries(newsroom.db, until=clock.now() + 1)
            assert entry.detail == {"shards": [SHARDS, 32]}

    asyncio.run(go())
