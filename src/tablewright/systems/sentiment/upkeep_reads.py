"""What an administrator reads to check and to mend; nothing else reads the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tablewright.model import (
    Get,
    Rate,
    batch,
    get,
    scan,
)
from tablewright.systems.sentiment.articles import (
    Article,
    Dedup,
    ModelResult,
    TagRow,
)
from tablewright.systems.sentiment.shapes import (
    SourceId,
    Tag,
)


@scan(TagRow, admin=True, component="fsck")
def every_tag_row() -> None:
    """All tag rows, to find those without an article. [19]"""


@scan(ModelResult, admin=True, component="fsck")
def every_result() -> None:
    """All results of models, to find those without an article. [19]"""


@scan(Dedup, admin=True, component="fsck")
def every_hash() -> None:
    """All hashes, to find those whose article is missing before its time. [19]"""


@scan(Article, admin=True, component="fsck")
def every_article() -> None:
    """All articles, to find those without a row for one of their tags. [19]"""


@get(Article, consistent=True, component="fsck", rate=Rate(0.0001))
def article_to_check(source_id: SourceId, timestamp: datetime) -> None:
    """Whether an article is there. [19]"""


@get(TagRow, consistent=True, component="fsck", rate=Rate(0.0001))
def tag_row_to_check(source_id: SourceId, ingested_at: datetime, tag: Tag) -> None:
    """Whether an article has a row for a tag. [19]"""


@batch(component="fsck", rate=Rate(0.0001), expect=100)
def articles_to_check(keys: Sequence[tuple[str, datetime]]) -> list[Get[Article]]:
    """Which of these articles are there. [19]"""
    return [article_to_check(source_id, timestamp) for source_id, timestamp in keys]


@batch(component="fsck", rate=Rate(0.0001), expect=100)
def tag_rows_to_check(keys: Sequence[tuple[str, datetime, str]]) -> list[Get[TagRow]]:
    """Which of these rows are there. [19]"""
    return [tag_row_to_check(source_id, at, tag) for source_id, at, tag in keys]
