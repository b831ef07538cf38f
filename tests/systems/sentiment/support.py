"""A newsroom on a database of its own, and articles for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from tablewright.client import RequestEvent, Retries
from tablewright.clock import Clock
from tablewright.model import put
from tablewright.model.errors import AlreadyExists
from tablewright.service.auth import Principal
from tablewright.service.kit import kit_model
from tablewright.service.problems import Problem
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.sentiment import changes, config_reads, reads, upkeep_reads
from tablewright.systems.sentiment.articles import Article, Metadata, TagRow
from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.samples import NOW, VADER, analysis, topic
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import SHARDS, Sentiment, hour_of, minute_of
from tablewright.systems.sentiment.system import system
from tablewright.systems.sentiment.writes import create_watch, install_settings
from tablewright.testing.backends import Backend

__all__ = ["NOW", "VADER", "analysis", "topic"]

START = NOW.timestamp()
#: The topics of a newsroom, unless a test names others.
TOPICS = (topic("AI", "artificial intelligence"), topic("Climate"), topic("Energy", "grid"))
#: Gives up soon, for tests in which the store is away.
QUICK = Retries(attempts=2, budget=0.2, base=0.001, cap=0.005)


def person(name: str, *roles: str) -> Principal:
    return Principal(id=f"user:{name}", name=name, kind="user", roles=frozenset(roles))


ADMIN = person("ann", "admin")
ANALYST = person("bob", "analyst")
OPERATOR = person("cid", "operator")
VIEWER = person("dee", "viewer")


@asynccontextmanager
async def newsroom_on(
    backend: Backend,
    clock: Clock,
    *topics: Watch,
    heard: list[RequestEvent] | None = None,
    quick: bool = False,
    opened: bool = False,
    **options: object,
) -> AsyncIterator[Newsroom]:
    """The use cases of one process, with settings and topics; ``options`` are sentiment's own.

    ``heard`` gets all requests to the store, from here on; ``opened`` is inside the lifespan.
    """
    environ = {
        f"TABLEWRIGHT_SENTIMENT_{name.upper()}": str(value) for name, value in options.items()
    }
    transport = backend.async_transport()
    try:
        runtime = runtime_of(
            system,
            transport,
            Settings(),
            clock=clock,
            environ=environ,
            names=backend.physical if backend.prefix else None,
        )
        await runtime.db.create_tables(system.model, kit_model)
        if quick:
            runtime.db.context = replace(runtime.db.context, retries=QUICK)
        newsroom = Newsroom(runtime)
        await newsroom.db.run(install_settings(VADER))
        await watch(newsroom, *(topics or TOPICS))
        if heard is not None:
            newsroom.db.context = replace(newsroom.db.context, hook=heard.append)
        if not opened:
            yield newsroom
            return
        async with newsroom.lifespan():
            yield newsroom
    finally:
        await transport.close()


async def watch(newsroom: Newsroom, *topics: Watch) -> None:
    """Follow these topics, too; those of an earlier start are there already."""
    known = {each.watch_tag for each in await newsroom.db.run(config_reads.watches())}
    for each in topics:
        if each.watch_tag not in known:
            await newsroom.db.run(create_watch(each))


async def refused(work: Coroutine[Any, Any, object]) -> Problem:
    """The problem that something ends with."""
    with pytest.raises(Problem) as caught:
        await work
    return caught.value


# --- articles ------------------------------------------------------------------------------------


def record(slug: str = "ai-wins-a-prize", **said: Any) -> Record:
    """What a source gives: an article whose title is its slug."""
    given: dict[str, Any] = {
        "title": slug.replace("-", " ").capitalize(),
        "text": f"{slug.replace('-', ' ')}, as told by those who were there.",
        "url": f"https://news.example/2026/{slug}",
        "source": "BBC News",
        "author": None,
        "published_at": NOW - timedelta(minutes=20),
        "own_tag": None,
        **said,
    }
    return Record(**given)


def article(slug: str, tags: Iterable[str] = ("AI",), **changes: Any) -> Article:
    """A pending article that came in now, or when its timestamp says."""
    at = changes.pop("timestamp", NOW)
    made = Article(
        source_id=f"newsapi#{hash_of(slug)[:16]}",
        timestamp=at,
        source_type="newsapi",
        source_key=changes.pop("source_key", "bbc-news"),
        source_url=f"https://news.example/2026/{slug}",
        text_snippet=f"{slug.replace('-', ' ')}, as told by those who were there.",
        matched_tags=set(tags),
        metadata=Metadata(
            title=slug.replace("-", " ").capitalize(),
            published_at=NOW - timedelta(minutes=20),
            source_name="BBC News",
        ),
        queued_at=changes.pop("queued_at", at),
    )
    return made.model_copy(update=changes)


def hash_of(slug: str) -> str:
    return sha256(f"news.example/2026/{slug}".encode()).hexdigest()


async def stored(
    newsroom: Newsroom,
    slug: str,
    tags: Iterable[str] = ("AI",),
    *,
    said: Sentiment | None = None,
    compound: str = "0",
    **changes_: Any,
) -> Article:
    """An article that is there: pending, or with a tone. Gives it as it is stored."""
    made = article(slug, tags, **changes_)
    with suppress(AlreadyExists):
        await newsroom.db.run(changes.ingest(made, hash_of(slug), now=newsroom.now()))
    found = await newsroom.db.require(reads.article_to_analyse(made.source_id, made.timestamp))
    if said is None:
        return found
    verdict = analysis(said, compound, newsroom.now())
    await newsroom.db.run(changes.analyse(found, verdict, now=newsroom.now()))
    return await newsroom.db.require(reads.article_to_analyse(made.source_id, made.timestamp))


async def put_articles(newsroom: Newsroom, articles: Iterable[Article]) -> None:
    """Articles alone, without tags, hashes and counts."""
    for each in articles:
        await newsroom.db.run(put(each.model_copy(update={"version": 0})))


# --- books ---------------------------------------------------------------------------------------

AMOUNTS = ("ingested", "positive", "neutral", "negative", "unjudged")


async def all_articles(newsroom: Newsroom) -> list[Article]:
    """Every article there is, in whatever state."""
    found: list[Article] = []
    for status in ("pending", "analyzed", "failed", "unjudged"):
        found += [each async for each in newsroom.db.iterate(reads.articles_with_status(status))]
    return found


async def tag_rows(newsroom: Newsroom) -> list[TagRow]:
    return [each async for each in newsroom.db.iterate(upkeep_reads.every_tag_row())]


async def counted(newsroom: Newsroom, subject: str, bucket: str) -> dict[str, int]:
    """What a count says in a minute or an hour, over all its shards; zeros are left out."""
    sums: Counter[str] = Counter()
    for shard in range(SHARDS):
        for row in await newsroom.db.run(reads.series(subject, shard, first=bucket, last=bucket)):
            sums.update({name: getattr(row, name) for name in AMOUNTS})
    return {name: amount for name, amount in sums.items() if amount}


async def check_books(newsroom: Newsroom) -> list[Article]:
    """Rows and counts are what the articles say, no more and no less; gives the articles."""
    articles = await all_articles(newsroom)
    rows = {(row.source_id, row.tag): row for row in await tag_rows(newsroom)}
    expected: dict[tuple[str, str], Counter[str]] = {}
    for each in articles:
        for subject, bucket, name in _countings(each):
            expected.setdefault((subject, bucket), Counter())[name] += 1
        for tag in changes.tags_of(each):
            row = rows.pop((each.source_id, tag))
            assert (row.tag_sentiment, row.tag_score) == (each.sentiment, each.score), row
    assert not rows, "tag rows without an article"
    for (subject, bucket), sums in expected.items():
        assert await counted(newsroom, subject, bucket) == dict(sums), (subject, bucket)
    return articles


def _countings(each: Article) -> Iterable[tuple[str, str, str]]:
    minute, hour = minute_of(each.timestamp), hour_of(each.timestamp)
    yield from (("all", bucket, "ingested") for bucket in (minute, hour))
    counts_as = "unjudged" if each.status == "unjudged" else each.sentiment
    if counts_as is not None:
        for subject in ("all", *(f"tag#{tag}" for tag in changes.tags_of(each))):
            yield from ((subject, bucket, counts_as) for bucket in (minute, hour))
        yield f"source#{each.source_key}", hour, counts_as
