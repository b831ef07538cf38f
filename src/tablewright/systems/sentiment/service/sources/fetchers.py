"""What sources are read with: clients that are made from the settings, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.outbound import Outbound
from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.fetching.feeds import Feeds
from tablewright.systems.sentiment.fetching.newsapi import NewsApi
from tablewright.systems.sentiment.service.sources.readers import (
    FeedReader,
    FileReader,
    NewsApiReader,
    Reader,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Fetchers:
    """The clients of one process."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        options, clock = newsroom.options, newsroom.runtime.clock
        #: Asks what people name; tests give it their own resolver of names.
        self.outbound = Outbound(allow_local=options.allow_local_feeds)
        key = options.newsapi_key
        self._newsapi = None if key is None else NewsApi(options.newsapi_url, key, clock)

    def can_read(self, source: Source) -> bool:
        """Whether the settings have what it takes."""
        return source.source_type != "newsapi" or self._newsapi is not None

    def reader(self, source: Source) -> Reader:
        if source.source_type == "newsapi" and self._newsapi is not None:
            return NewsApiReader(self._newsroom, self._newsapi)
        if source.source_type == "rss":
            return FeedReader(self._newsroom, Feeds(self.outbound, self._newsroom.runtime.clock))
        if source.source_type == "file":
            return FileReader(self._newsroom)
        raise ValueError(f"sources of the type {source.source_type} cannot be read")

    async def close(self) -> None:
        if self._newsapi is not None:
            await self._newsapi.close()
