"""The demo, through the use cases. A second attempt finds what the first one has left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import TransactionCancelled
from tablewright.service.problems import Problem
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.changes import MAX_ATTEMPTS
from tablewright.systems.sentiment.corpus import Headline, headlines
from tablewright.systems.sentiment.live_demo.cast import (
    ADMIN,
    ANALYST,
    ERROR,
    POISON,
    REASONS,
    RULES,
    SOURCES,
    TOPICS,
)
from tablewright.systems.sentiment.live_demo.past import raise_alerts
from tablewright.systems.sentiment.service.intake.candidates import Candidate, candidates

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Headlines that are taken together.
_PAGE = 200
#: Verdicts of the analyst, on the latest articles that the model got wrong.
_VERDICTS = 12
_HOUR = timedelta(hours=1)


async def fill(newsroom: Newsroom) -> None:
    """Topics, sources, a month of articles, verdicts, alerts, a comparison, and two failures."""
    now = newsroom.now()
    await newsroom.setup.install()
    await _configure(newsroom)
    found = await _take(newsroom, now)
    await _fail(newsroom, now)
    await _judge(newsroom, found)
    await _watch(newsroom)
    await _compare(newsroom, now)


async def _configure(newsroom: Newsroom) -> None:
    for topic in TOPICS:
        with _made_before("TAG_EXISTS"):
            await newsroom.watches.create(topic, ADMIN)
    for source in SOURCES:
        with _made_before("ALREADY_EXISTS"):
            await newsroom.sources.create(source, ADMIN)


async def _take(newsroom: Newsroom, now: datetime) -> list[tuple[str, Headline]]:
    """A month of news as it was published; gives the articles by their ids, the oldest first."""
    told = headlines()
    found: list[tuple[str, Headline]] = []
    for start in range(0, len(told), _PAGE):
        some = told[start : start + _PAGE]
        records = [each.record(now) for each in some]
        outcomes = await newsroom.intake.take(records, source_type="file", as_published=True)
        for headline, outcome in zip(some, outcomes, strict=True):
            if outcome.article_id is not None:
                found.append((outcome.article_id, headline))
    return found


async def _fail(newsroom: Newsroom, now: datetime) -> None:
    """Articles that have failed three times by now."""
    matcher = await newsroom.watches.matcher()
    shards = (await newsroom.setup.current()).shards
    for hours, record in enumerate(POISON, start=2):
        dated = replace(record, published_at=now - hours * _HOUR)
        (made,) = candidates([dated], matcher, "file", now=now, as_published=True)
        assert isinstance(made, Candidate)
        key = await newsroom.intake.publishers.key_of(record.source)
        failed = {"status": "failed", "attempts": MAX_ATTEMPTS, "error_code": ERROR}
        article = made.article(key, now).model_copy(update=failed)
        with suppress(TransactionCancelled):
            await newsroom.db.run(changes.ingest(article, made.sha256, now=now, shards=shards))


async def _judge(newsroom: Newsroom, found: list[tuple[str, Headline]]) -> None:
    """An analyst corrects the model where it is wrong."""
    verdicts = 0
    for article_id, headline in reversed(found):
        if verdicts >= _VERDICTS:
            return
        article = (await newsroom.articles.item(article_id)).article
        if article.model_sentiment in (None, headline.tone):
            continue
        verdicts += 1
        if article.override is None:
            reason = REASONS[headline.tone]
            await newsroom.overrides.set(
                article_id, headline.tone, reason, ANALYST, article.version
            )


async def _watch(newsroom: Newsroom) -> None:
    """Rules of alerts, and what they would have told in the last days."""
    known = {each.name: each for each in await newsroom.alerts.rules()}
    for given in RULES:
        rule = known.get(given["name"]) or await newsroom.alerts.create(given, ANALYST)
        if rule.last_fired_at is None:
            await raise_alerts(newsroom, rule)


async def _compare(newsroom: Newsroom, now: datetime) -> None:
    """The other model that comes with the program, on the last week."""
    if await newsroom.jobs.list(limit=1):
        return
    active = (await newsroom.setup.current()).active_model
    others = [each for each in newsroom.models.bundled() if each.model_version != active]
    for other in others[:1]:
        await newsroom.jobs.start(other.model_version, now - timedelta(days=7), now, ADMIN)
        await newsroom.jobs.work()


@contextmanager
def _made_before(code: str) -> Iterator[None]:
    """An earlier attempt has done it already."""
    try:
        yield
    except Problem as problem:
        if problem.code != code:
            raise
