"""Lists: the right articles, in order, each once, over any number of pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.systems.sentiment.support import NOW, START, analysis, newsroom_on, refused, stored

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.model.errors import CursorError
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.changes import tag_row, tags_of
from tablewright.systems.sentiment.rules.filters import ArticleFilter, ArticleRow, words_of
from tablewright.systems.sentiment.service import articles as articles_module
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import Sentiment
from tablewright.testing.backends import Backend, in_process

HOUR = timedelta(hours=1)
TONES: tuple[Sentiment, ...] = get_args(Sentiment)
#: In the order of the times; several have the same.
COUNT = 60


async def everything(
    newsroom: Newsroom, wanted: ArticleFilter, limit: int = 7
) -> tuple[list[ArticleRow], int]:
    """All rows, page by page, and the number of pages."""
    rows: list[ArticleRow] = []
    cursor, pages = None, 0
    while True:
        found = await newsroom.articles.find(wanted, limit, cursor)
        assert len(found.rows) <= limit
        rows += found.rows
        pages, cursor = pages + 1, found.cursor
        assert pages < 100
        if cursor is None:
            return rows, pages


def expected(articles: list[Article], wanted: ArticleFilter) -> list[str]:
    """The same by looking at each."""

    def is_wanted(each: Article) -> bool:
        text = f"{each.metadata.title} {each.text_snippet}".casefold()
        has_tone = each.sentiment is not None
        return (
            (wanted.sentiment in (None, each.sentiment))
            and (wanted.tag is None or wanted.tag in tags_of(each))
            and (wanted.source in (None, each.source_key))
            and (wanted.status == each.status if wanted.status else has_tone or bool(wanted.tag))
            and (wanted.since is None or each.timestamp >= wanted.since)
            and (wanted.until is None or each.timestamp < wanted.until)
            and all(word in text for word in wanted.words)
        )

    return sorted(each.source_id for each in articles if is_wanted(each))


@pytest.fixture(scope="module")
def filled() -> Iterator[tuple[Backend, ManualClock, list[Article]]]:
    clock = ManualClock(START)
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:

        async def go() -> list[Article]:
            random, found = Random(3), []
            async with newsroom_on(backend, clock) as newsroom:
                for number in range(COUNT):
                    made = await stored(
                        newsroom,
                        f"{('robots', 'Ströme', 'grid')[number % 3]}-number-{number}",
                        random.choice([("AI",), ("AI", "Climate"), ("Energy",)]),
                        said=random.choice([*TONES, None]),
                        compound="0.01",
                        timestamp=NOW - (number // 4) * HOUR,
                        source_key=random.choice(["bbc-news", "other"]),
                    )
                    found.append(made)
                for each in [each for each in found if each.status == "pending"][:5]:
                    failing = each
                    for _ in range(3):
                        failing = await newsroom.db.run(
                            changes.analysis_failed(failing, "model_timeout", NOW)
                        )
                    found[found.index(each)] = failing
            return found

        yield backend, clock, asyncio.run(go())


_FILTERS = st.builds(
    ArticleFilter,
    sentiment=st.sampled_from([None, *TONES]),
    tag=st.sampled_from([None, "ai", "climate", "nothing"]),
    source=st.sampled_from([None, None, "bbc-news"]),
    since=st.sampled_from([None, NOW - 10 * HOUR]),
    until=st.sampled_from([None, NOW - 2 * HOUR]),
    words=st.sampled_from(["", "", "ROBOTS", "number ströme"]).map(words_of),
    status=st.sampled_from([None, None, "analyzed", "pending", "failed"]),
)


@settings(max_examples=60, deadline=None)
@given(wanted=_FILTERS, limit=st.sampled_from([1, 7, 100]))
def test_any_filter_finds_what_fits_each_once_and_in_order(
    filled: tuple[Backend, ManualClock, list[Article]], wanted: ArticleFilter, limit: int
) -> None:
    backend, clock, articles = filled

    async def go() -> None:
        async with newsroom_on(backend, clock) as newsroom:
            rows, pages = await everything(newsroom, wanted, limit)
            assert sorted(row.source_id for row in rows) == expected(articles, wanted)
            times = [row.timestamp for row in rows]
            assert times == sorted(times, reverse=True)
            assert pages <= len(rows) // limit + 2

    asyncio.run(go())


def test_the_cursor_of_another_list_is_refused(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            for number in range(8):
                await stored(newsroom, f"a-{number}", said=TONES[number % 3])
            first = await newsroom.articles.find(ArticleFilter(), 3)
            assert first.cursor is not None
            changed = first.cursor[:-3] + ("AAA" if first.cursor[-3:] != "AAA" else "BBB")
            others: list[tuple[ArticleFilter, str]] = [
                (ArticleFilter(), changed),
                (ArticleFilter(), "nonsense"),
                (ArticleFilter(tag="ai"), first.cursor),
                (ArticleFilter(source="other"), first.cursor),
                (ArticleFilter(since=NOW), first.cursor),
            ]
            from tablewright.systems.sentiment.reads import recent_articles

            own = (await newsroom.db.run(recent_articles("positive"), limit=1)).cursor
            assert own is not None
            for wanted, cursor in [*others, (ArticleFilter(), own)]:
                with pytest.raises(CursorError):
                    await newsroom.articles.find(wanted, 3, cursor)

    asyncio.run(go())


@pytest.mark.parametrize("filters", [{"source": "other"}, {"tag": "ai", "source": "other"}])
def test_a_page_ends_after_so_many_rows(
    tablewright_backend: Backend,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    filters: dict[str, Any],
) -> None:
    monkeypatch.setattr(articles_module, "MOST_READ", 30)
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock, heard=heard) as newsroom:
            made = [
                await stored(newsroom, f"a-{n}", said="positive", timestamp=NOW - n * HOUR)
                for n in range(70)
            ]
            rare = made[-1].model_copy(update={"source_key": "other", "version": 0})
            rare = rare.model_copy(update={"source_id": "newsapi#rare"})
            await newsroom.db.run(put(rare))
            await newsroom.db.run(put(tag_row(rare, "ai")))
            wanted = ArticleFilter(**filters)
            first = await newsroom.articles.find(wanted, 5)
            assert (first.rows, first.partial) == ([], True)
            rows, pages = await everything(newsroom, wanted, 5)
            assert [row.source_id for row in rows] == ["newsapi#rare"]
            assert 3 <= pages <= 5

    asyncio.run(go())


def test_one_that_moves_between_pages_breaks_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = [await stored(newsroom, f"a-{n}", timestamp=NOW - n * HOUR) for n in range(9)]
            wanted = ArticleFilter(status="pending")
            first = await newsroom.articles.find(wanted, 3)
            # The last one of the page is analysed: it is not where the cursor points any more.
            await newsroom.db.run(
                changes.analyse(made[2], analysis("neutral", "0.01", NOW), now=NOW)
            )
            second = await newsroom.articles.find(wanted, 100, first.cursor)
            assert [row.source_id for row in second.rows] == [a.source_id for a in made[3:]]

    asyncio.run(go())


def test_one_article_with_everything(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = await stored(newsroom, "one", ("AI", "Climate"), said="positive")
            page = await newsroom.articles.item(made.source_id)
            assert page.article == made
            assert [row.tag for row in page.tags] == ["ai", "climate"]
            problem = await refused(newsroom.articles.item("rss#none"))
            assert (problem.status, problem.code) == (404, "NOT_FOUND")

    asyncio.run(go())


def test_a_filter_that_no_index_is_made_for_is_picky() -> None:
    assert not ArticleFilter().picky
    assert not ArticleFilter(sentiment="positive", since=NOW).picky
    assert not ArticleFilter(tag="ai").picky
    assert not ArticleFilter(status="failed").picky
    assert ArticleFilter(tag="ai", sentiment="positive").picky
    assert ArticleFilter(status="failed", tag="ai").picky
    assert replace(ArticleFilter(), words=("a",)).picky
    assert words_of("  Ｆｕｌｌ ÉTÉ ") == ("full", "été")
