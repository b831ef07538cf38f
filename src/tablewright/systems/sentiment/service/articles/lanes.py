"""The queries that a list is merged from, each from where it was left."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from tablewright.client import AsyncDb
from tablewright.client.cursors import write_cursor
from tablewright.model import Entity, definition
from tablewright.model.ops import Query
from tablewright.model.requests import start_key
from tablewright.systems.sentiment.articles import Article, TagRow
from tablewright.systems.sentiment.reads import (
    articles_by_sentiment,
    articles_by_tag,
    articles_of_rows,
    articles_with_status,
    recent_articles,
)
from tablewright.systems.sentiment.rules.filters import (
    ArticleFilter,
    ArticleRow,
    row_of,
    row_of_tag,
)
from tablewright.systems.sentiment.shapes import Sentiment
from tablewright.values import Item

E = TypeVar("E", bound=Entity)

#: Where a query stands: nothing is read yet, after an item, or at its end.
Place: TypeAlias = Item | Literal["begin", "end"]
BEGIN: Final = "begin"
END: Final = "end"
_TONES: tuple[Sentiment, ...] = ("positive", "neutral", "negative")


@dataclass(frozen=True, slots=True)
class Entry(Generic[E]):
    """A row, and what it was made from."""

    row: ArticleRow
    entity: E


class Lane(Generic[E]):
    """One query, read ahead."""

    def __init__(self, db: AsyncDb, op: Any, kind: type[E]) -> None:
        assert isinstance(op, Query)
        self._db = db
        self._op: Query[E] = op
        self._kind = kind
        self._cursor: str | None = None
        self._at_end = False
        self._begun: Place = BEGIN
        self._taken: E | None = None
        self.entries: deque[Entry[E]] = deque()

    def begin(self, place: Place) -> None:
        """Go on where somebody has stopped."""
        self._begun = place
        self._at_end = place == END
        if isinstance(place, dict):
            op, key = self._op, self._db.context.cursor_key
            self._cursor = write_cursor(key, op.pattern, op.selection, place)

    @property
    def dry(self) -> bool:
        """Whether more has to be read to know what comes next."""
        return not self.entries and not self._at_end

    @property
    def ended(self) -> bool:
        return not self.entries and self._at_end

    async def fill(self, count: int) -> int:
        """Read on; gives how many rows that were."""
        page = await self._db.run(self._op, limit=count, cursor=self._cursor)
        self._cursor, self._at_end = page.cursor, page.cursor is None
        self.entries.extend(await self._entries(list(page)))
        return len(page)

    def take(self) -> ArticleRow:
        entry = self.entries.popleft()
        self._taken = entry.entity
        return entry.row

    @property
    def place(self) -> Place:
        """After what was taken last."""
        if self.ended:
            return END
        return self._begun if self._taken is None else self._after(self._taken)

    async def _entries(self, found: list[E]) -> list[Entry[E]]:
        return [Entry(self._row(each), each) for each in found]

    def _row(self, each: E) -> ArticleRow:
        assert isinstance(each, Article)
        return row_of(each)

    def _after(self, each: E) -> Item:
        return start_key(self._op.selection, definition(self._kind).encode(each))


class TagLane(Lane[TagRow]):
    """The rows of a tag; whole articles, if words are looked for."""

    def __init__(self, db: AsyncDb, op: Any, *, whole: bool) -> None:
        super().__init__(db, op, TagRow)
        self._whole = whole

    def _row(self, each: TagRow) -> ArticleRow:
        return row_of_tag(each)

    async def _entries(self, found: list[TagRow]) -> list[Entry[TagRow]]:
        if not self._whole or not found:
            return await super()._entries(found)
        keys = [(each.source_id, each.ingested_at) for each in found]
        articles = await self._db.run(articles_of_rows(keys))
        return [
            Entry(row_of(article) if article else row_of_tag(each), each)
            for each, article in zip(found, articles, strict=True)
        ]


class StatusLane(Lane[Article]):
    """What has a status; an article that has another by now is still at its place in the index."""

    def __init__(self, db: AsyncDb, op: Any, status: str) -> None:
        super().__init__(db, op, Article)
        self._status = status

    def _after(self, each: Article) -> Item:
        return super()._after(each) | {"status": {"S": self._status}}


def begins(lanes: list[Lane[Any]]) -> list[Place]:
    """Where all of them begin."""
    return [BEGIN for _ in lanes]


def lanes_for(db: AsyncDb, wanted: ArticleFilter) -> list[Lane[Any]]:
    """The queries that have everything that is wanted."""
    times: dict[str, Any] = {"since": wanted.since, "until": wanted.until}
    if wanted.status is not None and wanted.waiting:
        return [StatusLane(db, articles_with_status(wanted.status, **times), wanted.status)]
    if wanted.tag is not None:
        return [TagLane(db, articles_by_tag(wanted.tag, **times), whole=bool(wanted.words))]
    tones = _TONES if wanted.sentiment is None else (wanted.sentiment,)
    lanes: list[Lane[Any]]
    if wanted.sentiment is None and wanted.since is None and wanted.until is None:
        lanes = [Lane(db, recent_articles(tone), Article) for tone in tones]
    else:
        lanes = [Lane(db, articles_by_sentiment(tone, **times), Article) for tone in tones]
    if wanted.sentiment is None and wanted.status is None:
        lanes.append(StatusLane(db, articles_with_status("unjudged", **times), "unjudged"))
    return lanes
