"""Events that are kept in the table, so that every process can tell them to its readers.

They are written as part of a transaction. While a topic has readers, a process looks for new ones
about once a second. Ids are made before the transaction commits and by different machines, so an
event may appear after others with a higher id: each look goes back a few seconds, and what was
told already is left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import TablewrightError
from tablewright.service.events.positions import first_entry, seconds_of
from tablewright.service.events.wire import Event
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.kit.patterns import events_after

logger = logging.getLogger(__name__)

#: How much later than its id an event may appear.
OVERLAP_SECS = 10.0
#: Between two looks.
LOOK_SECS = 1.0
#: Who missed more than this starts again.
MOST_MISSED = 1000
#: How long events are kept.
KEPT_SECS = 86_400.0


async def missed(db: AsyncDb, topic: str, entry: str, now: float) -> list[Event] | None:
    """The events since ``entry``; None if there are too many, or some are gone."""
    since = seconds_of(entry) - OVERLAP_SECS
    if since < now - KEPT_SECS:
        return None
    found: list[Event] = []
    async for kept in db.iterate(events_after(topic, after=first_entry(since))):
        if len(found) == MOST_MISSED:
            return None
        if kept.event_id != entry:
            found.append(event_of(kept))
    return found


def event_of(kept: FeedEntry) -> Event:
    return Event(kept.topic, kept.kind, kept.data, entry=kept.event_id)


class Lookout:
    """Finds the new lasting events of one topic, as long as somebody reads it."""

    def __init__(
        self, db: AsyncDb, clock: Clock, topic: str, tell: Callable[[Event], None]
    ) -> None:
        self.topic = topic
        #: How many read it.
        self.readers = 0
        #: Set once it knows what is old; what comes later is told.
        self.ready = asyncio.Event()
        self._db = db
        self._clock = clock
        self._tell = tell
        self._told: set[str] = set()
        self._since = clock.now() - OVERLAP_SECS
        self._woken = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"events of {topic}")

    def wake(self) -> None:
        """Look now: this process has just written one."""
        self._woken.set()

    def stop(self) -> None:
        self._task.cancel()
        self.ready.set()

    async def _run(self) -> None:
        await self._look(lambda event: None)
        self.ready.set()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), LOOK_SECS)
            self._woken.clear()
            await self._look(self._tell)

    async def _look(self, tell: Callable[[Event], None]) -> None:
        """Tell what is new among the latest; after a failure, the next look reaches as far back."""
        began = self._clock.now()
        try:
            recent = events_after(self.topic, after=first_entry(self._since))
            found = [event_of(kept) async for kept in self._db.iterate(recent)]
        except TablewrightError as error:
            logger.warning("events of %s cannot be read: %s", self.topic, error)
            return
        for event in found:
            if event.entry not in self._told:
                tell(event)
        self._told = {event.entry for event in found}
        self._since = began - OVERLAP_SECS
