"""Analysis as it is woken by changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta

import pytest
from tests.systems.sentiment.analysis.support import POISON, Model, analysed, held, now, use
from tests.systems.sentiment.support import (
    NOW,
    OPERATOR,
    all_articles,
    check_books,
    newsroom_on,
    stored,
)

from tablewright.client.feed import ConsumerReplaced
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.workers import runner
from tablewright.systems.sentiment import workers
from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.workers import analyse as module
from tablewright.systems.sentiment.workers.analyse import Analysing
from tablewright.testing.backends import Backend


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAIT_SECS", 0.3)


async def none_pending(newsroom: Newsroom) -> bool:
    return all(each.status != "pending" for each in await all_articles(newsroom))


def test_what_comes_is_analysed(tablewright_backend: Backend, clock: ManualClock) -> None:
    """All of it, once; a second reader finds nothing to do."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            use(newsroom, model := Model())
            for number in range(20):
                await stored(newsroom, f"good-news-{number}", ("AI", "Energy"))
            await analysed(newsroom, lambda: none_pending(newsroom))
            assert {each.status for each in await check_books(newsroom)} == {"analyzed"}
            await Analysing(newsroom).run(held(2))
            assert len(model.calls) == 20

    asyncio.run(go())


def test_a_burst(engine_backend: Backend, clock: ManualClock) -> None:
    """Much quicker than 17 a second, with which a thousand take a minute, however busy we are."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            for number in range(200):
                await stored(newsroom, f"bad-news-{number}", ("AI", "Energy"))
            began = time.perf_counter()
            await analysed(newsroom, lambda: none_pending(newsroom))
            assert 200 / (time.perf_counter() - began) > 20
            assert len(await check_books(newsroom)) == 200

    asyncio.run(go())


def test_a_failure_is_tried_again(engine_backend: Backend, clock: ManualClock) -> None:
    """Scenario 8: Poison item fails at 3; the change that notes a failure brings the next try."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, retry_secs=0.05) as newsroom:
            use(newsroom, model := Model())
            bad, good = await stored(newsroom, POISON), await stored(newsroom, "good-news")
            await analysed(newsroom, lambda: none_pending(newsroom))
            found = await now(newsroom, bad)
            assert (found.status, found.attempts) == ("failed", 3)
            assert (await now(newsroom, good)).status == "analyzed"
            assert len([each for each in model.calls if POISON in each[0].lower()]) == 3

    asyncio.run(go())


def test_what_was_queued_again_is_analysed(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(engine_backend, clock, retry_secs=0) as newsroom:
            use(newsroom, Model())
            bad = await stored(newsroom, POISON)
            await analysed(newsroom, lambda: none_pending(newsroom))
            clock.advance(600)
            await newsroom.queue.requeue([bad.source_id], OPERATOR)
            assert (await now(newsroom, bad)).status == "pending"

            class Better(Model):
                def judge(self, texts: Sequence[str]) -> list[Verdict]:
                    return super().judge([text.lower().replace(POISON, "good") for text in texts])

            use(newsroom, Better())
            await analysed(newsroom, lambda: none_pending(newsroom))
            assert (await now(newsroom, bad)).sentiment == "positive"
            await check_books(newsroom)

    asyncio.run(go())


def test_an_article_that_cannot_be_read(
    engine_backend: Backend, tablewright_engine: Engine, clock: ManualClock
) -> None:
    """It is given up, and the others go on; lists of what failed still show it."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            broken = await stored(newsroom, "broken", timestamp=NOW - timedelta(minutes=20))
            key = {
                "source_id": {"S": broken.source_id},
                "timestamp": {"S": "2026-11-20T11:40:00.000Z"},
            }
            tablewright_engine.call(
                "UpdateItem",
                {
                    "TableName": "sentiment-items",
                    "Key": key,
                    "UpdateExpression": "SET metadata = :m",
                    "ExpressionAttributeValues": {":m": {"S": "not a map"}},
                },
            )
            good = await stored(newsroom, "good-news")

            async def done() -> bool:
                return (await now(newsroom, good)).status == "analyzed"

            await analysed(newsroom, done)
            assert await newsroom.queue.failed_count() == 1
            (found,), cursor = await newsroom.queue.failed()
            assert (found.source_id, found.article, cursor) == (broken.source_id, None, None)

    asyncio.run(go())


def test_two_readers(engine_backend: Backend, clock: ManualClock) -> None:
    """The later start wins; what the earlier one does meanwhile harms nobody."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            first, second = Analysing(newsroom), Analysing(newsroom)
            await stored(newsroom, "good-news-1")
            await first.run(held(1))
            await second.run(held(2))
            await stored(newsroom, "good-news-2")
            with pytest.raises(ConsumerReplaced):
                await first.run(held(1))
            await second.run(held(2))
            assert await none_pending(newsroom)
            await check_books(newsroom)
            await first.close()
            await second.close()

    asyncio.run(go())


def test_pending_articles_of_a_page(engine_backend: Backend, clock: ManualClock) -> None:
    """The last change of an article counts; tag rows and counts are none."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            waiting = await stored(newsroom, "good-news-1")
            done = await stored(newsroom, "good-news-2", said="positive")
            feed = Analysing(newsroom)._started()
            changes = []
            while some := await feed.poll(wait=0.3):
                changes += some
            assert all(change.of(Article) for change in changes)
            assert [*module.pending_of(changes)] == [(waiting.source_id, waiting.timestamp)]
            assert done.source_id in {change.keys["source_id"]["S"] for change in changes}

    asyncio.run(go())


def test_the_process_runs_it(engine_backend: Backend, clock: ManualClock) -> None:
    """The workers of the system, under their leases."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            mine = [
                each
                for each in workers.workers(newsroom)
                if each.name in ("analyse", "sweep", "reanalyse")
            ]
            assert len(mine) == 3
            async with runner(newsroom.runtime, mine):
                await stored(newsroom, "good-news")
                async with asyncio.timeout(10):
                    while not await none_pending(newsroom):
                        await asyncio.sleep(0.02)
            await check_books(newsroom)

    asyncio.run(go())
