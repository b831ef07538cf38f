"""Which articles are wanted, and how a list shows one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from tablewright.systems.sentiment.articles import Article, TagRow
from tablewright.systems.sentiment.rules.figures import Figures, figures_of
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.shapes import Sentiment, Status

#: Words of a search; more are of no use to anybody.
MOST_WORDS = 10


def plain(text: str) -> str:
    """A text as it is searched: neither case nor ways to write a letter count."""
    return unicodedata.normalize("NFKC", text).casefold()


def words_of(text: str | None) -> tuple[str, ...]:
    return tuple(plain(text or "").split())[:MOST_WORDS]


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """What is wanted; None is everything. A tag is in the form that keys have."""

    sentiment: Sentiment | None = None
    tag: str | None = None
    source: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()
    status: Status | None = None

    @property
    def waiting(self) -> bool:
        """What has no tone: its status finds it."""
        return self.status in ("pending", "failed", "unjudged")

    @property
    def picky(self) -> bool:
        """Whether more has to be read than is wanted: no index is made for all of it."""
        by_tag = self.tag is not None and not self.waiting
        return bool(
            self.words
            or self.source
            or (self.waiting and (self.tag or self.sentiment))
            or (by_tag and (self.sentiment or self.status))
        )

    def within(self, span: Span) -> ArticleFilter:
        return replace(self, since=span.since, until=span.until)


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article in a list. What the index by tag does not hold is None."""

    source_id: str
    timestamp: datetime
    title: str
    source_key: str
    source_name: str
    source_url: str | None
    sentiment: Sentiment | None
    score: Decimal | None
    status: Status | None
    tags: tuple[str, ...] | None
    snippet: str | None
    overridden: bool | None
    language: str | None = None

    @property
    def is_counted(self) -> bool:
        """Whether figures contain the article: it has a tone, or cannot have one."""
        return self.sentiment is not None or self.status == "unjudged"

    @property
    def figures(self) -> Figures:
        return figures_of(self.sentiment, unjudged=self.status == "unjudged")


def row_of(article: Article) -> ArticleRow:
    return ArticleRow(
        article.source_id,
        article.timestamp,
        article.metadata.title,
        article.source_key,
        article.metadata.source_name,
        article.source_url,
        article.sentiment,
        article.score,
        article.status,
        tuple(sorted(article.matched_tags)),
        article.text_snippet,
        article.override is not None,
        article.language,
    )


def row_of_tag(row: TagRow) -> ArticleRow:
    """Whether one without a tone waits or has failed, the tag's row does not know."""
    return ArticleRow(
        row.source_id,
        row.ingested_at,
        row.title,
        row.source_key,
        row.source_name,
        row.source_url,
        row.tag_sentiment,
        row.tag_score,
        "analyzed" if row.tag_sentiment else "unjudged" if row.tag_unjudged else None,
        None,
        None,
        None,
    )


def fits(row: ArticleRow, wanted: ArticleFilter) -> bool:
    """Whether a row that an index gave is wanted in all other respects."""
    return (
        (wanted.sentiment is None or row.sentiment == wanted.sentiment)
        and (wanted.source is None or row.source_key == wanted.source)
        and (wanted.status is None or row.status == wanted.status)
        and (row.tags is None or _tagged(row.tags, wanted.tag))
        and (not wanted.words or _says(row, wanted.words))
    )


def _tagged(tags: tuple[str, ...], tag: str | None) -> bool:
    return tag is None or any(each.casefold() == tag for each in tags)


def _says(row: ArticleRow, words: tuple[str, ...]) -> bool:
    text = plain(f"{row.title} {row.snippet or ''}")
    return all(word in text for word in words)
