"""Articles on their way in: stored once, under their topics, and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.sentiment.support import (
    NOW,
    START,
    VADER,
    all_articles,
    check_books,
    counted,
    hash_of,
    newsroom_on,
    record,
    stored,
    tag_rows,
    topic,
    watch,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.systems.sentiment import changes, reads
from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.samples import analysis
from tablewright.systems.sentiment.service.intake import Intake, Outcome
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import hour_of, minute_of
from tablewright.testing import injected
from tablewright.testing.backends import Backend

Test = Callable[[Newsroom], Awaitable[None]]


def run(backend: Backend, clock: ManualClock, test: Test, *topics: Any, **options: Any) -> None:
    async def go() -> None:
        async with newsroom_on(backend, clock, *topics, **options) as newsroom:
            await test(newsroom)

    asyncio.run(go())


async def take(newsroom: Newsroom, *records: Record, **how: Any) -> list[Outcome]:
    return await newsroom.intake.take(records, **{"source_type": "rss", **how})


def results(outcomes: Sequence[Outcome]) -> list[str]:
    return [each.result for each in outcomes]


class Cheerful:
    """A model that finds everything good, except what breaks it."""

    version = VADER

    def __init__(self) -> None:
        self.calls = 0

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        self.calls += 1
        if any("poison" in text.lower() for text in texts):
            raise RuntimeError("no")
        said = analysis("positive", "0.5", NOW)
        return [Verdict(said.label, said.score, said.polarity) for _ in texts]


# --- new articles --------------------------------------------------------------------------------


def test_a_new_article(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        told = await take(newsroom, record("ai-saves-energy", author="Ann"))
        (article,) = await check_books(newsroom)
        assert told == [Outcome("ingested", article.source_id)]
        assert article.source_id == f"rss#{hash_of('ai-saves-energy')[:16]}"
        assert (article.status, article.timestamp, article.queued_at) == ("pending", NOW, NOW)
        assert article.matched_tags == {"AI", "Energy"}
        assert (article.source_key, article.metadata.author) == ("bbc-news", "Ann")
        known = await newsroom.db.require(reads.known_hash(hash_of("ai-saves-energy")))
        assert (known.article_id, known.article_ts) == (article.source_id, NOW)
        assert {row.tag for row in await tag_rows(newsroom)} == {"ai", "energy"}

    run(tablewright_backend, clock, test)


def test_scenario_02_replay_a_file_twice(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Replay a file twice: 0 new."""

    async def test(newsroom: Newsroom) -> None:
        file = [record(f"ai-story-{number}") for number in range(60)]
        first = await take(newsroom, *file)
        assert set(results(first)) == {"ingested"}
        clock.advance(3600)
        again = await take(newsroom, *file)
        assert set(results(again)) == {"duplicate"}
        assert [each.article_id for each in again] == [each.article_id for each in first]
        # Another source, and a process that remembers nothing.
        newsroom.intake = Intake(newsroom)
        assert set(results(await take(newsroom, *file, source_type="newsapi"))) == {"duplicate"}
        assert len(await check_books(newsroom)) == 60

    run(tablewright_backend, clock, test)


def test_each_record_has_its_own_outcome(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        told = await take(
            newsroom,
            record("ai-one"),
            record("nothing-of-interest"),
            record("x", title="<p></p>"),
            record("ai-one", url="http://www.news.example/2026/ai-one?utm_source=x#top"),
            record("ai-two", url=None, published_at=None),
            record("ai-one", own_tag="climate"),
            record("ai-three", url=None),
        )
        assert results(told) == [
            "ingested",
            "unmatched",
            "rejected",
            "duplicate",
            "rejected",
            "tagged",
            "ingested",
        ]
        assert told[2].reason == "has no title"
        assert told[4].reason
        assert "neither an address" in told[4].reason
        assert len(await check_books(newsroom)) == 2
        assert await take(newsroom) == []

    run(tablewright_backend, clock, test)


def test_scripts_in_titles_are_not_stored(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Scenario 11: a script title is escaped, here by having none left."""

    async def test(newsroom: Newsroom) -> None:
        await take(
            newsroom,
            record(
                "ai-one",
                title="<script>alert(1)</script>AI &lt;img src=x onerror=alert(1)&gt;wins",
                text="<a href='javascript:alert(1)'>AI</a>\x00 and \u202emore",
                url="javascript:alert(1)",
                source="<b>tag#ai#00</b>",
                author="<script>x</script>",
            ),
        )
        (article,) = await check_books(newsroom)
        assert article.metadata.title == "AI wins"
        assert (article.text_snippet, article.source_url) == ("AI and more", None)
        assert (article.metadata.source_name, article.source_key) == ("tag#ai#00", "tag-ai-00")
        assert article.metadata.author == "Unknown"

    run(tablewright_backend, clock, test)


def test_a_hash_that_has_ended_is_no_hash(tablewright_backend: Backend, clock: ManualClock) -> None:
    """After 37 days the article may come again; after 30 it is gone, and stays so."""

    async def test(newsroom: Newsroom) -> None:
        assert results(await take(newsroom, record("ai-one"))) == ["ingested"]
        clock.advance(31 * 86_400)
        # This process remembers the article, and the next one does not.
        assert await take(newsroom, record("ai-one")) == [Outcome("gone")]
        newsroom.intake = Intake(newsroom)
        assert await take(newsroom, record("ai-one")) == [Outcome("gone")]
        heard: list[RequestEvent] = []
        newsroom.db.context = replace(newsroom.db.context, hook=heard.append)
        assert results(await take(newsroom, record("ai-one"))) == ["gone"]
        assert "article_to_tag" not in {event.pattern for event in heard}
        clock.advance(7 * 86_400)
        told = await take(newsroom, record("ai-one"))
        assert results(told) == ["ingested"]
        found = await newsroom.db.require(reads.known_hash(hash_of("ai-one")))
        assert found.article_ts == newsroom.now()

    run(tablewright_backend, clock, test)


# --- known articles ------------------------------------------------------------------------------


def test_scenario_04_another_topic_after_analysis(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Tag B found after analysis under A: two tag rows, total +1."""

    async def test(newsroom: Newsroom) -> None:
        found = await stored(newsroom, "a-prize", ["AI"], said="positive", compound="0.5")
        told = await take(newsroom, record("a-prize", own_tag="Climate"))
        assert told == [Outcome("tagged", found.source_id)]
        (article,) = await check_books(newsroom)
        assert article.matched_tags == {"AI", "Climate"}
        rows = await tag_rows(newsroom)
        assert {(row.tag, row.tag_sentiment) for row in rows} == {
            ("ai", "positive"),
            ("climate", "positive"),
        }
        for bucket in (minute_of(NOW), hour_of(NOW)):
            assert await counted(newsroom, "all", bucket) == {"ingested": 1, "positive": 1}
            assert await counted(newsroom, "tag#climate", bucket) == {"positive": 1}
        assert results(await take(newsroom, record("a-prize", own_tag="Climate"))) == ["duplicate"]

    run(tablewright_backend, clock, test)


def test_a_pending_article_gets_another_tag(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        await take(newsroom, record("a-prize", own_tag="AI"))
        assert results(await take(newsroom, record("a-prize", own_tag="Climate"))) == ["tagged"]
        (article,) = await check_books(newsroom)
        said = analysis("negative", "-0.4", NOW)
        await newsroom.db.run(changes.analyse(article, said, now=NOW))
        await check_books(newsroom)
        assert await counted(newsroom, "tag#climate", hour_of(NOW)) == {"negative": 1}

    run(tablewright_backend, clock, test)


def test_a_sixth_tag_has_no_room(tablewright_backend: Backend, clock: ManualClock) -> None:
    labels = ["T1", "T2", "T3", "T4", "T5", "T6", "T7"]

    async def test(newsroom: Newsroom) -> None:
        await stored(newsroom, "a-prize", labels[:4])
        for expected in ("tagged", "duplicate"):
            both = record("a-prize", title="T6 and T7", text="")
            assert results(await take(newsroom, both)) == [expected]
        (article,) = await check_books(newsroom)
        assert article.matched_tags == {*labels[:4], "T6"}

    run(tablewright_backend, clock, test, *(topic(label) for label in labels))


def test_duplicates_cost_one_look_at_their_hashes(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """A source that shows the same page again and again reads hashes, and no article twice."""
    heard: list[RequestEvent] = []

    async def test(newsroom: Newsroom) -> None:
        page = [record(f"ai-story-{number}") for number in range(100)]
        await take(newsroom, *page)
        newsroom.intake = Intake(newsroom)
        await take(newsroom, *page)
        heard.clear()
        await take(newsroom, *page)
        assert [event.pattern for event in heard] == ["known_hashes"]
        # Half a unit for each hash.
        assert heard[0].read_units == 50

    run(engine_backend, clock, test, heard=heard)


def test_topics_that_are_added_later_get_what_comes_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        await take(newsroom, record("ai-robots"))
        await watch(newsroom, topic("Robots"))
        clock.advance(60)
        assert results(await take(newsroom, record("ai-robots"))) == ["tagged"]
        (article,) = await check_books(newsroom)
        assert article.matched_tags == {"AI", "Robots"}

    run(tablewright_backend, clock, test)


# --- articles of the past ------------------------------------------------------------------------


def test_as_published(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Counted when it was published, judged at once, never pending."""

    async def test(newsroom: Newsroom) -> None:
        days = timedelta(days=1)
        records = [
            record("ai-new", published_at=NOW - timedelta(hours=5)),
            record("ai-old", published_at=NOW - 10 * days),
            record("ai-too-old", published_at=NOW - 30 * days),
            record("ai-tomorrow", published_at=NOW + days),
            record("ai-never", published_at=None),
            record("ai-poison", published_at=NOW - days),
            record("ai-new", published_at=NOW - days),
        ]
        model = Cheerful()
        told = await take(newsroom, *records, as_published=True, analyser=model)
        assert results(told) == [*["ingested"] * 2, *["rejected"] * 4, "duplicate"]
        articles = {each.metadata.title: each for each in await check_books_of_past(newsroom)}
        old = articles["Ai old"]
        assert (old.status, old.timestamp, old.analyzed_at) == ("analyzed", NOW - 10 * days, NOW)
        assert old.model_version == VADER
        calls = model.calls
        again = await take(newsroom, *records[:2], as_published=True, analyser=model)
        assert results(again) == ["duplicate"] * 2
        assert model.calls == calls

    run(tablewright_backend, clock, test)


def test_minutes_that_end(tablewright_backend: Backend, clock: ManualClock) -> None:
    """The count of a minute ends for all of its articles at once; its hour goes on."""
    minute = NOW - timedelta(days=3)

    async def test(newsroom: Newsroom) -> None:
        clock.set(START - 1)
        how = {"as_published": True, "analyser": Cheerful()}
        first = record("ai-one", published_at=minute)
        assert results(await take(newsroom, first, **how)) == ["ingested"]
        assert await counted(newsroom, "all", minute_of(minute)) == {"ingested": 1, "positive": 1}
        clock.set(START + 1)
        second = record("ai-two", published_at=minute + timedelta(seconds=30))
        assert results(await take(newsroom, second, **how)) == ["ingested"]
        third = record("ai-one", own_tag="climate", published_at=minute)
        assert results(await take(newsroom, third)) == ["tagged"]
        assert await counted(newsroom, "all", minute_of(minute)) == {}
        assert await counted(newsroom, "all", hour_of(minute)) == {"ingested": 2, "positive": 2}

    run(tablewright_backend, clock, test)


async def check_books_of_past(newsroom: Newsroom) -> list[Article]:
    """As :func:`check_books`, without minutes that ended before they were counted."""
    articles = await all_articles(newsroom)
    for each in articles:
        assert each.sentiment == "positive"
        hour = hour_of(each.timestamp)
        assert await counted(newsroom, "all", hour) == {"ingested": 1, "positive": 1}
        assert await counted(newsroom, "tag#ai", hour) == {"positive": 1}
        assert await counted(newsroom, "source#bbc-news", hour) == {"positive": 1}
        recent = each.timestamp + timedelta(days=3) > NOW
        minute = await counted(newsroom, "tag#ai", minute_of(each.timestamp))
        assert minute == ({"positive": 1} if recent else {})
    assert len(await tag_rows(newsroom)) == len(articles)
    return articles


# --- publishers ----------------------------------------------------------------------------------


def test_all_publishers_are_counted_by_name(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        page = [record(f"ai-{number}", source=f"Paper {number}") for number in range(60)]
        await take(newsroom, *page)
        articles = await all_articles(newsroom)
        assert {each.source_key for each in articles} == {f"paper-{number}" for number in range(60)}
        known = await newsroom.intake.publishers.names()
        assert known == {f"paper-{number}": f"Paper {number}" for number in range(60)}
        for each in articles:
            await newsroom.analyst.analyse(each.source_id, each.timestamp)
        clock.advance(60)
        # The 51st is sure to be found, and shares add up to everything.
        hour = timedelta(hours=1)
        span = Span(NOW - hour, NOW + hour)
        for key in ("paper-0", "paper-59"):
            found = await newsroom.counts.overview(span, source=key)
            assert found.figures.articles == 1
        shares = (await newsroom.counts.share(span, "source")).shares
        assert (shares[0].label, shares[0].figures.articles) == ("Other publishers", 10)
        assert sum(each.figures.articles for each in shares) == 60
        assert len(shares) == 51

    run(tablewright_backend, clock, test)


def test_two_processes_make_publishers_known(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        async with newsroom_on(tablewright_backend, clock) as other:
            for _ in range(3):
                same = await asyncio.gather(
                    newsroom.intake.publishers.key_of("The Last"),
                    other.intake.publishers.key_of("The Last"),
                )
                assert same == ["the-last", "the-last"]
                clock.advance(61)
            (known,) = await newsroom.intake.publishers.ranked()
            assert (known.name, known.articles) == ("The Last", 6)

    run(tablewright_backend, clock, test)


# --- races and lost answers ----------------------------------------------------------------------


def test_a_lost_answer_is_no_duplicate(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """The store has taken it, and the answer never came, so often that the client gives up: it is
    asked again under the same token, and says that it was done."""

    async def test(newsroom: Newsroom) -> None:
        lost = Fault("TransactWriteItems", error="InternalServerError", after=True, times=5)
        with injected(tablewright_engine, lost):
            told = await take(newsroom, record("ai-one"))
        assert results(told) == ["ingested"]
        lost = Fault("TransactWriteItems", error="InternalServerError", after=True, times=5)
        with injected(tablewright_engine, lost):
            told = await take(newsroom, record("ai-one", own_tag="climate"))
        assert results(told) == ["tagged"]
        assert len(await check_books(newsroom)) == 1

    run(engine_backend, clock, test, quick=True)


def test_others_in_the_way(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """Conflicts for longer than the client cares about are waited for."""

    async def test(newsroom: Newsroom) -> None:
        busy = Fault("TransactWriteItems", error="TransactionConflictException", times=7)
        with injected(tablewright_engine, busy):
            told = await take(newsroom, record("ai-one"))
        assert results(told) == ["ingested"]
        assert len(await check_books(newsroom)) == 1

    run(engine_backend, clock, test, quick=True)


def test_a_store_that_is_away_is_told(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        from tablewright.model.errors import TablewrightError

        with injected(tablewright_engine, Fault("BatchGetItem", error="InternalServerError")):
            with pytest.raises(TablewrightError):
                await take(newsroom, record("ai-one"))
        assert await all_articles(newsroom) == []
        assert results(await take(newsroom, record("ai-one"))) == ["ingested"]

    run(engine_backend, clock, test, quick=True)


# --- what it costs -------------------------------------------------------------------------------


def test_what_an_article_costs(engine_backend: Backend, clock: ManualClock) -> None:
    """Fifteen write units for two tags at a kilobyte: six items of a transaction at two units, and
    one for each of the three index rows."""
    heard: list[RequestEvent] = []

    async def test(newsroom: Newsroom) -> None:
        await take(newsroom, record("ai-warms-up-the-climate"))
        await take(newsroom, record("ai-of-climate"))
        (_, event) = [each for each in heard if each.pattern == "ingest"]
        assert event.write_units == 15

    run(engine_backend, clock, test, heard=heard)


def test_the_clock_of_an_article_is_in_milliseconds(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        clock.set(START + 0.123456)
        await take(newsroom, record("ai-one"))
        (article,) = await all_articles(newsroom)
        assert article.timestamp == NOW + timedelta(milliseconds=123)

    run(engine_backend, clock, test)
