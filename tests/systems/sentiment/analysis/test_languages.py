"""Articles in languages that the model in use does not cover."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.systems.sentiment.analysis.support import use
from tests.systems.sentiment.api_support import api_on
from tests.systems.sentiment.jobs.support import comparing_on
from tests.systems.sentiment.support import ADMIN, NOW, check_books, newsroom_on, record

from tablewright.clock import ManualClock
from tablewright.systems.sentiment.analysers.vader import Vader
from tablewright.systems.sentiment.reads import article_page
from tablewright.systems.sentiment.rules.filters import ArticleFilter
from tablewright.systems.sentiment.rules.languages import detect_language, identifier, is_covered
from tablewright.systems.sentiment.rules.spans import DAY, MINUTE, Span
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend

GERMAN = {
    "title": "AI: Die Regierung plant neue Regeln",
    "text": "Die Minister haben am Dienstag in Berlin dar\u00fcber gesprochen.",
}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Battery fire on the ferry injures two sailors", "en"),
        ("The grid was stable all night. Nobody was hurt.", "en"),
        ("Verheerendes Erdbeben fordert hunderte Tote", "de"),
        ("Inundaciones en Valencia dejan 200 muertos", "es"),
        ("Gr\u00e8ve \u00e0 la SNCF: trafic perturb\u00e9", "fr"),
        ("\ubd81\ud55c \ubbf8\uc0ac\uc77c \ubc1c\uc0ac", "ko"),
        # Names and figures alone say nothing clear.
        ("Tesla 8%", None),
        ("Biden, Xi meet in Lima", None),
        ("", None),
        ("\u2014 2026!", None),
    ],
)
def test_language_is_named_only_when_it_is_clear(text: str, language: str | None) -> None:
    assert detect_language(text) == language


def test_text_without_clear_language_is_covered_by_every_model() -> None:
    english = frozenset({"en"})
    assert is_covered(None, english)
    assert is_covered("de", None)
    assert not is_covered("de", english)


async def take(newsroom: Newsroom, **how: bool) -> str:
    (outcome,) = await newsroom.intake.take(
        [record("german", **GERMAN)],  # type: ignore[arg-type]
        source_type="rss",
        **how,
    )
    assert outcome.result == "ingested"
    assert outcome.article_id
    return outcome.article_id


def test_article_in_another_language_is_counted_without_a_tone(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Vader())
            source_id = await take(newsroom)
            assert await newsroom.analyst.analyse(source_id, NOW) == "unjudged"
            article = (await newsroom.db.run(article_page(source_id))).article
            assert article
            assert (article.status, article.language) == ("unjudged", "de")
            assert (article.sentiment, article.score) == (None, None)
            await check_books(newsroom)
            span = Span(NOW - DAY, NOW + MINUTE)
            for of in ({}, {"tag": "ai"}, {"source": "bbc-news"}, {"words": ("regierung",)}):
                figures = (await newsroom.counts.overview(span, **of)).figures
                assert (figures.articles, figures.unjudged, figures.index) == (1, 1, None)
                assert figures.pending == 0
            share = await newsroom.counts.share(span, "tag")
            assert share.shares[0].figures.articles == 1
            # Lists show it, and say why it has no tone.
            for wanted in (ArticleFilter(), ArticleFilter(tag="ai")):
                found = await newsroom.articles.find(wanted)
                assert [(each.status, each.sentiment) for each in found.rows] == [
                    ("unjudged", None)
                ]
            recount = await newsroom.books.recount(
                NOW - timedelta(hours=2), NOW + timedelta(hours=1), closed_only=False
            )
            assert (recount.articles, recount.drift) == (1, [])

    asyncio.run(go())


def test_article_of_the_past_in_another_language_is_counted_without_a_tone(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            use(newsroom, Vader())
            await take(newsroom, as_published=True)
            (article,) = await check_books(newsroom)
            assert (article.status, article.language) == ("unjudged", "de")

    asyncio.run(go())


def test_model_that_covers_all_languages_judges_what_was_left(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with comparing_on(engine_backend, clock) as (newsroom, old, new):
            old.languages = frozenset({"en"})  # type: ignore[attr-defined]
            source_id = await take(newsroom)
            assert await newsroom.analyst.analyse(source_id, NOW) == "unjudged"
            job = await newsroom.jobs.start(new.version, NOW - DAY, NOW, ADMIN)
            await newsroom.jobs.work()
            await newsroom.jobs.promote(job.job_id, ADMIN)
            await newsroom.jobs.work()
            assert (await newsroom.jobs.get(job.job_id)).state == "promoted"
            await check_books(newsroom)
            assert await newsroom.analyst.analyse(source_id, NOW) == "analyzed"
            (article,) = await check_books(newsroom)
            assert (article.status, article.sentiment) == ("analyzed", "neutral")
            assert article.model_version == new.version

    asyncio.run(go())


def test_language_model_is_loaded_before_the_first_request(
    engine_backend: Backend, clock: ManualClock
) -> None:
    identifier.cache_clear()

    async def go() -> None:
        async with api_on(engine_backend, clock):
            assert identifier.cache_info().currsize == 1

    asyncio.run(go())
