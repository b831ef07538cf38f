"""The one process that makes events of the table's changes.

It holds a lease, reads the table's stream, and appends events to a feed in the kit table, which
every process follows for its own readers: a stream allows two readers, however many processes there
are.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.client.feed import AsyncChangeFeed, Change, Polling
from tablewright.model import Put
from tablewright.service.events.positions import number_of, numbered_entry, seconds_of
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.kit.patterns import add_event, latest_event
from tablewright.systems.sentiment.articles import Article, items
from tablewright.systems.sentiment.config import Alert
from tablewright.systems.sentiment.service.lag import Lag
from tablewright.systems.sentiment.service.live.journal import Journal
from tablewright.systems.sentiment.service.live.telling import Stirred, Told, told_of

if TYPE_CHECKING:
    from tablewright.service.workers import Held
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

TOPIC = "live"
#: How long events can be caught up on.
KEPT_SECS = 3600.0
#: A shard allows five reads a second, and the analysis reads too.
POLLING = Polling(least=0.4, most=0.5, refresh=300.0)
#: Changes of one transaction: each makes one event at most, the figures one more.
_TOGETHER = 90
#: Between two events about figures.
_METRICS_SECS = 1.0


class LiveReader:
    """Reads changes and appends events, as long as it holds the lease."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._reading: _Reading | None = None
        self._lag = Lag(newsroom, "live")
        self._told = newsroom.runtime.metrics.counter(
            "sentiment_live_events", "Events that were written for live readers.", ("kind",)
        )

    async def run(self, held: Held) -> None:
        """Tell all that has changed until now."""
        reading = self._reading
        if reading is None or reading.fence != held.fence:
            reading = self._reading = await self._started(held.fence)
        try:
            while changes := await reading.feed.poll():
                self._lag.note(changes)
                for at in range(0, len(changes), _TOGETHER):
                    await self._append(reading, changes[at : at + _TOGETHER])
            self._lag.note(())
            await self._flush(reading)
        except BaseException:
            # Whatever went wrong, the checkpoints know how far it came.
            self._reading = None
            raise

    async def close(self) -> None:
        """Note how far it read where nothing was told."""
        if self._reading is not None:
            await self._reading.feed.close()

    async def _started(self, fence: int) -> _Reading:
        journal = Journal()
        feed = AsyncChangeFeed(
            self._newsroom.db,
            items,
            consumer=TOPIC,
            checkpoints=journal,
            # Not the latest: which that is would depend on clocks. What is old is no news anyway.
            start="oldest",
            entities=(Article, Alert),
            unknown="skip",
            on_gap="continue",
            polling=POLLING,
            component="live",
        )
        await feed.start()
        # From here on nobody else can write: this is the last event there is.
        latest = await self._newsroom.db.run(latest_event(TOPIC))
        return _Reading(fence, feed, journal, latest[0].event_id if latest else None)

    async def _append(self, reading: _Reading, changes: Sequence[Change]) -> None:
        """The events of some changes. One transaction with the checkpoint behind them."""
        now = self._newsroom.now()
        told = [each for each in (told_of(change, now) for change in changes) if each is not None]
        for change in changes:
            reading.stirred.add(change)
        told += reading.due(now.timestamp())
        self._add(reading, told)
        await reading.feed.commit(changes[-1])
        self._done(told)

    async def _flush(self, reading: _Reading) -> None:
        """Figures that have changed since they were last told."""
        told = reading.due(self._newsroom.now().timestamp())
        if told:
            self._add(reading, told)
            if await self._newsroom.db.drive(reading.journal.flush(self._newsroom.db.context)):
                self._done(told)

    def _add(self, reading: _Reading, told: Sequence[Told]) -> None:
        reading.journal.add([self._entry(reading, each) for each in told])

    def _entry(self, reading: _Reading, told: Told) -> Put[FeedEntry]:
        now = self._newsroom.now()
        kept = FeedEntry(
            topic=TOPIC,
            event_id=reading.next_id(now.timestamp()),
            kind=told.kind,
            data=told.data,
            at=now,
            expires_at=now + timedelta(seconds=KEPT_SECS),
        )
        return add_event(kept)

    def _done(self, told: Sequence[Told]) -> None:
        for each in told:
            self._told.labels(each.kind).inc()
        if told:
            self._newsroom.runtime.events.wake()


class _Reading:
    """One start of the reader."""

    def __init__(
        self, fence: int, feed: AsyncChangeFeed, journal: Journal, last: str | None
    ) -> None:
        self.fence = fence
        self.feed = feed
        self.journal = journal
        # What an earlier reader knew to have changed and had not told is not known any more.
        self.stirred = Stirred(everything=True)
        self._last = last
        self._metrics_at = 0.0

    def next_id(self, now: float) -> str:
        """The id after the last one, also if the clock was set back."""
        if self._last is None:
            self._last = numbered_entry(now, 1)
        else:
            seconds = max(now, seconds_of(self._last))
            self._last = numbered_entry(seconds, number_of(self._last) + 1)
        return self._last

    def due(self, now: float) -> list[Told]:
        """What to tell of figures, once a second at most."""
        if not self.stirred or 0 <= now - self._metrics_at < _METRICS_SECS:
            return []
        told, self.stirred, self._metrics_at = self.stirred.told(), Stirred(), now
        return [told]
