"""Backups: one each day, kept for a week, and what is made from one is whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.systems.sentiment.support import (
    NOW,
    all_articles,
    check_books,
    newsroom_on,
    record,
    stored,
)

from tablewright.cli.models import find_access
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.backups import worker
from tablewright.service.kit import kit
from tablewright.service.workers import run_once
from tablewright.systems.sentiment import config_reads
from tablewright.systems.sentiment.articles import items
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.workers import workers
from tablewright.testing.backends import in_process

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


async def a_week(newsroom: Newsroom) -> None:
    """Articles in every state, tagged, judged, corrected."""
    for number in range(12):
        said = ("positive", "neutral", "negative", None)[number % 4]
        at = NOW - number * 5 * HOUR
        tags = ("AI", "Climate") if number % 3 else ("Energy",)
        await stored(newsroom, f"story-{number}", tags, said=said, timestamp=at, queued_at=at)


def summed(articles: list[Any]) -> set[tuple[str, str, str | None]]:
    return {(each.source_id, each.status, each.sentiment) for each in articles}


@asynccontextmanager
async def restored(engine: Engine, clock: ManualClock) -> AsyncIterator[Newsroom]:
    """A newsroom whose table is the one that was made from a backup."""
    engine.jobs.wait()
    engine.call("DeleteTable", {"TableName": "sentiment-items"})
    engine.call("RestoreTableFromBackup", _latest(engine) | {"TargetTableName": "sentiment-items"})
    engine.jobs.wait()
    with in_process(engine) as backend:
        async with newsroom_on(backend, clock) as newsroom:
            yield newsroom


def _latest(engine: Engine) -> dict[str, str]:
    asked = {"TableName": "sentiment-items", "BackupType": "USER"}
    found = engine.call("ListBackups", asked)["BackupSummaries"]
    return {"BackupArn": found[-1]["BackupArn"]}


def names(engine: Engine, table: str = "sentiment-items") -> list[str]:
    asked = {"TableName": table, "BackupType": "USER"}
    return [each["BackupName"] for each in engine.call("ListBackups", asked)["BackupSummaries"]]


async def check_whole(newsroom: Newsroom) -> None:
    """Rows, counts and hashes are those of the articles."""
    await check_books(newsroom)
    found = await newsroom.books.recount(NOW - 10 * DAY, NOW + HOUR, closed_only=False)
    assert not found.drift
    assert found.articles > 0
    findings = await newsroom.books.fsck()
    assert findings.clean, findings


def run(engine: Engine, clock: ManualClock, test: Callable[[Newsroom], Awaitable[None]]) -> None:
    async def go() -> None:
        with in_process(engine) as backend:
            async with newsroom_on(backend, clock) as newsroom:
                await a_week(newsroom)
                await test(newsroom)

    asyncio.run(go())


# --- the drill -----------------------------------------------------------------------------------


def test_what_a_backup_holds_is_whole(tablewright_engine: Engine, clock: ManualClock) -> None:
    """Restore the daily backup in the place of a table that is lost, and count again: drift 0."""
    engine = tablewright_engine

    async def test(newsroom: Newsroom) -> None:
        before = summed(await all_articles(newsroom))
        await run_once(worker(newsroom.runtime, (items, kit)))
        # What comes after the backup is not in it, nor any part of it.
        await newsroom.intake.take([record("ai-too-late")], source_type="rss", as_published=True)
        assert summed(await all_articles(newsroom)) > before
        async with restored(engine, clock) as again:
            assert summed(await all_articles(again)) == before
            await check_whole(again)
            # And work goes on with it: what was lost comes in again, once.
            for expected in ("ingested", "duplicate"):
                (outcome,) = await again.intake.take(
                    [record("ai-too-late")], source_type="rss", as_published=True
                )
                assert outcome.result == expected
            await check_whole(again)

    run(engine, clock, test)


def test_any_second_of_a_week_can_be_gone_back_to(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    """Point in time: an hour after a mistake, the table as it was before."""
    engine = tablewright_engine

    async def test(newsroom: Newsroom) -> None:
        before = summed(await all_articles(newsroom))
        moment = newsroom.now()
        clock.advance(600)
        (first, *_) = [each for each in await all_articles(newsroom) if each.status == "analyzed"]
        key = {"source_id": {"S": first.source_id}, "timestamp": {"S": _text(first.timestamp)}}
        engine.call("DeleteItem", {"TableName": "sentiment-items", "Key": key})
        found = await newsroom.books.recount(NOW - 10 * DAY, NOW + HOUR, closed_only=False)
        assert found.drift
        clock.advance(3600)
        asked = {
            "SourceTableName": "sentiment-items",
            "TargetTableName": "again-sentiment-items",
            "RestoreDateTime": moment.timestamp() + 1,
        }
        engine.call("RestoreTableToPointInTime", asked)
        engine.jobs.wait()
        with in_process(engine) as backend:
            async with newsroom_on(replace(backend, prefix="again-"), clock) as again:
                assert summed(await all_articles(again)) == before
                await check_whole(again)

    run(engine, clock, test)


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def test_the_table_goes_back_a_week_and_no_longer(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        told = tablewright_engine.call(
            "DescribeContinuousBackups", {"TableName": "sentiment-items"}
        )["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
        assert told["PointInTimeRecoveryStatus"] == "ENABLED"
        assert told["RecoveryPeriodInDays"] == 7 == items.pitr

    run(tablewright_engine, clock, test)


# --- each day ------------------------------------------------------------------------------------


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_one_each_day_at_two(tablewright_engine: Engine, clock: ManualClock) -> None:
    engine = tablewright_engine

    async def test(newsroom: Newsroom) -> None:
        one, other = (worker(newsroom.runtime, (items, kit)) for _ in range(2))
        seen = []
        for moment in (
            "2026-11-21T01:45",
            "2026-11-21T02:00",
            "2026-11-21T02:15",
            "2026-11-22T01:59",
            # A night that nobody was there is made up for.
            "2026-11-23T09:00",
        ):
            clock.set(at(moment))
            for each in (one, other, one):
                await run_once(each)
            seen.append(names(engine))
        assert seen[0] == ["daily-2026-11-20"]
        assert seen[1] == seen[2] == seen[3] == ["daily-2026-11-20", "daily-2026-11-21"]
        assert seen[4] == [*seen[3], "daily-2026-11-23"]
        assert names(engine, "sentiment-kit") == seen[4]
        shown = newsroom.runtime.metrics.text().decode()
        assert "tablewright_last_backup_timestamp_seconds" in shown

    run(engine, clock, test)


def test_each_is_kept_for_a_week(tablewright_engine: Engine, clock: ManualClock) -> None:
    engine = tablewright_engine

    async def test(newsroom: Newsroom) -> None:
        own = {"TableName": "sentiment-items", "BackupName": "before-the-move"}
        engine.call("CreateBackup", own)
        daily = worker(newsroom.runtime, (items, kit))
        for day in range(12):
            clock.set(at("2026-11-21T02:00") + day * 86_400)
            await run_once(daily)
        kept = [f"daily-2026-{day}" for day in ("11-26", "11-27", "11-28", "11-29", "11-30")]
        kept += ["daily-2026-12-01", "daily-2026-12-02"]
        assert names(engine) == ["before-the-move", *kept]

    run(engine, clock, test)


@pytest.mark.peer
@pytest.mark.java
def test_where_there_are_no_backups_nothing_is_said_twice(
    dynamodb_local_url: str, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    from tablewright.testing.backends import at_endpoint, new_prefix

    caplog.set_level("INFO", "tablewright.backups")

    async def go() -> None:
        with at_endpoint(dynamodb_local_url, name="local", prefix=new_prefix()) as backend:
            async with newsroom_on(backend, clock) as newsroom:
                daily = worker(newsroom.runtime, (items, kit))
                for _ in range(3):
                    await run_once(daily)

    asyncio.run(go())
    assert len([each for each in caplog.records if "no backups" in each.message]) <= 1


def test_who_takes_them_is_chosen(tablewright_engine: Engine, clock: ManualClock) -> None:
    """Where AWS Backup does, or somebody else, this process does not."""

    async def go() -> None:
        with in_process(tablewright_engine) as backend:
            for wanted in (True, False):
                async with newsroom_on(backend, clock, daily_backups=wanted) as newsroom:
                    made = {each.name for each in workers(newsroom)}
                    assert ("backup" in made) == wanted
                    assert {"ingest", "analyse", "sweep", "alerts", "live", "reanalyse"} <= made

    asyncio.run(go())
    assert "backup" in find_access("sentiment").backups


def test_settings_are_there_after_a_restore(tablewright_engine: Engine, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        await run_once(worker(newsroom.runtime, (items, kit)))
        known = await newsroom.db.run(config_reads.watches())
        async with restored(tablewright_engine, clock) as again:
            assert await again.db.run(config_reads.watches()) == known

    run(tablewright_engine, clock, test)
