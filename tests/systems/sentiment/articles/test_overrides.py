"""Verdicts of people, and what they do to counts."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.systems.sentiment.support import (
    ADMIN,
    ANALYST,
    NOW,
    check_books,
    newsroom_on,
    refused,
    stored,
)

from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend

DAY = timedelta(days=1)
SPAN = Span(NOW - DAY, NOW + timedelta(minutes=1))


async def log(newsroom: Newsroom) -> list[AuditEntry]:
    return list(await audit.entries(newsroom.db, until=NOW + DAY))


def test_scenario_12_two_editors(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Two editors override: one 412, counters exact, audited."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = await stored(newsroom, "one", ("AI", "Climate"), said="positive")
            both = await asyncio.gather(
                *(
                    newsroom.overrides.set(made.source_id, to, "Irony", by, made.version)
                    for to, by in (("negative", ANALYST), ("neutral", ADMIN))
                ),
                return_exceptions=True,
            )
            (won,) = (each for each in both if isinstance(each, Article))
            (lost,) = (each for each in both if isinstance(each, Problem))
            assert (lost.status, lost.code) == (412, "STALE_VERSION")
            assert won.override is not None
            assert won.override.from_ == "positive"
            assert (won.sentiment, won.model_sentiment) == (won.override.to, "positive")
            assert (won.score, won.version) == (made.score, made.version + 1)
            await check_books(newsroom)
            for of_what in ({}, {"tag": "ai"}, {"tag": "climate"}, {"source": "bbc-news"}):
                figures = (await newsroom.counts.overview(SPAN, **of_what)).figures
                assert (figures.positive, figures.of(won.override.to), figures.analysed) == (
                    0,
                    1,
                    1,
                )
            (entry,) = await log(newsroom)
            assert (entry.actor, entry.action) == (won.override.by, "article.override")
            assert entry.subject == f"article/{made.source_id.replace('#', ':')}"
            assert entry.detail == {"from": "positive", "to": won.sentiment, "reason": "Irony"}

    asyncio.run(go())


def test_there_and_back(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = await stored(newsroom, "one", said="positive")
            key = made.source_id
            first = await newsroom.overrides.set(key, "negative", "Irony", ANALYST, made.version)
            same = await newsroom.overrides.set(key, "negative", "Yes", ADMIN, first.version)
            assert same.override is not None
            assert (same.override.from_, same.override.reason) == ("negative", "Yes")
            await check_books(newsroom)
            clear = await newsroom.overrides.clear(key, ANALYST, same.version)
            assert (clear.sentiment, clear.override) == ("positive", None)
            await check_books(newsroom)
            # Nothing to clear: nothing is written.
            again = await newsroom.overrides.clear(key, ANALYST)
            assert again == clear
            assert (await refused(newsroom.overrides.clear(key, ANALYST, 1))).status == 412
            assert [entry.action for entry in await log(newsroom)].count("article.override") == 2
            assert len(await log(newsroom)) == 3
            history = await newsroom.overrides.history(key)
            assert {(each.after, each.reason) for each in history} == {
                ("negative", "Irony"),
                ("negative", "Yes"),
                ("positive", ""),
            }

    asyncio.run(go())


def test_what_cannot_be_overridden(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = await stored(newsroom, "one")
            overrides, key = newsroom.overrides, made.source_id
            problem = await refused(overrides.set(key, "neutral", "", ANALYST, made.version))
            assert (problem.status, problem.code) == (409, "NOT_ANALYZED")
            problem = await refused(overrides.clear(key, ANALYST))
            assert (problem.status, problem.code) == (409, "NOT_ANALYZED")
            problem = await refused(overrides.set("rss#none", "neutral", "", ANALYST, 1))
            assert problem.status == 404
            unsaid = await refused(overrides.set(key, "neutral", "", ANALYST, Precondition()))
            assert (unsaid.status, unsaid.code) == (428, "PRECONDITION_REQUIRED")
            clock.advance(30 * 86_400)
            problem = await refused(overrides.set(key, "neutral", "", ANALYST, made.version))
            assert problem.status == 404
            assert await log(newsroom) == []

    asyncio.run(go())


def test_many_editors_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Each on an article of its own, all counted in the same rows: none is lost."""

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            made = [await stored(newsroom, f"a-{n}", said="positive") for n in range(12)]
            await asyncio.gather(
                *(
                    newsroom.overrides.set(a.source_id, "negative", "", ANALYST, a.version)
                    for a in made
                )
            )
            await check_books(newsroom)
            assert (await newsroom.counts.overview(SPAN)).figures.negative == 12

    asyncio.run(go())
