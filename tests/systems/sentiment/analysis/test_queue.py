"""What waits or has failed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.systems.sentiment.analysis.support import POISON, Model, analysed, held, now, use
from tests.systems.sentiment.support import (
    NOW,
    OPERATOR,
    all_articles,
    article,
    check_books,
    newsroom_on,
    put_articles,
    refused,
    stored,
)

from tablewright.clock import ManualClock
from tablewright.model import delete, put
from tablewright.model.errors import CursorError
from tablewright.service.kit import audit
from tablewright.service.workers import Leases
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.reads import article_to_analyse
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.service.queue import Swept
from tablewright.systems.sentiment.workers import analyse as module
from tablewright.systems.sentiment.workers.analyse import Analysing
from tablewright.testing.backends import Backend

MINUTE, DAY = 60, 86_400


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAIT_SECS", 0.3)


def failed(slug: str, **changes: object) -> Article:
    given = {"status": "failed", "attempts": 3, "error_code": "model_error", **changes}
    return article(slug, **given)


async def somebody_analyses(newsroom: Newsroom, secs: float = 3600.0) -> None:
    leases = Leases(newsroom.db, newsroom.runtime.clock)
    assert await leases.acquire("analyse", secs)


async def everything_was_read(newsroom: Newsroom) -> None:
    """The reader of changes has come to the end, and has said so."""
    analysing = Analysing(newsroom)
    feed = analysing._started()
    for _ in range(5):
        await feed.poll(wait=0.2)
        await feed.commit()
    await feed.close()


def gauge(newsroom: Newsroom) -> float:
    found = newsroom.runtime.metrics.registry.get_sample_value("sentiment_stuck_items")
    assert found is not None
    return found


def test_scenario_07_workers_off_for_six_minutes(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Workers off 6 min: StuckItems exact, above 100 too."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            use(newsroom, Model())
            await put_articles(newsroom, (article(f"waits-{n}") for n in range(130)))
            late = NOW + timedelta(minutes=3)
            await put_articles(newsroom, [article("came-later", timestamp=late)])
            clock.advance(6 * MINUTE)
            assert await newsroom.queue.sweep() == Swept(130)
            assert gauge(newsroom) == 130
            # Nobody was there to analyse: that is only reported.
            assert {each.attempts for each in await all_articles(newsroom)} == {0}
            first, cursor = await newsroom.queue.stuck(limit=100)
            clock.advance(10 * MINUTE)
            rest, end = await newsroom.queue.stuck(limit=100, cursor=cursor)
            assert (len(first), len(rest), end) == (100, 30, None)
            assert len({each.source_id for each in (*first, *rest)}) == 130
            with pytest.raises(CursorError):
                await newsroom.queue.stuck(cursor=f"1{cursor}")
            with pytest.raises(CursorError):
                await newsroom.queue.stuck(cursor="nonsense")

    asyncio.run(go())


def test_scenario_08_an_expired_article_is_no_ghost(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Poison item fails at 3; requeuing an expired one: no ghost."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock, retry_secs=0) as newsroom:
            use(newsroom, Model())
            bad = await stored(newsroom, POISON)

            async def has_failed() -> bool:
                return (await now(newsroom, bad)).status == "failed"

            await analysed(newsroom, has_failed)
            assert (await now(newsroom, bad)).attempts == 3
            clock.advance(30 * DAY + 1)
            problem = await refused(newsroom.queue.requeue([bad.source_id], OPERATOR))
            assert (problem.status, problem.code) == (409, "NOT_REQUEUEABLE")
            assert await newsroom.queue.requeue_all(OPERATOR) == 0
            # Nor if it is deleted between the look and the write.
            clock.set(NOW.timestamp())
            gone = failed("gone", timestamp=NOW - timedelta(hours=1))
            await newsroom.db.run(put(gone))
            page = await newsroom.queue.failed()
            assert [each.source_id for each in page[0]] == [gone.source_id]
            await newsroom.db.run(delete(await now(newsroom, gone)))
            problem = await refused(newsroom.queue.requeue([gone.source_id], OPERATOR))
            assert problem.code == "NOT_REQUEUEABLE"
            assert await newsroom.db.run(article_to_analyse(gone.source_id, gone.timestamp)) is None

    asyncio.run(go())


def test_scenario_09_a_day_old_article_is_queued_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Day-old failed item requeued: not stuck for 5 min."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            old = failed("old", timestamp=NOW - timedelta(days=1))
            await newsroom.db.run(put(old))
            assert await newsroom.queue.failed_count() == 1
            (told,) = await newsroom.queue.requeue([old.source_id], OPERATOR)
            assert told.result == "requeued"
            for passed, stuck in ((0, 0), (299, 0), (2, 1)):
                clock.advance(passed)
                assert await newsroom.queue.stuck_count() == stuck, passed
            found = await now(newsroom, old)
            assert (found.status, found.attempts, found.error_code) == ("pending", 0, None)

    asyncio.run(go())


def test_requeueing_several(engine_backend: Backend, clock: ManualClock) -> None:
    """What became of each; only those that were queued are in the audit log."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            hour_ago = NOW - timedelta(hours=1)
            has_failed, stuck = (
                failed("one", timestamp=hour_ago),
                article("two", timestamp=hour_ago),
            )
            fresh = article("three")
            await put_articles(newsroom, [has_failed, stuck, fresh])
            done = await stored(newsroom, "four", said="neutral")
            ids = [each.source_id for each in (has_failed, stuck, fresh, done, has_failed)]
            told = await newsroom.queue.requeue([*ids, "file#nothing"], OPERATOR)
            results = {each.source_id: each.result for each in told}
            assert len(told) == 5
            assert results == {
                has_failed.source_id: "requeued",
                stuck.source_id: "requeued",
                fresh.source_id: "not_requeueable",
                done.source_id: "not_requeueable",
                "file#nothing": "gone",
            }
            log = await audit.entries(newsroom.db, until=newsroom.now() + timedelta(seconds=1))
            assert {entry.subject for entry in log} == {
                "article/" + each.source_id.replace("#", ":") for each in (has_failed, stuck)
            }
            assert {entry.action for entry in log} == {"article.requeue"}
            (decided,) = await newsroom.overrides.history(stuck.source_id)
            assert (decided.action, decided.by) == ("article.requeue", OPERATOR.id)

    asyncio.run(go())


def test_requeueing_all(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            hour_ago = NOW - timedelta(hours=1)
            await put_articles(newsroom, (failed(f"f-{n}", timestamp=hour_ago) for n in range(30)))
            await put_articles(newsroom, (article(f"s-{n}", timestamp=hour_ago) for n in range(20)))
            await put_articles(newsroom, [article("fresh")])
            assert await newsroom.queue.requeue_all(OPERATOR) == 50
            assert (await newsroom.queue.stuck_count(), await newsroom.queue.failed_count()) == (
                0,
                0,
            )
            (entry,) = await audit.entries(newsroom.db, until=NOW + timedelta(seconds=1))
            assert (entry.action, entry.actor) == ("queue.requeue_all", OPERATOR.id)

    asyncio.run(go())


# --- the sweep -----------------------------------------------------------------------------------


def test_what_a_worker_lost_is_queued_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Twice; the third time it waits for a person."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            lost = await stored(newsroom, "lost")
            await somebody_analyses(newsroom)
            seen = []
            for _ in range(4):
                clock.advance(6 * MINUTE)
                await everything_was_read(newsroom)
                swept = await newsroom.queue.sweep()
                found = await now(newsroom, lost)
                seen.append((swept.requeued, swept.failed, found.status, found.attempts))
            assert seen == [
                (1, 0, "pending", 1),
                (1, 0, "pending", 2),
                (0, 1, "failed", 3),
                (0, 0, "failed", 3),
            ]
            assert (await now(newsroom, lost)).error_code == "stuck"
            await check_books(newsroom)

    asyncio.run(go())


def test_what_is_late_is_not_lost(engine_backend: Backend, clock: ManualClock) -> None:
    """The reader has not come to it yet: it is reported, and no attempt is counted."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            await somebody_analyses(newsroom)
            await everything_was_read(newsroom)
            clock.advance(MINUTE)
            late = await stored(newsroom, "late", timestamp=newsroom.now())
            clock.advance(6 * MINUTE)
            assert await newsroom.queue.sweep() == Swept(1)
            assert (await now(newsroom, late)).attempts == 0
            await Analysing(newsroom).run(held())
            assert (await now(newsroom, late)).status == "analyzed"
            assert await newsroom.queue.sweep() == Swept(0)
            assert gauge(newsroom) == 0

    asyncio.run(go())
