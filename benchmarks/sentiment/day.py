"""Two days of news, as the service would have left them: counts of all, and articles of the last.

Counts are added up here by the rules of the service and written as they would stand in the end. The
articles of the last day are written with their tags and hashes, as many as are wanted: storing each
of them in its own transactions would take hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random

from benchmarks.sentiment.store import newsroom_on
from tablewright.engine import Engine
from tablewright.model import Entity, definition
from tablewright.service.kit import kit_model
from tablewright.systems.sentiment.articles import Article, Metadata, Tally, items
from tablewright.systems.sentiment.changes import dedup_of, tag_row, tags_of
from tablewright.systems.sentiment.corpus import headlines
from tablewright.systems.sentiment.live_demo.cast import TOPICS
from tablewright.systems.sentiment.rules.publishers import slug
from tablewright.systems.sentiment.shapes import (
    HOUR_LIFE,
    MINUTE_LIFE,
    Sentiment,
    hour_of,
    minute_of,
    shard_of_article,
)
from tablewright.systems.sentiment.system import system

_DAYS = 2
_AMOUNTS = ("ingested", "positive", "neutral", "negative")
#: As many as a request may have.
_BATCH = 25


@dataclass(frozen=True)
class Piece:
    """An article, as far as it is counted."""

    number: int
    source_id: str
    sha256: str
    timestamp: datetime
    tags: tuple[str, ...]
    source_key: str
    tone: Sentiment


async def fill(engine: Engine, a_day: int, articles: int) -> None:
    """``a_day`` articles on each of two days, of which the last ``articles`` are stored."""
    newsroom = newsroom_on(engine)
    await newsroom.db.create_tables(system.model, kit_model)
    async with newsroom.lifespan():
        for name in sorted({each.source for each in headlines()}):
            await newsroom.intake.publishers.key_of(name)
        now, shards = newsroom.now(), (await newsroom.setup.current()).shards
        model = (await newsroom.setup.current()).active_model
    pieces = list(_pieces(a_day, now))
    # Whoever follows the changes has long read those of the past.
    _set_stream(engine, on=False)
    _write(engine, _tallies(pieces, shards))
    _write(engine, (row for each in pieces[:articles] for row in _rows(each, model)))
    _set_stream(engine, on=True)


def _set_stream(engine: Engine, *, on: bool) -> None:
    kind = {"StreamViewType": items.stream} if on else {}
    change = {"TableName": items.name, "StreamSpecification": {"StreamEnabled": on, **kind}}
    engine.call("UpdateTable", change)


def _pieces(a_day: int, now: datetime) -> Iterator[Piece]:
    """Evenly over the time, the latest first."""
    random, told = Random(a_day), headlines()
    step = timedelta(days=1) / a_day
    for number in range(_DAYS * a_day):
        headline = told[number % len(told)]
        digest = sha256(f"{a_day} {number}".encode()).hexdigest()
        at = now - number * step
        yield Piece(
            number,
            f"file#{digest[:16]}",
            digest,
            at.replace(microsecond=at.microsecond // 1000 * 1000),
            tuple(topic.tag for topic in random.sample(TOPICS, 2)),
            slug(headline.source),
            headline.tone,
        )


def _tallies(pieces: Iterable[Piece], shards: int) -> Iterator[Tally]:
    """What all of them count together."""
    sums: dict[tuple[str, int, str], list[int]] = {}
    ends: dict[str, datetime] = {}
    for each in pieces:
        shard = shard_of_article(each.source_id, shards)
        minute, hour = minute_of(each.timestamp), hour_of(each.timestamp)
        if minute not in ends:
            start = each.timestamp.replace(second=0, microsecond=0)
            ends[minute], ends[hour] = start + MINUTE_LIFE, start + HOUR_LIFE
        place = _AMOUNTS.index(each.tone)
        for subject in ("all", *(f"tag#{tag.casefold()}" for tag in each.tags)):
            for bucket in (minute, hour):
                found = sums.setdefault((subject, shard, bucket), [0, 0, 0, 0])
                found[place] += 1
                found[0] += subject == "all"
        key = f"source#{each.source_key}", shard, hour
        sums.setdefault(key, [0, 0, 0, 0])[place] += 1
    for (subject, shard, bucket), amounts in sums.items():
        yield Tally(
            subject=subject,
            shard=shard,
            bucket=bucket,
            ttl_timestamp=ends[bucket],
            **dict(zip(_AMOUNTS, amounts, strict=True)),
        )


def _rows(piece: Piece, model: str) -> Iterator[Entity]:
    """The article, its hash and its rows under tags."""
    told = headlines()[piece.number % len(headlines())]
    article = Article.model_validate(
        {
            "source_id": piece.source_id,
            "timestamp": piece.timestamp,
            "source_type": "file",
            "source_key": piece.source_key,
            "source_url": told.again(piece.number).url,
            "text_snippet": told.text[:200],
            "matched_tags": set(piece.tags),
            "metadata": Metadata(
                title=told.title, published_at=piece.timestamp, source_name=told.source
            ),
            "status": "analyzed",
            "queued_at": piece.timestamp,
            "sentiment": piece.tone,
            "score": "0.75",
            "polarity": "0.5",
            "model_sentiment": piece.tone,
            "model_version": model,
            "analyzed_at": piece.timestamp,
            # Taken in, and analysed.
            "version": 2,
        }
    )
    yield article
    yield dedup_of(article, piece.sha256)
    for tag in tags_of(article):
        yield tag_row(article, tag)


def _write(engine: Engine, rows: Iterable[Entity]) -> None:
    """Straight to the engine: what is written here is new, and need not be checked."""
    requests: list[dict[str, object]] = []

    def send() -> None:
        if requests:
            engine.call("BatchWriteItem", {"RequestItems": {items.name: requests}})

    for row in rows:
        requests.append({"PutRequest": {"Item": definition(row).encode(row)}})
        if len(requests) == _BATCH:
            send()
            requests = []
    send()
