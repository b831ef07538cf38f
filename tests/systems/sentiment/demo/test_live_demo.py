"""The demo of a running system: whole, quick, repeatable, and moving."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.cli.up_support import Up, started
from tests.service.support import asgi
from tests.systems.sentiment.support import START, all_articles

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.kit import audit
from tablewright.service.workers import Held
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.changes import tags_of
from tablewright.systems.sentiment.corpus import headlines, later
from tablewright.systems.sentiment.live_demo import fill
from tablewright.systems.sentiment.live_demo.cast import (
    ADMIN,
    POISON,
    RULES,
    SOURCES,
    TOPICS,
    WIRE,
)
from tablewright.systems.sentiment.live_demo.replay import EVERY_SECS, Replay, headline_at
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import in_process

#: Of all that ship, those that belong to no topic.
UNMATCHED = 20
HELD = Held("replay", "", "test", 1, 0.0)


@asynccontextmanager
async def empty(clock: ManualClock) -> AsyncIterator[Newsroom]:
    """A place without anything, and nobody at work in it."""
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        async with asgi(system, backend, clock=clock, workers=False) as (_, runtime):
            newsroom = Newsroom(runtime)
            async with newsroom.lifespan():
                yield newsroom


def test_it_is_whole() -> None:
    async def scenario() -> None:
        async with empty(ManualClock(START)) as newsroom:
            began = time.process_time()
            await fill(newsroom)
            # Of the processor: what else the machine does is not its fault.
            assert time.process_time() - began < 5.0
            articles = await all_articles(newsroom)
            counts = Counter(each.status for each in articles)
            assert counts == {"analyzed": len(headlines()) - UNMATCHED, "failed": len(POISON)}
            await _check_books(newsroom)
            await _check_settings(newsroom)
            await _check_people(newsroom, articles)
            await _check_alerts(newsroom)
            await _check_jobs(newsroom)

    asyncio.run(scenario())


async def _check_books(newsroom: Newsroom) -> None:
    """The counts of the month are those of the articles, and those of the last hours to the row."""
    now = newsroom.now()
    articles = await all_articles(newsroom)
    since = now.replace(minute=0, second=0, microsecond=0) - timedelta(days=29, hours=23)
    for tag in (None, "ai", "climate", "energy", "space", "markets"):
        told = await newsroom.counts.overview(Span(since, now), tag=tag)
        mine = [each for each in articles if tag is None or tag in tags_of(each)]
        tones = Counter(each.sentiment for each in mine if each.timestamp >= since)
        assert told.figures.positive == tones["positive"], tag
        assert told.figures.neutral == tones["neutral"], tag
        assert told.figures.negative == tones["negative"], tag
    done = await newsroom.books.recount(now - timedelta(hours=12), now, closed_only=False)
    assert done.articles > 10
    assert done.drift == []


async def _check_settings(newsroom: Newsroom) -> None:
    settings = await newsroom.setup.current()
    assert settings.watch_count == 5
    assert 12 <= len(await newsroom.intake.publishers.names()) <= 16


async def _check_people(newsroom: Newsroom, articles: list[Article]) -> None:
    judged = [each for each in articles if each.override is not None]
    assert len(judged) == 12
    tones = {each.title: each.tone for each in headlines()}
    for each in judged:
        assert each.sentiment == tones[each.metadata.title] != each.model_sentiment
    page = await audit.entries(newsroom.db, until=newsroom.now().timestamp() + 1, limit=100)
    actions = Counter(entry.action for entry in page)
    assert actions["article.override"] == 12
    assert actions["topic.create"] == 5
    assert actions["source.create"] == 3


async def _check_alerts(newsroom: Newsroom) -> None:
    rules = {each.rule_id: each for each in await newsroom.alerts.rules()}
    assert {each["name"] for each in RULES} <= {each.name for each in rules.values()}
    log = list(await newsroom.alerts.log())
    assert any(each.watch_tag == "space" for each in log), "the landing stands out"
    for each in log:
        assert each.state == "cleared"
        assert each.z is not None
        assert abs(each.z) >= 3
        assert each.cleared_at is not None
        assert each.cleared_at <= newsroom.now()
        assert not rules[each.rule_id].firing
    assert {each.acked_by for each in log} >= {"demo-analyst"}


async def _check_jobs(newsroom: Newsroom) -> None:
    (job,) = await newsroom.jobs.list()
    assert job.state == "compared"
    assert job.report is not None
    assert job.report.changed > 0
    assert job.report.overrides > 0
    assert 0 < job.report.agreement < 1


@pytest.mark.slow
def test_a_second_attempt_adds_nothing_also_an_hour_later() -> None:
    """The first one may have been killed at the very end."""

    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as newsroom:
            await fill(newsroom)
            first = await _state(newsroom)
            clock.advance(3600)
            await fill(newsroom)
            assert await _state(newsroom) == first

    asyncio.run(scenario())


async def _state(newsroom: Newsroom) -> dict[str, object]:
    return {
        "articles": sorted((each.source_id, each.version) for each in await all_articles(newsroom)),
        "rules": sorted((each.rule_id, each.version) for each in await newsroom.alerts.rules()),
        "alerts": [(each.rule_id, each.window_start) for each in await newsroom.alerts.log()],
        "jobs": [(each.job_id, each.state) for each in await newsroom.jobs.list()],
        "topics": [(each.watch_tag, each.version) for each in await newsroom.watches.list()],
        "sources": [each.source.revision for each in await newsroom.sources.standings()],
    }


class Killed(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


@pytest.mark.slow
def test_an_attempt_that_was_killed_is_finished_by_the_next_one() -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as newsroom:
            await _stopped_at(newsroom, page=1)
            clock.advance(120)
            await fill(newsroom)
            articles = await all_articles(newsroom)
            assert len(articles) == len(headlines()) - UNMATCHED + len(POISON)
            await _check_books(newsroom)
            await _check_people(newsroom, articles)

    asyncio.run(scenario())


async def _stopped_at(newsroom: Newsroom, page: int) -> None:
    real, pages = newsroom.intake.take, 0

    async def take(*arguments: Any, **options: Any) -> Any:
        nonlocal pages
        if pages == page:
            raise Killed
        pages += 1
        return await real(*arguments, **options)

    newsroom.intake.take = take  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await fill(newsroom)
    newsroom.intake.take = real  # type: ignore[method-assign]


# --- and then ------------------------------------------------------------------------------------


def test_headlines_go_on_in_another_order_and_are_never_the_same() -> None:
    count = len(later()) + len(headlines())
    found = [headline_at(step) for step in range(10 * count, 13 * count)]
    assert len({each.url for each in found}) == 3 * count
    rounds = [[each.title for each in found[n * count : (n + 1) * count]] for n in range(3)]
    assert rounds[0] != rounds[1] != rounds[2]
    assert set(rounds[0]) == set(rounds[1]) == {each.title for each in (*later(), *headlines())}


def test_they_come_in_pending_while_the_source_is_not_paused() -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as newsroom:
            replay = Replay(newsroom)
            await replay.run(HELD)
            assert await all_articles(newsroom) == [], "a place without the demo stays empty"
            await _configured(newsroom)
            clock.advance(60)
            for _ in range(5):
                await replay.run(HELD)
                clock.advance(EVERY_SECS)
            assert await _pending(newsroom) == 5
            await newsroom.sources.pause(WIRE, ADMIN)
            await replay.run(HELD)
            assert await _pending(newsroom) == 5
            await newsroom.sources.resume(WIRE, ADMIN)
            await replay.run(HELD)
            assert await _pending(newsroom) == 6

    asyncio.run(scenario())


async def _configured(newsroom: Newsroom) -> None:
    for topic in TOPICS:
        await newsroom.watches.create(topic, ADMIN)
    (wire,) = (each for each in SOURCES if each.name == WIRE)
    await newsroom.sources.create(wire, ADMIN)


async def _pending(newsroom: Newsroom) -> int:
    return sum(each.status == "pending" for each in await all_articles(newsroom))


def test_after_a_while_they_come_once_a_minute() -> None:
    async def scenario() -> None:
        clock, taken = ManualClock(START), 0

        async def take(records: list[Record], source_type: str) -> None:
            nonlocal taken
            taken += len(records)

        async with empty(clock) as newsroom:
            await _configured(newsroom)
            newsroom.intake.take = take  # type: ignore[assignment, method-assign]
            replay, counts = Replay(newsroom), []
            for _ in range(3):
                before = taken
                for _ in range(100):
                    await replay.run(HELD)
                    clock.advance(EVERY_SECS)
                counts.append(taken - before)
            assert counts[0] == 100
            assert 50 < counts[1] < 70
            assert counts[2] == 20

    asyncio.run(scenario())


# --- a process of its own ------------------------------------------------------------------------

#: Put first in a process: whoever leaves this machine is noted, and gets nowhere.
_NO_NETWORK = """
import os, socket

_real = socket.socket.connect

def _connect(self, address, *rest):
    if self.family != socket.AF_UNIX and not str(address[0]).startswith("127."):
        _note(address)
    return _real(self, address, *rest)

def _note(what):
    with open(os.environ["NOTED"], "a") as file:
        file.write(f"{what}\\n")
    raise OSError("there is no network")

_lookup = socket.getaddrinfo

def _getaddrinfo(host, *rest, **more):
    text = host.decode() if isinstance(host, bytes) else host
    if text not in (None, "localhost", "") and not text.startswith("127."):
        _note(host)
    return _lookup(host, *rest, **more)

socket.socket.connect = _connect
socket.getaddrinfo = _getaddrinfo
"""


def test_scenario_01_no_network(tmp_path: Path) -> None:
    """No network: 30 days of data, live list moves."""
    (tmp_path / "sitecustomize.py").write_text(_NO_NETWORK)
    noted = tmp_path / "noted"
    found = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    given = {"PYTHONPATH": os.pathsep.join(found), "NOTED": str(noted)}
    data = tmp_path / "data"
    with started("sentiment", "--data", str(data), "--demo", cwd=tmp_path, **given) as up:
        with _client(up) as client:
            _check_month(client)
            _check_moves(client)
            _check_told(client)
            _check_sources(client)
        assert up.stop() == 0
    assert not noted.exists(), noted.read_text()


def _client(up: Up) -> httpx2.Client:
    key = Path(up.facts["admin_key_file"]).read_text().strip()
    return httpx2.Client(
        base_url=f"{up.url}/sentiment/api/v1", headers={"X-API-Key": key}, timeout=30
    )


def _check_month(client: httpx2.Client) -> None:
    """Every day of the last thirty has articles, and the sum is what was brought in."""
    now = datetime.now(UTC)
    span = {"from": (now - timedelta(days=30)).isoformat(), "to": now.isoformat()}
    answer = client.get("/timeseries", params={**span, "interval": "1d"})
    assert answer.status_code == 200, answer.text
    days = [each["analysed"] for each in answer.json()["points"]]
    assert len(days) in (30, 31)
    assert sum(each > 0 for each in days) >= 29
    assert sum(days) >= len(headlines()) - UNMATCHED


def _check_moves(client: httpx2.Client) -> None:
    """Something new is at the top, and analysed, within two steps of the replay."""
    first = _latest(client)
    ends = time.monotonic() + 3 * EVERY_SECS
    while _latest(client) == first:
        assert time.monotonic() < ends, "nothing new has come in"
        time.sleep(0.3)


def _check_told(client: httpx2.Client) -> None:
    """Whoever looks is told of the next one, with its tone."""
    with client.stream("GET", "/stream") as answer:
        assert answer.status_code == 200
        ends = time.monotonic() + 3 * EVERY_SECS
        for line in answer.iter_lines():
            assert time.monotonic() < ends, "nobody was told"
            if line == "event: item":
                return


def _check_sources(client: httpx2.Client) -> None:
    """The feed and the file have been read, and NewsAPI is off."""
    answer = client.get("/sources")
    assert answer.status_code == 200, answer.text
    found = {each["name"]: each for each in answer.json()["items"]}
    assert not found["newsapi"]["enabled"]
    for name in ("saltmarsh-gazette", WIRE):
        assert found[name]["last_run_at"] is not None, name
        assert found[name]["error_code"] is None
        assert found[name]["breaker"]["state"] == "closed"


def _latest(client: httpx2.Client) -> str:
    answer = client.get("/items", params={"limit": 1})
    assert answer.status_code == 200, answer.text
    (item,) = answer.json()["items"]
    return str(item["id"])
