"""Comparing models, promoting one, and going back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from tests.systems.sentiment.analysis.processes import killed_at_work, working
from tests.systems.sentiment.analysis.support import Model, use
from tests.systems.sentiment.analysis.test_processes import until
from tests.systems.sentiment.jobs.support import articles, comparing_on, judged, overridden
from tests.systems.sentiment.support import (
    ADMIN,
    NOW,
    VADER,
    all_articles,
    check_books,
    refused,
    stored,
)

from tablewright.clock import FileClock, ManualClock
from tablewright.engine import Engine
from tablewright.service.kit import audit
from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.config import Job
from tablewright.systems.sentiment.reads import article_page
from tablewright.systems.sentiment.samples import FINBERT
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend, over_http

WEEK = timedelta(days=7)


async def compared(newsroom: Newsroom, days: int = 2) -> Job:
    now = newsroom.now()
    job = await newsroom.jobs.start(FINBERT, now - timedelta(days=days), now, ADMIN)
    await newsroom.jobs.work()
    return await newsroom.jobs.get(job.job_id)


def without_version(found: list[Article]) -> dict[str, Article]:
    return {each.source_id: each.model_copy(update={"version": 0}) for each in found}


def test_a_comparison(engine_backend: Backend, clock: ManualClock) -> None:
    """Every article of the time is judged once, and the report says how the models differ."""

    async def go() -> None:
        async with comparing_on(engine_backend, clock) as (newsroom, _, new):
            found = await articles(newsroom, 9, NOW)
            await judged(newsroom, 99, NOW - timedelta(hours=25))
            # Of three verdicts of people, the new model is right about two.
            await overridden(newsroom, found[0], "negative")
            await overridden(newsroom, found[1], "positive")
            await overridden(newsroom, found[3], "neutral")
            job = await compared(newsroom, days=1)
            assert (job.state, job.done, job.skipped) == ("compared", 9, 0)
            report = job.report
            assert report is not None
            assert report.matrix == {
                "positive": {"positive": 0, "neutral": 0, "negative": 3},
                "neutral": {"positive": 0, "neutral": 3, "negative": 0},
                "negative": {"positive": 3, "neutral": 0, "negative": 0},
            }
            assert (report.agreement, report.changed) == (Decimal("0.3333"), 6)
            assert report.accuracy_on_overrides == Decimal("0.6667")
            assert report.old_accuracy_on_overrides == 0
            turned = {each.source_id for each in found if each.model_sentiment != "neutral"}
            assert set(report.changed_ids) == turned
            page = await newsroom.db.run(article_page(found[0].source_id))
            assert [each.model_version for each in page.results] == [FINBERT]
            # Nobody sees it on the dashboard.
            assert page.article is not None
            assert page.article.model_version == VADER
            assert sum(len(each) for each in new.calls) == 9
            # Once more: what was said is not asked for again.
            again = await compared(newsroom, days=1)
            assert again.report == report
            assert sum(len(each) for each in new.calls) == 9
            await check_books(newsroom)

    asyncio.run(go())


def test_a_text_that_the_new_model_cannot_read(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with comparing_on(engine_backend, clock) as (newsroom, old, _):
            found = await articles(newsroom, 6, NOW)

            class Picky(Model):
                def _verdict(self, text: str) -> Verdict:
                    assert "good" not in text
                    return super()._verdict(text)

            use(newsroom, old, Picky(FINBERT), by_settings=True)
            job = await compared(newsroom)
            assert (job.state, job.done, job.skipped) == ("compared", 4, 2)
            await newsroom.jobs.promote(job.job_id, ADMIN)
            await newsroom.jobs.work()
            job = await newsroom.jobs.get(job.job_id)
            assert (job.state, job.done, job.skipped) == ("promoted", 4, 2)
            assert len(await check_books(newsroom)) == len(found)

    asyncio.run(go())


def test_a_promotion_and_the_way_back(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Labels, rows and counts follow; verdicts of people stay; the way back leads to the letter."""

    async def go() -> None:
        async with comparing_on(tablewright_backend, clock) as (newsroom, _, new):
            found = await articles(newsroom, 9, NOW)
            await overridden(newsroom, found[0], "neutral")
            before = await check_books(newsroom)
            clock.advance(60)
            job = await compared(newsroom)
            # It came after the comparison: its result is missing, and is made.
            await judged(newsroom, 30, newsroom.now())
            before = await all_articles(newsroom)
            clock.advance(60)
            job = await newsroom.jobs.promote(job.job_id, ADMIN)
            assert (job.state, job.flipped_at) == ("promoting", newsroom.now())
            fresh = await stored(newsroom, "good-fresh", timestamp=newsroom.now())
            await newsroom.analyst.analyse(fresh.source_id, fresh.timestamp)
            calls = len(new.calls)
            await newsroom.jobs.work()
            job = await newsroom.jobs.get(job.job_id)
            assert (job.state, job.done, job.skipped) == ("promoted", 10, 0)
            assert sum(len(each) for each in new.calls[calls:]) == 1
            after = await check_books(newsroom)
            assert {each.model_version for each in after} == {FINBERT}
            labels = {each.source_id: each.sentiment for each in after}
            assert labels[found[0].source_id] == "neutral"
            assert labels[found[1].source_id] == "positive"
            assert labels[fresh.source_id] == "negative"
            clock.advance(60)
            back = await newsroom.jobs.rollback(job.job_id, ADMIN)
            assert (back.model_version, back.old_version) == (VADER, FINBERT)
            await newsroom.jobs.work()
            assert (await newsroom.jobs.get(back.job_id)).state == "promoted"
            restored = without_version(await check_books(newsroom))
            assert restored.pop(fresh.source_id).model_version == VADER
            assert restored == without_version(before)
            log = await audit.entries(newsroom.db, until=newsroom.now() + WEEK)
            assert [entry.action for entry in log] == [
                "reanalysis.promote",
                "reanalysis.rollback",
                "reanalysis.promote",
                "reanalysis.start",
            ]

    asyncio.run(go())


def test_what_the_old_model_says_after_the_flip(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Another process that has not heard of it yet: its article follows all the same."""

    async def go() -> None:
        async with comparing_on(engine_backend, clock, promote_slack_secs=45) as (room, _, _):
            await articles(room, 3, NOW)
            job = await compared(room)
            async with comparing_on(engine_backend, clock) as (other, _, _):
                assert (await other.setup.current()).active_model == VADER
                old = await stored(other, "good-old", timestamp=NOW - timedelta(hours=5))
                await room.jobs.promote(job.job_id, ADMIN)
                await room.jobs.work()
                assert (await room.jobs.get(job.job_id)).state == "promoting"
                clock.advance(2)
                await other.analyst.analyse(old.source_id, old.timestamp)
                clock.advance(44)
                await room.jobs.work()
            assert (await room.jobs.get(job.job_id)).state == "promoted"
            assert {each.model_version for each in await check_books(room)} == {FINBERT}

    asyncio.run(go())


def test_what_jobs_refuse(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with comparing_on(engine_backend, clock) as (newsroom, _, _):
            jobs = newsroom.jobs
            await articles(newsroom, 2, NOW)
            problem = await refused(jobs.start(VADER, NOW - WEEK, NOW, ADMIN))
            assert (problem.status, problem.code) == (409, "ALREADY_ACTIVE")
            for since, end in (
                (NOW, NOW),
                (NOW + WEEK, NOW + 2 * WEEK),
                (NOW - 9 * WEEK, NOW - 6 * WEEK),
            ):
                problem = await refused(jobs.start(FINBERT, since, end, ADMIN))
                assert (problem.status, problem.code) == (422, "BAD_RANGE")
            job = await jobs.start(FINBERT, NOW - WEEK, NOW, ADMIN)
            for step in (jobs.promote, jobs.rollback):
                problem = await refused(step(job.job_id, ADMIN))
                assert (problem.status, problem.code) == (409, "JOB_STATE")
            assert (await jobs.cancel(job.job_id, ADMIN)).state == "cancelled"
            await jobs.work()
            assert (await jobs.get(job.job_id)).state == "cancelled"
            for step in (jobs.promote, jobs.cancel):
                assert (await refused(step(job.job_id, ADMIN))).code == "JOB_STATE"
            assert (await refused(jobs.get("0" * 26))).status == 404
            first, second = await compared(newsroom), await compared(newsroom)
            await jobs.promote(first.job_id, ADMIN)
            # One would undo what the other does.
            assert (await refused(jobs.promote(second.job_id, ADMIN))).code == "JOB_STATE"
            # But going back is allowed at any time.
            back = await jobs.rollback(first.job_id, ADMIN)
            await jobs.work()
            assert (await jobs.get(first.job_id)).state == "failed"
            assert (await jobs.get(back.job_id)).state == "promoted"
            assert {each.model_version for each in await check_books(newsroom)} == {VADER}

    asyncio.run(go())


def test_scenario_13_promote_kill_resume_roll_back(tmp_path: Path) -> None:
    """Promote, kill, resume, roll back: counters as before."""
    clock = FileClock(tmp_path / "clock")

    async def number_of(newsroom: Newsroom, version: str) -> int:
        return sum(each.model_version == version for each in await all_articles(newsroom))

    async def go(newsroom: Newsroom, url: str) -> None:
        now = newsroom.now()
        found = await articles(newsroom, 60, now, an_hour=10)
        await overridden(newsroom, found[0], "neutral")
        before = await check_books(newsroom)
        job = await compared(newsroom)
        await newsroom.jobs.promote(job.job_id, ADMIN)

        def promoted(job_id: str) -> Callable[[], Awaitable[bool]]:
            async def done() -> bool:
                return (await newsroom.jobs.get(job_id)).state == "promoted"

            return done

        await asyncio.to_thread(killed_at_work, url, tmp_path / "clock", 25, "reanalyse")
        assert 0 < await number_of(newsroom, FINBERT) < 60
        await check_books(newsroom)
        clock.advance(31)
        with working(url, tmp_path / "clock", "reanalyse"):
            await until(promoted(job.job_id))
            assert await number_of(newsroom, FINBERT) == 60
            await check_books(newsroom)
            back = await newsroom.jobs.rollback(job.job_id, ADMIN)
            await until(promoted(back.job_id))
        assert without_version(await check_books(newsroom)) == without_version(before)
        hour = (now - timedelta(hours=7)).replace(minute=0, second=0, microsecond=0)
        counted = await newsroom.books.recount(hour, hour + timedelta(hours=9), closed_only=False)
        assert not counted.drift

    async def main() -> None:
        with Engine.memory(clock=clock) as engine, over_http(engine) as backend:
            assert backend.url
            async with comparing_on(backend, clock) as (newsroom, _, _):
                await go(newsroom, backend.url)

    asyncio.run(main())
