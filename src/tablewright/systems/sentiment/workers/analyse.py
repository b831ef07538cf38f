"""Analysis: woken by the changes of the table.

One process at a time reads the changes, under a lease: a shard of a stream allows two readers, and
the other one is the live list's. Articles of a page are analyzed side by side, by four threads that
judge and as many transactions as are useful. The page is committed when all of its articles are
done, or wait for another attempt; if the process is killed before, they come again, and who is
analyzed already is passed over.

An article whose model failed is pending still, and changed: that change brings it back here, where
it waits a little before it is judged again. Should that wait be lost with the process, the article
is stuck after five minutes, and the sweep queues it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tablewright.client.feed import AsyncChangeFeed, Change, Gap, Polling, TableCheckpoints
from tablewright.service.kit import kit
from tablewright.service.workers import Held, Worker
from tablewright.systems.sentiment.articles import Article, items
from tablewright.systems.sentiment.rules.retrying import wait_of
from tablewright.systems.sentiment.service.lag import Lag

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

NAME: Final = "analyse"
EVERY_SECS = 0.1
#: How long a run waits for changes before it ends; less than a process has to stop.
_WAIT_SECS = 2.0
#: Articles that are read, judged and written at the same time.
_AT_ONCE = 32
#: Articles that wait for another attempt in this process.
_MOST_LATER = 500
#: The sweep relies on how far we say we are.
_REFRESH_SECS = 20.0
#: Reading costs money at AWS, and next to nothing where the engine is near.
_NEAR = Polling(least=0.02, most=0.1, refresh=_REFRESH_SECS)
_FAR = Polling(refresh=_REFRESH_SECS)

checkpoints = TableCheckpoints(kit, component="analysis")


def worker(newsroom: Newsroom) -> Worker:
    analysing = Analysing(newsroom)
    return Worker(NAME, EVERY_SECS, analysing.run, close=analysing.close)


class Analysing:
    """The reader of one process, as long as it holds the lease."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._feed: AsyncChangeFeed | None = None
        self._fence = 0
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._later: set[asyncio.Task[None]] = set()
        self._lag = Lag(newsroom, NAME)
        self._gaps = newsroom.runtime.metrics.counter(
            "sentiment_feed_gaps", "Times that changes were gone before they were read", ("feed",)
        )

    async def run(self, held: Held) -> None:
        """Analyse what has come, until nothing comes for a moment."""
        feed = self._feed
        if feed is None or self._fence != held.fence:
            feed, self._fence = self._started(), held.fence
        # Whatever goes wrong, the checkpoints know how far it came: begin with them.
        self._feed = None
        while changes := await feed.poll(wait=_WAIT_SECS):
            self._lag.note(changes)
            await self._page(changes)
            await feed.commit()
        self._lag.note(())
        self._feed = feed

    async def close(self) -> None:
        """Leave what waits: it is pending, and is found again."""
        for task in self._later:
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)
        if self._feed is not None:
            with suppress(Exception):
                await self._feed.close()
        self._newsroom.analyst.judging.close()

    def _started(self) -> AsyncChangeFeed:
        newsroom = self._newsroom
        return AsyncChangeFeed(
            newsroom.db,
            items,
            consumer=NAME,
            checkpoints=checkpoints,
            entities=[Article],
            # An article that cannot be read is given up, and does not stop the others.
            unknown="raw",
            on_gap=self._note_gap,
            polling=_NEAR if newsroom.runtime.settings.local else _FAR,
            component="analysis",
        )

    def _note_gap(self, gap: Gap) -> None:
        self._gaps.labels(NAME).inc()
        log.error("%s. The sweep queues articles that were lost.", gap)

    # --- a page ----------------------------------------------------------------------------------

    async def _page(self, changes: Iterable[Change]) -> None:
        async with asyncio.TaskGroup() as tasks:
            for key, article in pending_of(changes).items():
                delay = 0.0 if article is None else self._delay(article)
                if delay > 0 and len(self._later) < _MOST_LATER:
                    self._put_off(key, delay)
                else:
                    tasks.create_task(self._analyse(key))

    async def _analyse(self, key: tuple[str, datetime]) -> None:
        async with self._places:
            # Until the lease ends, which cancels this.
            await self._newsroom.analyst.analyse(*key, patience=None)

    def _delay(self, article: Article) -> float:
        secs = self._newsroom.options.retry_secs
        return wait_of(article.queued_at, article.attempts, secs, self._newsroom.now())

    def _put_off(self, key: tuple[str, datetime], delay: float) -> None:
        task = asyncio.create_task(self._analyse_later(key, delay))
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _analyse_later(self, key: tuple[str, datetime], delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            await self._analyse(key)
        except Exception:
            log.exception("article %s was not analyzed; the sweep will find it", key[0])


def pending_of(changes: Iterable[Change]) -> dict[tuple[str, datetime], Article | None]:
    """The articles that wait, by the last change of each; None for what cannot be read."""
    found: dict[tuple[str, datetime], Article | None] = {}
    for change in changes:
        key = _key_of(change)
        if key is None:
            continue
        found.pop(key, None)
        image = change.new_image
        if image is not None and image.get("status") == {"S": "pending"}:
            found[key] = change.new if isinstance(change.new, Article) else None
    return found


def _key_of(change: Change) -> tuple[str, datetime] | None:
    try:
        text = str(change.keys["timestamp"]["S"])
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return str(change.keys["source_id"]["S"]), moment
