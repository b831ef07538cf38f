"""How each kind of source is read, page by page.

A page is stored before the source's row says so. Whatever ends a reading in between, the next one
fetches the same again, and what is known already is not stored twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import ValidationError

from tablewright.systems.sentiment import config_reads
from tablewright.systems.sentiment.bodies.ingest import RecordIn
from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.fetching import files
from tablewright.systems.sentiment.fetching.failures import CallFailed, Refused
from tablewright.systems.sentiment.fetching.feeds import Feeds
from tablewright.systems.sentiment.fetching.found import Found
from tablewright.systems.sentiment.fetching.newsapi import NewsApi
from tablewright.systems.sentiment.rules import cursors
from tablewright.systems.sentiment.rules.lines import Line
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.rules.queries import Asked, questions

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom
    from tablewright.systems.sentiment.service.sources.reading import Reading

#: Pages of one question in one run; more are those of somebody who asks for everything.
MOST_PAGES = 5
#: Records that are stored at once.
PAGE = 100


class Reader(Protocol):
    """Reads what is new in a source, and hands it on."""

    async def read(self, reading: Reading) -> None: ...


class NewsApiReader:
    """One question, or one for each topic; each has a place of its own in the cursor."""

    def __init__(self, newsroom: Newsroom, newsapi: NewsApi) -> None:
        self._newsroom = newsroom
        self._newsapi = newsapi

    async def read(self, reading: Reading) -> None:
        found = self._newsroom.db.iterate(config_reads.watch_rules())
        asked = questions(reading.source, [each async for each in found])
        cursor = cursors.kept(reading.source.cursor, {each.key for each in asked})
        for each in asked:
            try:
                cursor = await self._answered(reading, each, cursor)
            except (CallFailed, Refused) as failure:
                # The others may fare better, until the breaker opens.
                reading.went_wrong(failure.code)

    async def _answered(self, reading: Reading, asked: Asked, cursor: str | None) -> str:
        """The cursor after all pages of an answer. The latest come first, so not before."""
        now = self._newsroom.now()
        newest = await self._pages(reading, asked, cursors.since(cursor, asked.key, now))
        cursor = cursors.moved(cursor, asked.key, newest, now)
        await reading.advance(cursor)
        reading.went_well()
        return cursor

    async def _pages(self, reading: Reading, asked: Asked, since: datetime) -> datetime | None:
        newest: datetime | None = None
        for number in range(1, MOST_PAGES + 1):
            found = await self._page(reading, asked, since, number)
            await reading.store(found)
            latest = [each for each in (newest, found.newest) if each is not None]
            newest = max(latest, default=None)
            if found.cut or not found.more:
                break
        if found.cut or found.more:
            reading.went_wrong("RESULTS_CUT")
        return newest

    async def _page(self, reading: Reading, asked: Asked, since: datetime, number: int) -> Found:
        return await reading.calls.make(lambda: self._newsapi.page(asked, since, number))


class FeedReader:
    """A feed is read as a whole, and only if it has changed, or the rules have."""

    def __init__(self, newsroom: Newsroom, feeds: Feeds) -> None:
        self._newsroom = newsroom
        self._feeds = feeds

    async def read(self, reading: Reading) -> None:
        source = reading.source
        found = await reading.calls.make(lambda: self._fetched(source))
        if found is None:
            place = (source.cursor, source.etag, source.last_modified)
        else:
            for page in pages(found):
                await reading.store(page)
            newest = found.newest
            cursor = source.cursor if newest is None else moment_text(newest)
            place = (cursor, found.etag, found.last_modified)
        await reading.advance(*place)
        reading.went_well()

    async def _fetched(self, source: Source) -> Found | None:
        url = source.url or ""
        if files.is_file(url):
            path = files.path_of(url, self._newsroom.options.feed_folder, feed=True)
            return await files.read_feed(path, source.etag)
        return await self._feeds.read(url, source.etag, source.last_modified)


class FileReader:
    """A file of records; the cursor says how many of its lines are done, of which version."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def read(self, reading: Reading) -> None:
        source = reading.source
        path = files.path_of(source.url or "", self._newsroom.options.feed_folder, feed=False)
        mark = await reading.calls.make(lambda: _mark(path))
        done = _done(source.cursor) if source.etag == mark else 0
        lines = files.batches(path, PAGE)
        at = 0
        while (page := await asyncio.to_thread(next, lines, None)) is not None:
            at += len(page)
            if at > done:
                await reading.store(_found(page))
                await reading.advance(f"lines={at}", mark)
        if at <= done:
            await reading.advance(source.cursor, source.etag)
        reading.went_well()


def pages(found: Found) -> Iterator[Found]:
    """Some records at a time, and what was wrong with the first of them."""
    yield Found(found.records[:PAGE], found.bad)
    for at in range(PAGE, len(found.records), PAGE):
        yield Found(found.records[at : at + PAGE])


async def _mark(path: Path) -> str:
    try:
        return await asyncio.to_thread(files.mark_of, path)
    except OSError as error:
        raise Refused("NO_FILE", f"cannot be read: {error.strerror}") from error


def _done(cursor: str | None) -> int:
    """``lines=300``"""
    number = (cursor or "").removeprefix("lines=")
    return int(number) if number.isdigit() else 0


def _found(page: list[Line]) -> Found:
    """Lines as records, and how many are none."""
    records = []
    for line in page:
        with suppress(ValidationError):
            if line.members is not None:
                records.append(RecordIn.model_validate(line.members).record())
    return Found(records, len(page) - len(records))
