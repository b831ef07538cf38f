"""Several processes at the same articles, and processes that are killed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from typing import Any

from tests.systems.sentiment.support import NOW, check_books, counted, newsroom_on, tag_rows

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.shapes import hour_of
from tablewright.testing.backends import Backend, over_http


def program(*arguments: object) -> list[Any]:
    """What the processes were told."""
    command = [sys.executable, "-m", "tests.systems.sentiment.intake.processes"]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def raced(backend: Backend, clock: ManualClock, *arguments: object) -> tuple[Any, list[Article]]:
    """What the processes were told, and the articles then; their books are in order."""

    async def prepare() -> None:
        async with newsroom_on(backend, clock):
            pass

    async def look() -> list[Article]:
        async with newsroom_on(backend, clock) as newsroom:
            return await check_books(newsroom)

    asyncio.run(prepare())
    told = program(*arguments)
    return told, asyncio.run(look())


def test_scenario_03_twenty_workers_one_article(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    """20 workers, one article: one Article, count +1."""
    with over_http(tablewright_engine) as backend:
        told, articles = raced(backend, clock, "same", backend.url, 20)
        all_told: Counter[str] = sum(map(Counter, told), Counter())
        assert all_told == {"ingested": 1, "duplicate": 19}
        assert len(articles) == 1

        async def look() -> None:
            async with newsroom_on(backend, clock) as newsroom:
                assert await counted(newsroom, "all", hour_of(NOW)) == {"ingested": 1}
                assert len(await tag_rows(newsroom)) == 1

        asyncio.run(look())


def test_scenario_05_analysis_races_tagging(tablewright_engine: Engine, clock: ManualClock) -> None:
    """T2 races T3: rows and counters agree."""
    with over_http(tablewright_engine) as backend:
        told, articles = raced(backend, clock, "race", backend.url, 25)
        all_told: Counter[str] = sum(map(Counter, told), Counter())
        assert all_told == {"analyzed": 25, "skipped": 25, "tagged": 50}
        assert len(articles) == 25
        for each in articles:
            assert (each.status, each.sentiment) == ("analyzed", "positive")
            assert each.matched_tags == {"AI", "Climate", "Energy"}


def test_killed_at_every_step(tablewright_engine: Engine, clock: ManualClock) -> None:
    """Whatever a process was doing, what it is given again is stored and counted once."""
    with over_http(tablewright_engine) as backend:
        runs, articles = raced(backend, clock, "killed", backend.url, 3)
        # Topics, hashes, settings, three articles: most are a step, before which and after which
        # a process was killed.
        assert len(runs) >= 10
        lost = [run for run in runs if run["told"] is None]
        assert lost
        for run in runs:
            assert set(run["repeated"]) <= {"ingested", "duplicate"}
            if run["told"] is not None:
                assert set(run["repeated"]) == {"duplicate"}
        # Some were killed after an article was stored, and before anybody was told.
        assert any("duplicate" in run["repeated"] for run in lost)
        titles = sorted(each.metadata.title for each in articles)
        sent = (slug for run in runs for slug in run["slugs"])
        assert titles == sorted(slug.replace("-", " ").capitalize() for slug in sent)
