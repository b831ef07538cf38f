"""Two models, one of which turns every label round, and articles that the first has judged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from tests.systems.sentiment.analysis.support import Model, use
from tests.systems.sentiment.support import NOW, VADER, newsroom_on, stored

from tablewright.clock import Clock
from tablewright.model.errors import AlreadyExists
from tablewright.systems.sentiment.articles import Article, Override
from tablewright.systems.sentiment.changes import override
from tablewright.systems.sentiment.config import ModelVersion
from tablewright.systems.sentiment.reads import article_to_edit
from tablewright.systems.sentiment.samples import FINBERT
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.writes import register_model
from tablewright.testing.backends import Backend

KINDS = ("good", "bad", "dull")


@asynccontextmanager
async def comparing_on(
    backend: Backend, clock: Clock, **options: Any
) -> AsyncIterator[tuple[Newsroom, Model, Model]]:
    async with newsroom_on(backend, clock, **{"promote_slack_secs": 0, **options}) as newsroom:
        for version in (VADER, FINBERT):
            known = ModelVersion(
                model_version=version, kind="vader", checksum="0" * 64, registered_at=NOW
            )
            with suppress(AlreadyExists):
                await newsroom.db.run(register_model(known))
        old, new = Model(VADER), Model(FINBERT, turned=True)
        use(newsroom, old, new, by_settings=True)
        yield newsroom, old, new


async def judged(newsroom: Newsroom, number: int, at: datetime) -> Article:
    """An article that the active model has judged."""
    slug = f"{KINDS[number % 3]}-{number}"
    article = await stored(newsroom, slug, ("AI", "Climate"), timestamp=at)
    assert await newsroom.analyst.analyse(article.source_id, article.timestamp) == "analyzed"
    return await newsroom.db.require(article_to_edit(article.source_id, at))


async def articles(
    newsroom: Newsroom, number: int, until: datetime, an_hour: int = 3
) -> list[Article]:
    """Some an hour, up to a moment."""
    begins = until.replace(second=0, microsecond=0)
    made = []
    for each in range(number):
        hours, millis = divmod(each, an_hour)
        at = begins - timedelta(hours=hours + 1) + timedelta(milliseconds=millis)
        made.append(await judged(newsroom, each, at))
    return made


async def overridden(newsroom: Newsroom, article: Article, to: Any) -> None:
    verdict = Override(
        from_=article.sentiment or "neutral", to=to, by="user:bob", at=newsroom.now(), reason="x"
    )
    await newsroom.db.run(override(article, verdict, now=newsroom.now()))
