"""Reading NewsAPI: every fault that there is, pages, cursors and quotas."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.sentiment.sources.support import (
    KEY,
    Sleeps,
    asking,
    create,
    news,
    read,
    source_of,
    told,
)
from tests.systems.sentiment.support import NOW, OPERATOR, START, all_articles, refused

from tablewright.clock import ManualClock
from tablewright.model.errors import Unavailable
from tablewright.service.settings import SettingsError
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.fetching import newsapi
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.stand_in import Fault, StandIn, serving
from tablewright.testing.backends import Backend

Test = Callable[[Newsroom, StandIn, Sleeps], Coroutine[Any, Any, None]]
Run = Callable[..., None]


@pytest.fixture
def run(engine_backend: Backend, clock: ManualClock) -> Run:
    """``run(test, stand_in, **options)``: with a newsroom that asks the stand-in."""

    def run_it(test: Test, stand_in: StandIn | None = None, **options: Any) -> None:
        asked = stand_in or StandIn([news(1), news(2)], key=KEY)

        async def inside(url: str) -> None:
            async with asking(engine_backend, clock, url, **options) as (newsroom, sleeps):
                await test(newsroom, asked, sleeps)

        with serving(asked) as url:
            asyncio.run(inside(url))

    return run_it


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(status=500), "UPSTREAM_ERROR"),
        (Fault(status=503), "UPSTREAM_ERROR"),
        (Fault(broken=True), "UPSTREAM_ERROR"),
        (Fault(drop=True), "UNREACHABLE"),
        (Fault(slow=0.6), "TIMEOUT"),
    ],
)
def test_a_call_is_tried_three_times(
    run: Run, monkeypatch: pytest.MonkeyPatch, fault: Fault, code: str
) -> None:
    monkeypatch.setattr(newsapi.NewsApi.__init__, "__kwdefaults__", {"timeout": 0.3})

    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        stand_in.faults = [fault, fault]
        assert told(await read(newsroom))["state"] == "ok", "the third try went well"
        assert sleeps.seconds == [1.0, 2.0]
        stand_in.always = fault
        assert told(await read(newsroom)) == {"state": "failed", "error_code": code}
        assert len(stand_in.asked) == 6
        source = await source_of(newsroom, "press")
        assert (source.failures, source.error_code) == (1, code)

    run(test)


@pytest.mark.parametrize("status", [400, 404])
def test_a_question_that_is_refused_is_not_asked_again(run: Run, status: int) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        stand_in.always = Fault(status=status)
        assert told(await read(newsroom)) == {"state": "failed", "error_code": "BAD_QUERY"}
        assert len(stand_in.asked) == 1

    run(test)


def test_a_date_in_retry_after_is_kept_to(run: Run, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        stand_in.faults = [Fault(status=429, retry_after="Fri, 20 Nov 2026 12:30:00 GMT")]
        await read(newsroom)
        source = await source_of(newsroom, "press")
        assert (source.failures, source.breaker_open_until) == (0, NOW + timedelta(minutes=30))
        assert await newsroom.sources.runs.start_due() == []
        clock.advance(1800)
        assert await newsroom.sources.runs.start_due() == ["press"]

    run(test)


def test_a_success_forgets_the_failures_before(run: Run) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        for _ in range(3):
            stand_in.faults = [Fault(status=500)] * 6
            await read(newsroom)
            await read(newsroom)
            assert told(await read(newsroom))["state"] == "ok"
        assert (await source_of(newsroom, "press")).failures == 0

    run(test)


def test_of_several_topics_those_after_a_failure_are_asked_until_the_breaker_opens(
    run: Run,
) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom, query=None)
        stand_in.faults = [Fault(status=500)] * 3
        run = await read(newsroom)
        assert told(run)["state"] == "partial"
        assert told(run)["error_code"] == "UPSTREAM_ERROR"
        assert len(stand_in.asked) == 3 + 2
        stand_in.always = Fault(status=500)
        assert told(await read(newsroom))["state"] == "failed"
        assert len(stand_in.asked) == 5 + 9
        assert (await newsroom.sources.get("press")).breaker == "open"

    run(test)


@pytest.mark.parametrize(
    "article",
    [
        None,
        7,
        {},
        {"title": None, "publishedAt": "2026-11-20T11:00:00Z"},
        {"title": "[Removed]", "publishedAt": "2026-11-20T11:00:00Z"},
        {"title": "AI", "publishedAt": "yesterday"},
        {"title": "AI", "publishedAt": "2026-11-20T11:00:00"},
    ],
)
def test_a_bad_article_is_counted_and_ends_nothing(run: Run, article: Any) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        stand_in._found = lambda wanted: [article, *stand_in.articles]  # type: ignore[method-assign]
        assert told(await read(newsroom)) == {
            "state": "ok",
            "fetched": 3,
            "ingested": 2,
            "rejected": 1,
        }

    run(test)


def test_neither_the_key_nor_a_redirect_leaves(run: Run) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        stand_in.always = Fault(status=302)
        assert told(await read(newsroom))["error_code"] == "UPSTREAM_ERROR"
        standing = await newsroom.sources.get("press")
        assert KEY not in repr((standing, newsroom.options))
        assert KEY not in newsroom.runtime.metrics.text().decode()
        assert all(KEY not in str(each) for each in stand_in.asked)

    run(test)


def test_newsapi_is_asked_by_https_or_on_this_machine(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def test() -> None:
        async with asking(engine_backend, clock, "http://news.example"):
            pass

    with pytest.raises(SettingsError, match="newsapi_url"):
        asyncio.run(test())


# --- pages and cursors ---------------------------------------------------------------------------


def test_what_is_asked_for(run: Run, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        await read(newsroom)
        first = {
            "q": "AI OR climate OR energy",
            "from": "2026-11-18T12:00:00",
            "sortBy": "publishedAt",
            "pageSize": "100",
            "page": "1",
        }
        assert stand_in.asked == [first]
        assert (await source_of(newsroom, "press")).cursor == "2026-11-20T11:59:00.000Z"
        clock.advance(600)
        assert told(await read(newsroom)) == {"state": "ok", "fetched": 2, "duplicates": 2}
        assert stand_in.asked[1]["from"] == "2026-11-20T10:59:00"

    run(test)


def test_all_pages_are_read_before_the_cursor_moves(run: Run) -> None:
    """The latest come first: a cursor that moved after the first page would hide the others."""

    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        stand_in.faults = [Fault(), *[Fault(status=500)] * 3]
        run = await read(newsroom)
        assert told(run) == {
            "state": "partial",
            "fetched": 100,
            "ingested": 100,
            "error_code": "UPSTREAM_ERROR",
        }
        assert (await source_of(newsroom, "press")).cursor is None
        assert told(await read(newsroom)) == {
            "state": "ok",
            "fetched": 230,
            "ingested": 130,
            "duplicates": 100,
        }
        assert [each["page"] for each in stand_in.asked[-3:]] == ["1", "2", "3"]
        assert (await source_of(newsroom, "press")).cursor == moment_text(NOW)

    records = [news(number) for number in range(230)]
    run(test, StandIn(records, key=KEY, most_results=1000))


def test_results_that_a_plan_does_not_give_are_told_of(run: Run) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)
        run = await read(newsroom)
        assert (run.state, run.error_code, run.ingested) == ("partial", "RESULTS_CUT", 100)
        source = await source_of(newsroom, "press")
        assert (source.cursor, source.failures) == (moment_text(NOW), 0)

    run(test, StandIn([news(number) for number in range(120)], key=KEY))


def test_a_store_that_fails_leaves_the_cursor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom)

        async def away(*_: object, **__: object) -> None:
            raise Unavailable("the store is away")

        with monkeypatch.context() as patched:
            patched.setattr(newsroom.intake, "take", away)
            run = await read(newsroom)
        assert told(run) == {"state": "failed", "error_code": "STORE_UNAVAILABLE"}
        source = await source_of(newsroom, "press")
        assert (source.cursor, source.failures, source.open_run) == (None, 0, None)
        assert told(await read(newsroom))["ingested"] == 2

    run(test)


def test_each_topic_is_asked_for_and_its_articles_are_its_own(run: Run) -> None:
    """What NewsAPI found in the text that we are not given is still about the topic."""

    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom, query=None)
        stand_in._found = lambda wanted: (  # type: ignore[method-assign]
            stand_in.articles if wanted["q"].startswith('"energy"') else []
        )
        assert told(await read(newsroom))["ingested"] == 1
        (article,) = await all_articles(newsroom)
        assert article.matched_tags == {"Energy"}
        texts = [each["q"] for each in stand_in.asked]
        assert texts == ['"ai" OR "artificial intelligence"', '"climate"', '"energy" OR "grid"']
        cursor = (await source_of(newsroom, "press")).cursor
        assert cursor is not None
        assert [each.split("=")[0] for each in cursor.split()] == ["ai", "climate", "energy"]

    silent = news(1, title="A quiet day", text="Nothing is said of it.", url="https://a.example/q")
    run(test, StandIn([silent], key=KEY))


# --- quotas --------------------------------------------------------------------------------------


def test_a_quota_is_taken_before_each_request(run: Run, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom, daily_limit=5)
        stand_in.faults = [Fault(status=500)] * 2
        assert told(await read(newsroom))["state"] == "ok"
        assert (await newsroom.sources.quota("press")).left == 2
        stand_in.always = Fault(status=500)
        run = await read(newsroom)
        assert told(run) == {"state": "failed", "error_code": "QUOTA_EXHAUSTED"}
        assert len(stand_in.asked) == 5
        problem = await refused(newsroom.sources.run_now("press", OPERATOR))
        assert (problem.status, problem.code) == (409, "QUOTA_EXHAUSTED")
        clock.advance(7200)
        assert await newsroom.sources.runs.start_due() == []
        # Another day.
        clock.set(START + 12 * 3600)
        stand_in.always = None
        assert told(await read(newsroom))["state"] == "ok"

    run(test)


def test_a_source_of_topics_is_read_as_often_as_its_quota_allows(
    run: Run, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        await create(newsroom, query=None)
        assert (await newsroom.sources.get("press")).interval_secs == pytest.approx(2880)
        assert await newsroom.sources.runs.start_due() == ["press"]
        await newsroom.sources.runs.idle()
        clock.advance(2879)
        assert await newsroom.sources.runs.start_due() == []
        clock.advance(1.1)
        assert await newsroom.sources.runs.start_due() == ["press"]
        await newsroom.sources.runs.idle()
        found = await newsroom.db.run(config_reads.runs("press"))
        assert [each.state for each in found] == ["ok", "ok"]

    run(test)


def test_without_a_key_newsapi_is_not_asked(engine_backend: Backend, clock: ManualClock) -> None:
    async def test() -> None:
        options = {"newsapi_key": ""}
        async with asking(engine_backend, clock, "https://newsapi.org", **options) as (newsroom, _):
            await create(newsroom)
            assert await newsroom.sources.runs.start_due() == []
            problem = await refused(newsroom.sources.run_now("press", OPERATOR))
            assert (problem.status, problem.code) == (409, "NOT_CONFIGURED")

    asyncio.run(test())


def test_topics_that_nobody_follows_lose_their_place(run: Run) -> None:
    async def test(newsroom: Newsroom, stand_in: StandIn, sleeps: Sleeps) -> None:
        source = await create(newsroom, query=None)
        before = "gone=2026-11-20T11:00:00.000Z ai=2026-11-20T11:00:00.000Z"
        await newsroom.db.run(writes.advance_source(source, before))
        await read(newsroom)
        cursor = (await source_of(newsroom, "press")).cursor or ""
        assert [each.split("=")[0] for each in cursor.split()] == ["ai", "climate", "energy"]

    run(test)
