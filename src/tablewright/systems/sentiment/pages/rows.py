"""Articles in lists, whether they were there or have just come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tablewright.systems.sentiment.pages.paths import item_path
from tablewright.systems.sentiment.rules.filters import ArticleRow
from tablewright.systems.sentiment.rules.ids import shown_id, source_id_of
from tablewright.systems.sentiment.rules.languages import language_name
from tablewright.systems.sentiment.rules.moments import moment_text


@dataclass(frozen=True)
class Line:
    """An article as a list shows it."""

    row: ArticleRow
    tags: Sequence[str]

    @property
    def id(self) -> str:
        return f"article-{shown_id(self.row.source_id)}"

    @property
    def language(self) -> str:
        return language_name(self.row.language)

    @property
    def path(self) -> str:
        return item_path(self.row.source_id)

    @property
    def order(self) -> str:
        """Lists have the greatest first."""
        return moment_text(self.row.timestamp)


def line_of(row: ArticleRow, tag: str | None = None) -> Line:
    """The index by tag knows one tag only: the one that was asked for."""
    return Line(row, row.tags if row.tags is not None else [tag] if tag else [])


def row_told(data: Mapping[str, Any]) -> ArticleRow | None:
    """The article that an event tells of; see ``service.live.telling``."""
    source_id = source_id_of(str(data.get("id", "")))
    if source_id is None:
        return None
    return ArticleRow(
        source_id=source_id,
        timestamp=datetime.fromisoformat(data["timestamp"]),
        title=data["title"],
        source_key=data["source_key"],
        source_name=data["source_name"],
        source_url=data["url"],
        sentiment=data["sentiment"],
        score=data["score"],
        status=data.get("status", "analyzed"),
        tags=tuple(data["tags"]),
        # Events of an earlier version have none.
        snippet=data.get("snippet"),
        overridden=data["overridden"],
        language=data.get("language"),
    )
