"""Runs: one at a time for each source, at its time, and never forgotten."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.systems.sentiment.sources.support import (
    KEY,
    asking,
    create,
    feed_folder,
    news,
    read,
    rss,
    source_of,
    told,
)
from tests.systems.sentiment.support import (
    ADMIN,
    NOW,
    OPERATOR,
    check_books,
    newsroom_on,
    refused,
)

from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.service.preconditions import Precondition
from tablewright.service.workers import Leases, run_once
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.bodies.sources import SourceChange
from tablewright.systems.sentiment.stand_in import Fault, StandIn, serving
from tablewright.systems.sentiment.workers.ingest import worker
from tablewright.testing.backends import Backend


class Gate:
    """An intake that waits to be let on."""

    def __init__(self, take: Any) -> None:
        self._take = take
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, *given: Any, **said: Any) -> Any:
        self.reached.set()
        await self.open.wait()
        return await self._take(*given, **said)


def test_a_source_is_read_by_one_at_a_time(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes, of which one is asked to read what the other is reading."""
    stand_in = StandIn([news(1)], key=KEY)

    async def test(url: str) -> None:
        async with AsyncExitStack() as stack:
            one, _ = await stack.enter_async_context(asking(tablewright_backend, clock, url))
            other, _ = await stack.enter_async_context(asking(tablewright_backend, clock, url))
            await create(one)
            gate = Gate(one.intake.take)
            monkeypatch.setattr(one.intake, "take", gate)
            begun = await one.sources.run_now("press", OPERATOR)
            await gate.reached.wait()
            assert begun.state == "running"
            for process in (one, other):
                problem = await refused(process.sources.run_now("press", OPERATOR))
                assert (problem.status, problem.code) == (409, "ALREADY_RUNNING")
                clock.advance(1)
                assert await process.sources.runs.start_due() == []
            gate.open.set()
            await one.sources.runs.idle()
            (ended,) = await other.sources.runs_of("press")
            assert (ended.run_id, ended.state, ended.ingested) == (begun.run_id, "ok", 1)
            assert len(stand_in.asked) == 1
            assert told(await read(other))["state"] == "ok", "the lease was given back"

    with serving(stand_in) as url:
        asyncio.run(test(url))


def test_a_run_whose_process_died_is_abandoned_by_the_next(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It was in the middle: its lease ends, and all that it fetched is fetched again."""
    stand_in = StandIn([news(1)], key=KEY)

    async def dies(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            await create(newsroom)
            gate = Gate(newsroom.intake.take)
            newsroom.intake.take = gate  # type: ignore[method-assign]
            await newsroom.sources.run_now("press", OPERATOR)
            await gate.reached.wait()
            # As after kill -9: nothing is given back.
            newsroom.sources.runs._leases.release = _nothing  # type: ignore[method-assign]

    async def goes_on(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            assert (await newsroom.sources.get("press")).source.open_run is not None
            assert (await refused(newsroom.sources.run_now("press", OPERATOR))).code == (
                "ALREADY_RUNNING"
            )
            clock.advance(61)
            assert told(await read(newsroom))["ingested"] == 1
            found = await newsroom.sources.runs_of("press")
            assert [each.state for each in found] == ["ok", "abandoned"]
            assert found.items[1].finished_at == newsroom.now()
            assert (await source_of(newsroom, "press")).open_run is None

    with serving(stand_in) as url:
        asyncio.run(dies(url))
        asyncio.run(goes_on(url))


async def _nothing(*_: object, **__: object) -> None:
    return None


def test_a_process_that_was_taken_for_dead_does_not_end_the_next_run(
    engine_backend: Backend, clock: ManualClock
) -> None:
    stand_in = StandIn([news(1)], key=KEY)

    async def test(url: str) -> None:
        async with AsyncExitStack() as stack:
            slow, _ = await stack.enter_async_context(asking(engine_backend, clock, url))
            quick, _ = await stack.enter_async_context(asking(engine_backend, clock, url))
            await create(slow)
            gate = Gate(slow.intake.take)
            slow.intake.take = gate  # type: ignore[method-assign]
            await slow.sources.run_now("press", OPERATOR)
            await gate.reached.wait()
            clock.advance(61)
            waiting = Gate(quick.intake.take)
            quick.intake.take = waiting  # type: ignore[method-assign]
            second = await quick.sources.run_now("press", OPERATOR)
            await waiting.reached.wait()
            gate.open.set()
            await slow.sources.runs.idle()
            found = await quick.sources.runs_of("press")
            assert [each.state for each in found] == ["running", "abandoned"]
            assert (await source_of(quick, "press")).open_run == second.run_id
            waiting.open.set()
            await quick.sources.runs.idle()
            found = await quick.sources.runs_of("press")
            assert [each.state for each in found] == ["ok", "abandoned"]

    with serving(stand_in) as url:
        asyncio.run(test(url))


def test_the_worker_reads_what_is_due(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    folder = feed_folder(tmp_path, one_xml=rss("AI wins"), two_xml=rss("AI loses it all"))

    async def test() -> None:
        async with newsroom_on(engine_backend, clock, feed_folder=folder) as newsroom:
            await create(newsroom, "one", source_type="rss", url="file:one.xml")
            slow = {"source_type": "rss", "url": "file:two.xml", "interval_seconds": 3600}
            await create(newsroom, "two", **slow)
            await create(newsroom, "off", source_type="rss", url="file:one.xml", enabled=False)
            ingest = worker(newsroom)
            for seconds, runs in ((0, (1, 1)), (299, (1, 1)), (1, (2, 1)), (3300, (3, 2))):
                clock.advance(seconds)
                await run_once(ingest, Leases(newsroom.db, clock))
                await newsroom.sources.runs.idle()
                found = [len(await newsroom.sources.runs_of(name)) for name in ("one", "two")]
                assert tuple(found) == runs
            assert len(await newsroom.sources.runs_of("off")) == 0
            assert (await newsroom.sources.runs_of("two")).items[-1].ingested == 1

    asyncio.run(test())


def test_a_source_that_is_paused_while_it_is_read_stays_paused(
    engine_backend: Backend, clock: ManualClock
) -> None:
    stand_in = StandIn([news(1)], key=KEY)
    stand_in.always = Fault(status=500)

    async def test(url: str) -> None:
        async with asking(engine_backend, clock, url) as (newsroom, sleeps):
            await create(newsroom)

            async def pause(seconds: float) -> None:
                if not sleeps.seconds:
                    await newsroom.sources.pause("press", ADMIN)
                await sleeps(seconds)

            newsroom.sources.runs.sleep = pause
            assert told(await read(newsroom))["state"] == "failed"
            source = await source_of(newsroom, "press")
            assert (source.enabled, source.failures) == (False, 1)

    with serving(stand_in) as url:
        asyncio.run(test(url))


def test_another_address_is_read_from_its_beginning(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    folder = feed_folder(tmp_path, one_xml=rss("AI wins"), two_xml=rss("AI loses it all"))

    async def test() -> None:
        async with newsroom_on(engine_backend, clock, feed_folder=folder) as newsroom:
            await create(newsroom, source_type="rss", url="file:one.xml")
            await read(newsroom)
            seen = await source_of(newsroom, "press")
            assert seen.etag is not None
            again = seen.model_copy(update={"interval_seconds": 900})
            await newsroom.db.run(writes.save_source(again))
            assert (await source_of(newsroom, "press")).etag == seen.etag
            other = seen.model_copy(update={"url": "file:two.xml", "revision": 1})
            await newsroom.db.run(writes.save_source(other, afresh=True))
            changed = await source_of(newsroom, "press")
            assert (changed.etag, changed.cursor, changed.revision) == (None, None, 2)
            assert told(await read(newsroom))["ingested"] == 1

    asyncio.run(test())


@pytest.mark.parametrize("kind", ["rss", "file"])
def test_another_address_given_while_the_old_one_is_read_is_read_from_its_beginning(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path, kind: str
) -> None:
    """The run that was under way does not put its place over the new one's; nothing is lost."""
    line = b'{"title": "AI %s", "url": "https://a.example/%s"}\n'
    lines = {"one_jsonl": line % (b"wins", b"1"), "two_jsonl": line % (b"loses", b"2")}
    feeds = {"one_xml": rss("AI wins"), "two_xml": rss("AI loses it all")}
    folder = feed_folder(tmp_path, **lines, **feeds)
    end = "xml" if kind == "rss" else "jsonl"

    async def test() -> None:
        async with newsroom_on(engine_backend, clock, feed_folder=folder) as newsroom:
            await create(newsroom, source_type=kind, url=f"file:one.{end}")
            gate = Gate(newsroom.intake.take)
            newsroom.intake.take = gate  # type: ignore[method-assign]
            await newsroom.sources.run_now("press", OPERATOR)
            await gate.reached.wait()
            other = SourceChange(url=f"file:two.{end}")
            await newsroom.sources.save("press", other, ADMIN, Precondition.seen(0))
            gate.open.set()
            await newsroom.sources.runs.idle()
            (run,) = await newsroom.sources.runs_of("press")
            ended = {"state": "partial", "fetched": 1, "ingested": 1}
            assert told(run) == {**ended, "error_code": "SOURCE_CHANGED"}
            source = await source_of(newsroom, "press")
            assert (source.etag, source.cursor, source.open_run) == (None, None, None)
            clock.advance(1)
            assert told(await read(newsroom)) == {"state": "ok", "fetched": 1, "ingested": 1}
            assert len(await check_books(newsroom)) == 2

    asyncio.run(test())


def test_a_source_whose_other_settings_change_while_it_is_read_keeps_its_place(
    engine_backend: Backend, clock: ManualClock
) -> None:
    stand_in = StandIn([news(1)], key=KEY)

    async def test(url: str) -> None:
        async with asking(engine_backend, clock, url) as (newsroom, _):
            made = await create(newsroom)
            gate = Gate(newsroom.intake.take)
            newsroom.intake.take = gate  # type: ignore[method-assign]
            await newsroom.sources.run_now("press", OPERATOR)
            await gate.reached.wait()
            slower = SourceChange(query=made.query, interval_seconds=900)
            await newsroom.sources.save("press", slower, ADMIN, Precondition.seen(0))
            gate.open.set()
            await newsroom.sources.runs.idle()
            (run,) = await newsroom.sources.runs_of("press")
            assert run.state == "ok"
            source = await source_of(newsroom, "press")
            assert (source.interval_seconds, source.cursor) == (900, "2026-11-20T11:59:00.000Z")

    with serving(stand_in) as url:
        asyncio.run(test(url))


def test_runs_are_listed_by_pages_and_kept_for_a_month(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    folder = feed_folder(tmp_path, one_xml=rss("AI wins"))

    async def test() -> None:
        async with newsroom_on(engine_backend, clock, feed_folder=folder) as newsroom:
            await create(newsroom, source_type="rss", url="file:one.xml")
            ids = []
            for _ in range(5):
                ids.append((await read(newsroom)).run_id)
                clock.advance(1)
            first = await newsroom.sources.runs_of("press", 3)
            rest = await newsroom.sources.runs_of("press", 3, first.cursor)
            assert [each.run_id for each in (*first, *rest)] == ids[::-1]
            (oldest,) = [each for each in rest if each.run_id == ids[0]]
            assert oldest.ttl_timestamp == NOW + timedelta(days=30)

    asyncio.run(test())


def test_who_had_a_source_read_is_noted(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    folder = feed_folder(tmp_path, one_xml=rss("AI wins"))

    async def test() -> None:
        async with newsroom_on(engine_backend, clock, feed_folder=folder) as newsroom:
            await create(newsroom, source_type="rss", url="file:one.xml")
            clock.advance(1)
            await newsroom.sources.run_now("press", OPERATOR)
            await newsroom.sources.runs.idle()
            page = await audit.entries(newsroom.db, until=clock.now() + 1)
            assert [(each.actor, each.action) for each in page] == [
                (OPERATOR.id, "source.run"),
                (ADMIN.id, "source.create"),
            ]
            assert await newsroom.db.run(config_reads.source("nobody")) is None
            assert (await refused(newsroom.sources.run_now("nobody", OPERATOR))).status == 404

    asyncio.run(test())
