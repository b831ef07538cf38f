"""Processes that analyse, and are killed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from tests.systems.sentiment.analysis.processes import killed_at_work, working
from tests.systems.sentiment.support import check_books, newsroom_on, stored

from tablewright.clock import FileClock
from tablewright.engine import Engine
from tablewright.systems.sentiment import reads
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import over_http

BURST = 150


async def until(done: Callable[[], Awaitable[bool]], secs: float = 60.0) -> None:
    async with asyncio.timeout(secs):
        while not await done():
            await asyncio.sleep(0.1)


def test_scenario_06_the_analyser_is_killed(tmp_path: Path) -> None:
    """Kill the analyser mid-burst, restart: all done, recount 0."""
    clock = FileClock(tmp_path / "clock")

    async def go(newsroom: Newsroom, url: str) -> None:
        began = newsroom.now()
        kinds = ("good", "bad", "dull")
        for number in range(BURST):
            at = began + timedelta(milliseconds=number)
            await stored(newsroom, f"{kinds[number % 3]}-{number}", ("AI", "Climate"), timestamp=at)

        async def all_done() -> bool:
            return not await newsroom.db.run(reads.articles_with_status("pending"), limit=1)

        await asyncio.to_thread(killed_at_work, url, tmp_path / "clock", BURST // 3, "analyse")
        found = await check_books(newsroom)
        assert 0 < sum(each.status == "analyzed" for each in found) < BURST
        # The lease of the one that was killed has ended by then.
        clock.advance(31)
        with working(url, tmp_path / "clock", "analyse"):
            await until(all_done)
        found = await check_books(newsroom)
        assert Counter(each.status for each in found) == {"analyzed": BURST}
        assert {each.attempts for each in found} == {0}
        hour = began.replace(minute=0, second=0, microsecond=0)
        counted = await newsroom.books.recount(hour, hour + timedelta(hours=2), closed_only=False)
        assert not counted.drift

    async def main() -> None:
        with Engine.memory(clock=clock) as engine, over_http(engine) as backend:
            assert backend.url
            async with newsroom_on(backend, clock) as newsroom:
                await go(newsroom, backend.url)

    asyncio.run(main())
