"""An article from pending to analyzed or failed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.systems.sentiment.analysis.support import POISON, SLOW, WRONG, Model, now, use
from tests.systems.sentiment.support import NOW, check_books, newsroom_on, stored, tag_rows

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.model import delete
from tablewright.model.errors import Throttled
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.changes import tag_article
from tablewright.systems.sentiment.service.analyst import Judging, Unjudged
from tablewright.systems.sentiment.service.analyst.judging import MOST_HUNG, ModelHangs
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend
from tablewright.testing.faults import injected


def conflict(**limits: Any) -> Fault:
    return Fault(
        "TransactWriteItems",
        error="TransactionCanceledException",
        reason="TransactionConflict",
        members=[3],
        **limits,
    )


async def analyse(newsroom: Newsroom, article: Article) -> str:
    return await newsroom.analyst.analyse(article.source_id, article.timestamp)


def test_an_article_is_analysed_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    """However many are told of it at the same time."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            use(newsroom, Model())
            article = await stored(newsroom, "good-news", ("AI", "Climate"))
            told = await asyncio.gather(*(analyse(newsroom, article) for _ in range(8)))
            assert sorted(told) == ["analyzed"] + ["skipped"] * 7
            found = await now(newsroom, article)
            assert (found.status, found.sentiment, found.attempts) == ("analyzed", "positive", 0)
            assert found.analyzed_at == NOW
            await check_books(newsroom)

    asyncio.run(go())


def test_nothing_to_analyse(engine_backend: Backend, clock: ManualClock) -> None:
    """An article that is not there, or has ended, is not made."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            assert await newsroom.analyst.analyse("file#0", NOW) == "skipped"
            article = await stored(newsroom, "good-news")
            clock.advance(31 * 86_400)
            assert await analyse(newsroom, article) == "skipped"

    asyncio.run(go())


@pytest.mark.parametrize(
    ("word", "code"), [(POISON, "model_error"), (WRONG, "model_error"), (SLOW, "model_timeout")]
)
def test_a_model_that_fails(
    engine_backend: Backend, clock: ManualClock, word: str, code: str
) -> None:
    """Three attempts, each with a new place in the queue; the others do not wait for it."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, judge_secs=0.05) as newsroom:
            model = Model()
            use(newsroom, model)
            bad, good = await stored(newsroom, word), await stored(newsroom, "good-news")
            seen = []
            for _ in range(3):
                clock.advance(60)
                seen.append(await analyse(newsroom, bad))
                assert (await now(newsroom, bad)).queued_at == newsroom.now()
            assert seen == ["retry", "retry", "failed"]
            found = await now(newsroom, bad)
            assert (found.status, found.attempts, found.error_code) == ("failed", 3, code)
            assert await analyse(newsroom, bad) == "skipped"
            assert await analyse(newsroom, good) == "analyzed"
            await check_books(newsroom)
            model.release.set()

    asyncio.run(go())


def test_conflicts_are_no_attempts(
    engine_backend: Backend, tablewright_engine: Engine, clock: ManualClock
) -> None:
    """14.12: others in the way are waited out; a caller without a lease gives up at some time."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, quick=True) as newsroom:
            use(newsroom, Model())
            article = await stored(newsroom, "good-news")
            with injected(tablewright_engine, conflict()), pytest.raises(Throttled):
                await newsroom.analyst.analyse(article.source_id, article.timestamp, patience=2)
            found = await now(newsroom, article)
            assert (found.status, found.attempts, found.version) == ("pending", 0, 1)
            with injected(tablewright_engine, conflict(times=9)):
                assert await newsroom.analyst.analyse(*_key(article), patience=None) == "analyzed"
            assert (await now(newsroom, article)).attempts == 0
            await check_books(newsroom)

    asyncio.run(go())


def _key(article: Article) -> tuple[str, Any]:
    return article.source_id, article.timestamp


def test_the_answer_of_a_write_is_lost(
    engine_backend: Backend, tablewright_engine: Engine, clock: ManualClock
) -> None:
    """Whether it happened or not, the article is counted once."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, quick=True) as newsroom:
            use(newsroom, Model())
            for number, after in enumerate((False, True)):
                article = await stored(newsroom, f"good-news-{number}")
                lost = Fault(
                    "TransactWriteItems", error="InternalServerError", times=3, after=after
                )
                with injected(tablewright_engine, lost):
                    assert await analyse(newsroom, article) in ("analyzed", "skipped")
                assert (await now(newsroom, article)).status == "analyzed"
            await check_books(newsroom)

    asyncio.run(go())


def test_a_tag_comes_in_between(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Scenario 5's race, the other way round: the article is read again, with its new tag."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            article = await stored(newsroom, "good-news")

            class Racing(Model):
                def judge(self, texts: Any) -> Any:
                    if not self.calls:
                        tagged = tag_article(article, "Climate", now=NOW)
                        asyncio.run_coroutine_threadsafe(newsroom.db.run(tagged), loop).result(5)
                    return super().judge(texts)

            loop = asyncio.get_running_loop()
            use(newsroom, Racing())
            assert await analyse(newsroom, article) == "analyzed"
            assert {row.tag for row in await tag_rows(newsroom)} == {"ai", "climate"}
            await check_books(newsroom)

    asyncio.run(go())


def test_a_tag_row_is_missing(engine_backend: Backend, clock: ManualClock) -> None:
    """What cannot be put right by waiting is an attempt."""

    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Model())
            article = await stored(newsroom, "good-news")
            (row,) = await tag_rows(newsroom)
            await newsroom.db.run(delete(row))
            assert [await analyse(newsroom, article) for _ in range(3)][-1] == "failed"
            assert (await now(newsroom, article)).error_code == "rows_missing"

    asyncio.run(go())


def test_what_an_analysis_costs(engine_backend: Backend, clock: ManualClock) -> None:
    """25 write units with two tags, as the plan says; one read of the article and no more."""
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, heard=heard) as newsroom:
            use(newsroom, Model())
            await newsroom.setup.current()
            article = await stored(newsroom, "good-news", ("AI", "Climate"))
            heard.clear()
            assert await analyse(newsroom, article) == "analyzed"

    asyncio.run(go())
    assert [event.pattern for event in heard] == ["article_to_analyse", "analyse"]
    assert (heard[0].read_units, heard[1].write_units) == (1, 25)


# --- judging -------------------------------------------------------------------------------------


def test_a_bad_text_fails_alone() -> None:
    async def go() -> None:
        judging, model = Judging(5.0), Model()
        found = await judging.verdicts(model, ["good", f"{POISON}!", "bad"])
        assert [getattr(each, "label", None) for each in found] == ["positive", None, "negative"]
        assert found[1] == Unjudged("model_error")
        assert await judging.verdicts(model, []) == []
        judging.close()

    asyncio.run(go())


def test_too_many_verdicts() -> None:
    class Doubling(Model):
        def judge(self, texts: Any) -> Any:
            return super().judge(texts) * 2

    async def go() -> None:
        assert await Judging(5.0).verdict(Doubling(), "good") == Unjudged("model_error")

    asyncio.run(go())


def test_a_model_that_never_comes_back() -> None:
    """Each text that hangs takes a thread with it; at some time it is the model that is broken."""

    async def go() -> None:
        judging, model = Judging(0.002), Model()
        for _ in range(MOST_HUNG):
            assert await judging.verdict(model, SLOW) == Unjudged("model_timeout")
        with pytest.raises(ModelHangs):
            await judging.verdict(model, SLOW)
        model.release.set()
        async with asyncio.timeout(5):
            while True:
                await asyncio.sleep(0.01)
                try:
                    found = await Judging.verdict(judging, model, "good")
                except ModelHangs:
                    continue
                if found != Unjudged("model_timeout"):
                    break

    asyncio.run(go())
