"""Rows that have lost what they belong to.

Every row is written in one transaction with its article and ends when it does, so there should be
none. What looks lost is asked for once more, strongly: it may have ended while it was looked at.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from tablewright.systems.sentiment.articles import Article, Dedup, ModelResult, TagRow
from tablewright.systems.sentiment.changes import tags_of
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE
from tablewright.systems.sentiment.upkeep_reads import (
    articles_to_check,
    every_article,
    every_hash,
    every_result,
    every_tag_row,
    tag_row_to_check,
    tag_rows_to_check,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

T = TypeVar("T")
#: Keys of one request.
_BATCH = 100
#: What is listed of each kind; all are counted.
_LISTED = 1000


@dataclass
class Findings:
    """What was looked at, and what is wrong with it."""

    looked_at: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    #: The first of each kind: ``newsapi#… 2026-… tag``.
    found: dict[str, list[str]] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        return not any(self.counts.values())

    def note(self, kind: str, what: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        listed = self.found.setdefault(kind, [])
        if len(listed) < _LISTED:
            listed.append(what)

    def as_json(self) -> dict[str, object]:
        return {"looked_at": self.looked_at, "counts": self.counts, "found": self.found}


class Checking:
    """One look at the whole table."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._db = newsroom.db
        self._findings = Findings()

    async def run(self) -> Findings:
        await self._each("articles", every_article(), self._articles)
        await self._each("tag_rows", every_tag_row(), self._tag_rows)
        await self._each("results", every_result(), self._results)
        await self._each("hashes", every_hash(), self._hashes)
        return self._findings

    async def _each(self, name: str, op: Any, look: Callable[[list[Any]], Any]) -> None:
        looked_at = 0
        async for some in _batches(self._db.iterate(op)):
            looked_at += len(some)
            await look(some)
        self._findings.looked_at[name] = looked_at

    async def _articles(self, articles: Sequence[Article]) -> None:
        """Each has a row for every tag, which tells the same tone."""
        keys = [(each, tag) for each in articles for tag in tags_of(each)]
        rows: list[TagRow | None] = []
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            op = tag_rows_to_check([(a.source_id, a.timestamp, tag) for a, tag in some])
            rows += await self._db.run(op)
        for (article, tag), row in zip(keys, rows, strict=True):
            if row is None or (row.tag_sentiment, row.tag_score) != _said(article):
                await self._doubtful(article, tag)

    async def _doubtful(self, article: Article, tag: str) -> None:
        """The article may have been changed, or have ended, since the scan saw it."""
        (now,) = await self._db.run(articles_to_check([(article.source_id, article.timestamp)]))
        row = await self._db.run(tag_row_to_check(article.source_id, article.timestamp, tag))
        if now is None or self._ended(now.timestamp):
            return
        name = _name(article.source_id, article.timestamp, tag)
        if row is None:
            self._findings.note("article_without_tag_row", name)
        elif (row.tag_sentiment, row.tag_score) != _said(now):
            self._findings.note("tag_row_tells_otherwise", name)

    async def _tag_rows(self, rows: Sequence[TagRow]) -> None:
        for row in await self._orphans(rows, lambda each: (each.source_id, each.ingested_at)):
            name = _name(row.source_id, row.ingested_at, row.tag)
            self._findings.note("tag_row_without_article", name)

    async def _results(self, rows: Sequence[ModelResult]) -> None:
        for row in await self._orphans(rows, lambda each: (each.source_id, each.ingested_at)):
            name = _name(row.source_id, row.ingested_at, row.model_version)
            self._findings.note("result_without_article", name)

    async def _hashes(self, rows: Sequence[Dedup]) -> None:
        """A hash outlives its article by a week."""
        living = [row for row in rows if not self._ended(row.article_ts)]
        for row in await self._orphans(living, lambda each: (each.article_id, each.article_ts)):
            name = _name(row.article_id, row.article_ts, row.sha256)
            self._findings.note("hash_without_article", name)

    async def _orphans(
        self, rows: Sequence[T], key: Callable[[T], tuple[str, datetime]]
    ) -> list[T]:
        if not rows:
            return []
        # A batch takes no key twice.
        keys = list(dict.fromkeys(map(key, rows)))
        found = dict(zip(keys, await self._db.run(articles_to_check(keys)), strict=True))
        lost = (row for row in rows if found[key(row)] is None)
        return [row for row in lost if not self._ended(key(row)[1])]

    def _ended(self, timestamp: datetime) -> bool:
        return timestamp + ARTICLE_LIFE <= self._newsroom.now()


def _said(article: Article) -> tuple[object, object]:
    return article.sentiment, article.score


def _name(source_id: str, timestamp: datetime, rest: str) -> str:
    return f"{source_id} {moment_text(timestamp)} {rest}"


async def _batches(rows: AsyncIterator[T]) -> AsyncIterator[list[T]]:
    some: list[T] = []
    async for row in rows:
        some.append(row)
        if len(some) == _BATCH:
            yield some
            some = []
    if some:
        yield some
