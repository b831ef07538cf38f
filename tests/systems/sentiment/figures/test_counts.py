"""Totals, series, changes and shares, against the articles they are counted from."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.systems.sentiment.support import (
    NOW,
    START,
    newsroom_on,
    refused,
    stored,
    topic,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.systems.sentiment import writes
from tablewright.systems.sentiment.articles import Article, Tally
from tablewright.systems.sentiment.changes import backfill
from tablewright.systems.sentiment.rules.figures import Figures, figures_of, total
from tablewright.systems.sentiment.rules.series import Interval
from tablewright.systems.sentiment.rules.spans import Span, span_of
from tablewright.systems.sentiment.service import counts as counts_module
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import SHARDS, Sentiment, hour_of
from tablewright.testing.backends import Backend, in_process

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TONES: tuple[Sentiment, ...] = get_args(Sentiment)
TAGS = (("AI",), ("Climate",), ("AI", "Energy"))
#: A quarter past.
LATE = NOW + 15 * MINUTE


async def fill(newsroom: Newsroom, count: int = 90) -> list[Article]:
    """Articles of all tones, over six days, with most of them in the last one."""
    random, found = Random(7), []
    for number in range(count):
        back = DAY * random.random() * random.choice([0.2, 1, 2, 6])
        at = LATE - back
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        said = random.choice([*TONES, None])
        found.append(
            await stored(
                newsroom,
                f"a-{number}",
                TAGS[number % 3],
                said=said,
                compound="0.01",
                timestamp=at,
                source_key=("bbc-news", "other")[number % 2],
            )
        )
    return found


def of(articles: list[Article], span: Span, *, all_: bool = True) -> Figures:
    """What the articles of a span count."""
    inside = [each for each in articles if span.since <= each.timestamp < span.until]
    found = total(figures_of(each.sentiment) for each in inside)
    return found if all_ else Figures(0, found.positive, found.neutral, found.negative)


def tagged(articles: list[Article], tag: str) -> list[Article]:
    return [each for each in articles if tag in {t.casefold() for t in each.matched_tags}]


@pytest.fixture(scope="module")
def filled() -> Iterator[tuple[Backend, ManualClock, list[Article]]]:
    clock = ManualClock(LATE.timestamp())
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:

        async def go() -> list[Article]:
            async with newsroom_on(backend, clock) as newsroom:
                await newsroom.db.run(writes.note_publisher("bbc-news", "BBC News", 1, NOW))
                return await fill(newsroom)

        yield backend, clock, asyncio.run(go())


_BACKS = st.timedeltas(min_value=timedelta(seconds=1), max_value=7 * DAY)


@settings(max_examples=40, deadline=None)
@given(
    since=_BACKS,
    length=_BACKS,
    interval=st.sampled_from([*get_args(Interval), None]),
    subject=st.sampled_from(["all", "ai", "bbc-news"]),
)
def test_series_sum_to_totals_and_totals_to_articles(
    filled: tuple[Backend, ManualClock, list[Article]],
    since: timedelta,
    length: timedelta,
    interval: Interval | None,
    subject: str,
) -> None:
    backend, clock, articles = filled
    of_what = {"all": {}, "ai": {"tag": "ai"}, "bbc-news": {"source": "bbc-news"}}[subject]
    if subject == "ai":
        articles = tagged(articles, "ai")
    elif subject != "all":
        articles = [each for each in articles if each.source_key == subject]
    span = Span(LATE - since, min(LATE - since + length, LATE))

    async def go() -> None:
        async with newsroom_on(backend, clock) as newsroom:
            overview = await newsroom.counts.overview(span, **of_what)
            assert overview.figures == of(articles, overview.span, all_=subject == "all")
            assert overview.span.since <= span.since
            assert overview.span.until >= span.until
            change = overview.change
            assert change.volume_before == of(articles, change.before).analysed
            assert change.volume_after == of(articles, change.after).analysed
            assert change.before.length == change.after.length
            try:
                series = await newsroom.counts.timeseries(span, interval, **of_what)
            except Exception as error:
                assert interval is not None
                assert getattr(error, "code", "") in ("BAD_RANGE", "TOO_MANY_BUCKETS")  # noqa: PT017
                return
            assert total(point.figures for point in series.points) == overview.figures
            assert len(series.points) <= 400

    asyncio.run(go())


@pytest.mark.parametrize("interval", ["6h", "1d"])
def test_scenario_15_series_from_an_unaligned_start(
    tablewright_backend: Backend, clock: ManualClock, interval: Interval
) -> None:
    """6h and 1d series from unaligned start: sums match."""
    clock.set(LATE.timestamp())

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            articles = await fill(newsroom, 60)
            for since in (NOW - 29 * HOUR - 13 * MINUTE, NOW - 5 * DAY - 13 * MINUTE):
                span = span_of(since, None, newsroom.now())
                series = await newsroom.counts.timeseries(span, interval)
                sums = total(point.figures for point in series.points)
                assert sums == (await newsroom.counts.overview(span)).figures
                assert sums == of(articles, Span(series.span.since, LATE + MINUTE))
                assert series.points[0].slot.partial
                assert series.points[-1].slot.partial
                assert series.points[0].slot.start < series.span.since
            # What lies in the first bucket, but before the start, is not counted.
            assert sums.ingested < 60 or series.span.since > min(a.timestamp for a in articles)

    asyncio.run(go())


def test_an_empty_bucket_has_no_index(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await stored(newsroom, "one", said="negative", timestamp=NOW - 2 * HOUR)
            span = Span(NOW - 3 * HOUR, NOW)
            points = (await newsroom.counts.timeseries(span, "1h", tag="ai")).points
            assert [(p.figures.analysed, p.figures.index) for p in points] == [
                (0, None),
                (1, -1.0),
                (0, None),
            ]
            assert not any(point.slot.partial for point in points)
            minutes = (await newsroom.counts.timeseries(span, "1m")).points
            assert len(minutes) == 180
            assert total(point.figures for point in minutes).negative == 1

    asyncio.run(go())


def test_change_from_nothing_and_to_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await stored(newsroom, "one", said="negative", timestamp=NOW - 2 * HOUR)
            await stored(newsroom, "two", timestamp=NOW - HOUR)
            day = span_of(None, None, NOW)
            found = await newsroom.counts.overview(day)
            assert (found.figures.ingested, found.figures.pending) == (2, 1)
            assert (found.change.volume_percent, found.change.index_points) == (None, None)
            assert found.per_hour == pytest.approx(2 / 24)
            hour = await newsroom.counts.overview(Span(NOW - HOUR, NOW))
            assert hour.change.volume_percent == -100

    asyncio.run(go())


@pytest.mark.parametrize("of_what", [{}, {"tag": "ai"}, {"source": "bbc-news"}])
def test_an_hour_that_has_begun_is_not_held_against_a_whole_one(
    tablewright_backend: Backend, clock: ManualClock, of_what: dict[str, str]
) -> None:
    """An article a minute, all along: nothing has changed, or nothing can be said."""
    clock.set((NOW + 23 * MINUTE).timestamp())

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            for number in range(-30, 23):
                at = NOW + number * MINUTE
                await stored(newsroom, f"number-{number}", said="neutral", timestamp=at)
            found = await newsroom.counts.overview(Span(NOW, newsroom.now()), **of_what)
            assert found.figures.analysed == 23
            change = found.change
            assert change.before.length == change.after.length
            assert change.volume_percent == (None if "source" in of_what else 0)

    asyncio.run(go())


def test_shares_of_topics_and_publishers(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.db.run(writes.note_publisher("bbc-news", "BBC News", 1, NOW))
            paused = topic("Paused").model_copy(update={"enabled": False})
            await newsroom.db.run(writes.create_watch(paused))
            await stored(newsroom, "one", ("AI", "Climate"), said="positive")
            await stored(newsroom, "two", ("AI",), said="negative", source_key="other")
            await stored(newsroom, "three", ("AI", "Paused"), said="neutral")
            span = Span(NOW - HOUR, NOW + MINUTE)
            tags = await newsroom.counts.share(span, "tag")
            assert [(each.label, each.share) for each in tags.shares] == [
                ("AI", 0.75),
                ("Climate", 0.25),
                ("Energy", 0.0),
            ]
            sources = await newsroom.counts.share(span, "source")
            assert [(each.key, each.figures.analysed) for each in sources.shares] == [
                ("bbc-news", 2),
                ("other", 1),
            ]

    asyncio.run(go())


def test_a_tag_and_a_publisher_are_counted_from_articles(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            for number in range(12):
                await stored(
                    newsroom,
                    f"robots-{number}",
                    said=TONES[number % 3],
                    timestamp=NOW - (number + 1) * HOUR,
                    source_key=("bbc-news", "other")[number % 2],
                )
            span = Span(NOW - DAY, NOW)
            both = await newsroom.counts.overview(span, tag="ai", source="other")
            assert (both.figures.analysed, both.partial) == (6, False)
            words = await newsroom.counts.timeseries(span, "1h", words=("robots", "11"))
            assert total(point.figures for point in words.points).analysed == 1
            monkeypatch.setattr(counts_module, "MOST_READ", 5)
            newsroom.counts.forget()
            some = await newsroom.counts.overview(span, tag="ai", source="other")
            assert (some.figures.analysed, some.partial) == (2, True)
            # Nothing is claimed about what was not read.
            assert not some.change.complete
            assert (some.change.volume_percent, some.change.index_points) == (None, None)
            gaps = await newsroom.counts.timeseries(span, "1h", tag="ai", source="other")
            read = [point.figures is not None for point in gaps.points]
            # Five articles were read, of 1 to 5 hours ago; the hour of the last is not complete.
            assert read == [False] * (len(read) - 4) + [True] * 4

    asyncio.run(go())


def test_a_hundred_viewers_cost_one_reading(engine_backend: Backend, clock: ManualClock) -> None:
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, heard=heard) as newsroom:
            span = span_of(None, None, LATE)
            await asyncio.gather(*(newsroom.counts.overview(span) for _ in range(100)))
            asked = [event for event in heard if event.pattern == "series"]
            assert len(asked) == SHARDS
            clock.advance(1)
            await newsroom.counts.overview(span)
            # The minutes at the beginning of the earlier window, once for a minute.
            assert len([e for e in heard if e.pattern == "series"]) == 2 * SHARDS
            clock.advance(2)
            await newsroom.counts.overview(span)
            assert len([e for e in heard if e.pattern == "series"]) == 3 * SHARDS

    asyncio.run(go())


def test_what_an_overview_reads_does_not_grow_with_articles(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """By rows, not by time: one for each hour and shard of both windows, however much is in it."""
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with newsroom_on(engine_backend, clock, heard=heard) as newsroom:

            async def units(per_hour: int) -> float:
                rows = [
                    Tally(
                        subject="all",
                        shard=shard,
                        bucket=hour_of(NOW - hour * HOUR),
                        ingested=per_hour,
                        positive=per_hour,
                        ttl_timestamp=NOW + DAY,
                    )
                    for shard in range(SHARDS)
                    for hour in range(48)
                ]
                await newsroom.db.batch(map(put, rows))
                newsroom.counts.forget()
                heard.clear()
                found = await newsroom.counts.overview(span_of(None, None, LATE))
                assert found.figures.ingested == per_hour * SHARDS * 25
                return sum(event.read_units for event in heard if event.pattern == "series")

            assert await units(6) == await units(600)

    asyncio.run(go())


def test_more_shards_are_read_once_they_are_there(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.db.run(writes.raise_shards(40))
            newsroom.setup.forget()
            for number in range(30):
                made = await stored(newsroom, f"a-{number}", timestamp=NOW - HOUR)
                assert made.status == "pending"
            spread = await stored(newsroom, "b", said="positive", timestamp=NOW - HOUR)
            past = spread.model_copy(update={"source_id": "newsapi#forty", "version": 0})
            await newsroom.db.run(backfill(past, "0" * 64, now=NOW, shards=40))
            found = await newsroom.counts.overview(Span(NOW - 2 * HOUR, NOW))
            assert (found.figures.ingested, found.figures.positive) == (32, 2)

    asyncio.run(go())


def test_scenario_17_articles_end_and_hours_remain(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Clock +30 d: items unread before deletion; hours remain."""
    from tablewright.systems.sentiment import reads
    from tablewright.systems.sentiment.rules.filters import ArticleFilter

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = await stored(newsroom, "one", said="positive")
            await stored(newsroom, "two")
            for wanted in _LISTS:
                assert (await newsroom.articles.find(ArticleFilter(**wanted))).rows
            clock.set(START + 30 * 86_400)
            for wanted in _LISTS:
                assert not (await newsroom.articles.find(ArticleFilter(**wanted))).rows
            problem = await refused(newsroom.articles.item(made.source_id))
            assert problem.status == 404
            pieces = await newsroom.exports.export(
                span_of(NOW - DAY, None, newsroom.now()), ArticleFilter(), "csv"
            )
            assert len([piece async for piece in pieces]) == 1
            # They are still there, or the test would say nothing.
            times = {"since": NOW - DAY, "until": NOW + DAY, "queued_before": NOW + DAY}
            assert len(await newsroom.db.run(reads.stuck_articles("pending", **times))) == 1
            span = span_of(NOW - DAY, None, newsroom.now())
            for of_what in ({}, {"tag": "ai"}, {"source": "bbc-news"}):
                found = await newsroom.counts.overview(span, **of_what)
                assert found.figures.positive == 1
            series = await newsroom.counts.timeseries(span, "1d")
            assert total(point.figures for point in series.points).ingested == 2

    asyncio.run(go())


_LISTS: tuple[dict[str, str], ...] = (
    {},
    {"sentiment": "positive"},
    {"tag": "ai"},
    {"status": "pending"},
)
