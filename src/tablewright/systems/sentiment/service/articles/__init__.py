"""Lists of articles, and everything about one.

Which index answers: the status for what waits or has failed, the tag's own for a tag, else the one
by tone, of which all three are read and merged if no tone is asked for. What an index cannot tell
is looked at after reading. Such a page ends after 2,000 rows, with a cursor to go on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from tablewright.service.problems import not_found
from tablewright.systems.sentiment.articles import Article, ArticlePage
from tablewright.systems.sentiment.reads import article_page
from tablewright.systems.sentiment.rules.filters import ArticleFilter, ArticleRow, fits
from tablewright.systems.sentiment.service.articles.cursors import read_places, write_places
from tablewright.systems.sentiment.service.articles.lanes import begins, lanes_for
from tablewright.systems.sentiment.service.articles.merging import Merging

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

__all__ = ["Articles", "Found", "KnownArticle"]

#: Rows that a page reads at the most, where it reads more than it shows.
MOST_READ = 2_000
_CHUNK = 200


class Found(NamedTuple):
    """A page of a list."""

    rows: list[ArticleRow]
    cursor: str | None
    #: The page ended because much was read, not because it is full.
    partial: bool


@dataclass(frozen=True)
class KnownArticle(ArticlePage):
    """Everything about an article that is there."""

    article: Article


class Articles:
    """What there is to read."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def find(
        self, wanted: ArticleFilter, limit: int = 50, cursor: str | None = None
    ) -> Found:
        """Articles, the latest first; who gives the cursor back gets those that follow."""
        db = self._newsroom.db
        lanes = lanes_for(db, wanted)
        places = begins(lanes) if cursor is None else read_places(db, wanted, cursor)
        # Of several queries, few have to give much more than their part.
        share = limit if len(lanes) == 1 else max(2 * limit // len(lanes), 5)
        chunk = _CHUNK if wanted.picky else share
        most = max(MOST_READ, limit * len(lanes))
        merging = Merging(lanes, places, chunk=chunk, most=most)
        rows: list[ArticleRow] = []
        while len(rows) < limit and (row := await merging.next()) is not None:
            if fits(row, wanted):
                rows.append(row)
        more = None if merging.ended else write_places(db, wanted, merging.places)
        return Found(rows, more, partial=len(rows) < limit and not merging.ended)

    async def walk(self, wanted: ArticleFilter, most: int) -> AsyncIterator[ArticleRow | datetime]:
        """Iterate over all matching articles, the latest first.

        If ``most`` rows were read and there are more, the last value is a moment: every article
        after it was read, the earlier ones were not.
        """
        lanes = lanes_for(self._newsroom.db, wanted)
        merging = Merging(lanes, begins(lanes), chunk=1_000, most=most)
        reached = datetime.max.replace(tzinfo=UTC)
        while (row := await merging.next()) is not None:
            reached = row.timestamp
            if fits(row, wanted):
                yield row
        if not merging.ended:
            yield reached

    async def item(self, source_id: str) -> KnownArticle:
        """One article with its tags and the results of all models, as it is now."""
        page = await self._newsroom.db.run(article_page(source_id))
        if page.article is None:
            raise not_found("article")
        return KnownArticle(article=page.article, tags=page.tags, results=page.results)
