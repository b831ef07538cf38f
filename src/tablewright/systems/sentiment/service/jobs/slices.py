"""The analyzed articles of some time, hour by hour, in handfuls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.reads import reanalysis_slice
from tablewright.systems.sentiment.rules.comparison import LABELS

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Articles that are judged and written together.
HANDFUL = 32


async def first_after(newsroom: Newsroom, since: datetime, until: datetime) -> datetime | None:
    """When the first article of a time came, so that empty hours are passed over."""
    pages = await asyncio.gather(
        *(
            newsroom.db.run(reanalysis_slice(label, since=since, until=until), limit=1)
            for label in LABELS
        )
    )
    return min((article.timestamp for page in pages for article in page), default=None)


def next_hour(moment: datetime, until: datetime) -> datetime:
    """The end of the slice that begins at a moment."""
    whole = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return min(whole, until)


async def handfuls(
    newsroom: Newsroom, since: datetime, until: datetime
) -> AsyncIterator[list[Article]]:
    """Each article once, although people may change its tone while it is looked for."""
    seen: set[str] = set()
    some: list[Article] = []
    for label in LABELS:
        op = reanalysis_slice(label, since=since, until=until)
        async for article in newsroom.db.iterate(op):
            if article.source_id in seen:
                continue
            seen.add(article.source_id)
            some.append(article)
            if len(some) >= HANDFUL:
                yield some
                some = []
    if some:
        yield some
