"""Counting again: what agrees, what does not, and how it is put right."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.systems.sentiment.support import NOW, START, newsroom_on, stored

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import attr, update
from tablewright.systems.sentiment import changes, reads
from tablewright.systems.sentiment.articles import Tally
from tablewright.systems.sentiment.service.books import Recount
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import hour_of, minute_of
from tablewright.testing.backends import Backend, in_process

HOUR = timedelta(hours=1)
DAY = 24 * HOUR
#: An hour ago, so that its hour is over.
PAST = NOW - HOUR / 2


async def a_day(newsroom: Newsroom) -> None:
    """Articles of all states, over three days."""
    await stored(newsroom, "one", ("AI", "Climate"), said="positive", timestamp=PAST)
    await stored(newsroom, "two", ("AI",), said="negative", timestamp=PAST)
    await stored(newsroom, "three", ("Energy",), timestamp=NOW - 5 * HOUR)
    await stored(newsroom, "four", ("AI",), said="neutral", timestamp=NOW - 3 * DAY)
    await stored(newsroom, "five", ("AI",), said="neutral", timestamp=NOW + HOUR / 60)


async def add(newsroom: Newsroom, subject: str, bucket: str, name: str, by: int) -> None:
    """A count that nobody has counted."""
    seen = Tally(subject=subject, shard=3, bucket=bucket, ttl_timestamp=NOW + 400 * DAY)
    op = update(Tally, seen.subject, seen.shard, seen.bucket).upsert()
    field = attr(getattr(Tally, name))
    await newsroom.db.run(
        op.do(field.add(by), attr(Tally.ttl_timestamp).set_if_missing(seen.ttl_timestamp))
    )


def told(found: Recount) -> list[tuple[str, str, str, int, int]]:
    return [(d.subject, d.bucket, d.name, d.articles, d.counted) for d in found.drift]


def test_what_was_written_by_transactions_agrees(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await a_day(newsroom)
            found = await newsroom.books.recount(NOW - 10 * DAY, NOW)
            assert (told(found), found.unsettled) == ([], [])
            # The article of this hour is not looked at: the hour is not over.
            assert (found.hours, found.articles) == (240, 4)
            found = await newsroom.books.recount(NOW - DAY, NOW + HOUR, closed_only=False)
            assert (told(found), found.articles, found.hours) == ([], 4, 25)

    asyncio.run(go())


@pytest.mark.parametrize(
    ("subject", "bucket"),
    [
        ("all", hour_of(PAST)),
        ("all", minute_of(PAST)),
        ("tag#ai", hour_of(PAST)),
        ("tag#energy", minute_of(NOW - 5 * HOUR)),
        ("source#bbc-news", hour_of(NOW - 3 * DAY)),
        ("source#other", hour_of(NOW - 2 * HOUR)),
    ],
)
def test_drift_is_found_and_fixed(
    tablewright_backend: Backend, clock: ManualClock, subject: str, bucket: str
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await a_day(newsroom)
            await add(newsroom, subject, bucket, "negative", 2)
            found = await newsroom.books.recount(NOW - 10 * DAY, NOW)
            assert [(d.subject, d.bucket, d.name) for d in found.drift] == [
                (subject, bucket, "negative")
            ]
            assert found.drift[0].counted - found.drift[0].articles == 2
            fixed = await newsroom.books.recount(NOW - 10 * DAY, NOW, fix=True)
            assert (fixed.fixed, fixed.drift) == (found.drift, [])
            assert told(await newsroom.books.recount(NOW - 10 * DAY, NOW)) == []
            assert fixed.as_json()["unsettled"] == []

    asyncio.run(go())


_WRONG = st.lists(
    st.tuples(
        st.sampled_from(["all", "tag#ai", "tag#climate", "source#bbc-news"]),
        st.sampled_from([hour_of(PAST), hour_of(NOW - 5 * HOUR), minute_of(PAST)]),
        st.sampled_from(["positive", "neutral", "negative"]),
        st.integers(-3, 3).filter(bool),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda each: each[:3],
)


@settings(max_examples=8, deadline=None)
@given(wrong=_WRONG)
def test_any_drift_is_found_and_fixed(wrong: list[tuple[str, str, str, int]]) -> None:
    wrong = [w for w in wrong if not (w[0].startswith("source") and w[1].startswith("m#"))]
    clock = ManualClock(START)

    async def go(backend: Backend) -> None:
        async with newsroom_on(backend, clock) as newsroom:
            await a_day(newsroom)
            for subject, bucket, name, by in wrong:
                await add(newsroom, subject, bucket, name, by)
            found = await newsroom.books.recount(NOW - DAY, NOW, fix=True)
            drift = {(d.subject, d.bucket, d.name): d.counted - d.articles for d in found.fixed}
            assert drift == {(s, b, n): by for s, b, n, by in wrong}
            assert told(await newsroom.books.recount(NOW - DAY, NOW)) == []

    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        asyncio.run(go(backend))


def test_two_who_fix_at_once_fix_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await a_day(newsroom)
            await add(newsroom, "all", hour_of(PAST), "positive", 5)
            both = await asyncio.gather(
                *(newsroom.books.recount(NOW - DAY, NOW, fix=True) for _ in range(2))
            )
            assert sum(len(each.fixed) for each in both) == 1
            assert told(await newsroom.books.recount(NOW - DAY, NOW)) == []

    asyncio.run(go())


def test_writers_at_the_same_time_lose_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await a_day(newsroom)
            await add(newsroom, "tag#ai", hour_of(PAST), "positive", -1)

            async def write() -> None:
                for number in range(30):
                    await stored(newsroom, f"new-{number}", said="negative", timestamp=PAST)

            await asyncio.gather(newsroom.books.recount(NOW - DAY, NOW, fix=True), write())
            await newsroom.books.recount(NOW - DAY, NOW, fix=True)
            found = await newsroom.books.recount(NOW - DAY, NOW)
            assert (told(found), found.unsettled, found.articles) == ([], [], 33)

    asyncio.run(go())


def test_a_correction_of_something_that_has_changed_is_refused(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            seen = Tally(subject="all", bucket=hour_of(PAST), ttl_timestamp=NOW + DAY)
            await newsroom.db.run(changes.correct_count(seen, {"positive": 1}))
            with pytest.raises(Exception, match="condition"):
                await newsroom.db.run(changes.correct_count(seen, {"positive": 1}))
            rows = await newsroom.db.run(
                reads.series("all", 0, first=seen.bucket, last=seen.bucket)
            )
            assert [row.positive for row in rows] == [1]

    asyncio.run(go())


def test_hours_whose_articles_have_ended_are_left_out(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await a_day(newsroom)
            clock.advance(29 * 86_400)
            found = await newsroom.books.recount(NOW - 5 * DAY, newsroom.now())
            assert (told(found), found.articles) == ([], 4)
            assert found.since > newsroom.now() - 30 * DAY

    asyncio.run(go())
