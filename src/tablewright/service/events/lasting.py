"""Events that are kept in the table, so that every process can tell them to its readers.

While a topic has readers, a process looks for new events about once a second. There are two ways to
write them, which a topic's :class:`Keeping` tells apart:

* As part of any transaction, by any process. Ids are made before the transaction commits and by
  different machines, so an event may appear after others with a higher id: each look goes back a
  few seconds, and what was told already is left out. Who was cut off may get an event again.
* Numbered, by one writer at a time, in order. Nothing then appears behind what was seen, so looks
  and readers that were cut off go on exactly after the last event. A transaction's items may appear
  one by one: what comes after a number that is missing waits until that is there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import TablewrightError
from tablewright.service.events.positions import first_entry, number_of, seconds_of
from tablewright.service.events.wire import Event
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.kit.patterns import events_after, latest_event

logger = logging.getLogger(__name__)

#: How much later than its id an event may appear.
OVERLAP_SECS = 10.0
#: Between two looks.
LOOK_SECS = 1.0
#: Who missed more than this starts again.
MOST_MISSED = 1000
#: How long events are kept.
KEPT_SECS = 86_400.0
#: How far clocks may be apart.
_SKEW_SECS = 300.0
#: A number that is missing for so long never comes.
_HOLE_SECS = 5.0
#: So long, if no number before it is known: all events may have ended, and the writer goes on.
_FIRST_SECS = 1.0


@dataclass(frozen=True)
class Keeping:
    """How the events of a topic are kept."""

    secs: float = KEPT_SECS
    #: One writer at a time numbers them, without gaps, from 1; see ``numbered_entry``.
    numbered: bool = False


USUAL = Keeping()


async def missed(
    db: AsyncDb, topic: str, entry: str, now: float, keeping: Keeping = USUAL
) -> list[Event] | None:
    """The events since ``entry``; None if there are too many, or some are gone."""
    since = seconds_of(entry) - (0.0 if keeping.numbered else OVERLAP_SECS)
    if not now - keeping.secs <= since <= now + _SKEW_SECS:
        return None
    after = entry if keeping.numbered else first_entry(since)
    found: list[Event] = []
    async for kept in db.iterate(events_after(topic, after=after)):
        if len(found) == MOST_MISSED:
            return None
        if kept.event_id != entry:
            found.append(event_of(kept))
    if not keeping.numbered:
        return found
    if found and not _follows(found[0].entry, entry):
        return None
    return unbroken(found, entry)


def event_of(kept: FeedEntry) -> Event:
    return Event(kept.topic, kept.kind, kept.data, entry=kept.event_id)


def unbroken(events: Sequence[Event], last: str) -> list[Event]:
    """The events that follow the last one, up to the first number that is missing."""
    found: list[Event] = []
    for event in events:
        if not _follows(event.entry, last):
            break
        found.append(event)
        last = event.entry
    return found


def _follows(entry: str, last: str) -> bool:
    """Whether no number is between them; numbers begin again when all events have ended."""
    return number_of(entry) in (number_of(last) + 1, 1)


class Lookout:
    """Finds the new lasting events of one topic, as long as somebody reads it."""

    def __init__(
        self,
        db: AsyncDb,
        clock: Clock,
        topic: str,
        tell: Callable[[Event], None],
        keeping: Keeping = USUAL,
    ) -> None:
        self.topic = topic
        self.keeping = keeping
        #: How many read it.
        self.readers = 0
        #: Set once it knows what is old; what comes later is told.
        self.ready = asyncio.Event()
        #: The last one that was told, or was old; only of numbered events.
        # Before anything that a clock which is behind ours may still write.
        self.last = first_entry(clock.now() - _SKEW_SECS)
        self._db = db
        self._clock = clock
        self._tell = tell
        self._told: set[str] = set()
        self._since = clock.now() - OVERLAP_SECS
        #: Since when a number is missing.
        self._hole: float | None = None
        self._woken = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"events of {topic}")

    def wake(self) -> None:
        """Look now: this process has just written one."""
        self._woken.set()

    def stop(self) -> None:
        self._task.cancel()
        self.ready.set()

    async def _run(self) -> None:
        while not await self._begin():
            await asyncio.sleep(LOOK_SECS)
        self.ready.set()
        while True:
            # Not wait_for: it would go on for ever if it is woken and stopped at once.
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECS):
                    await self._woken.wait()
            self._woken.clear()
            await (self._follow() if self.keeping.numbered else self._look(self._tell))

    async def _begin(self) -> bool:
        """Know what is old; False if that could not be read."""
        if not self.keeping.numbered:
            await self._look(lambda event: None)
            return True
        try:
            for latest in await self._db.run(latest_event(self.topic)):
                self.last = latest.event_id
        except TablewrightError as error:
            logger.warning("events of %s cannot be read: %s", self.topic, error)
            return False
        return True

    # --- written by anybody --------------------------------------------------------------

    async def _look(self, tell: Callable[[Event], None]) -> None:
        """Tell what is new among the latest; after a failure, the next look reaches as far back."""
        began = self._clock.now()
        found = await self._after(first_entry(self._since))
        if found is None:
            return
        for event in found:
            if event.entry not in self._told:
                tell(event)
        self._told = {event.entry for event in found}
        self._since = began - OVERLAP_SECS

    async def _after(self, entry: str) -> list[Event] | None:
        try:
            after = events_after(self.topic, after=entry)
            return [event_of(kept) async for kept in self._db.iterate(after)]
        except TablewrightError as error:
            logger.warning("events of %s cannot be read: %s", self.topic, error)
            return None

    # --- numbered ------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Tell what follows the last one."""
        found = await self._after(self.last) or []
        due = found if self._is_lost() else unbroken(found, self.last)
        for event in due:
            self._tell(event)
            self.last = event.entry
        waits = len(due) < len(found)
        self._hole = (self._hole or self._clock.now()) if waits and not due else None

    def _is_lost(self) -> bool:
        """Whether a number has been missing for so long that it is not waited for any more."""
        patience = _HOLE_SECS if number_of(self.last) else _FIRST_SECS
        return self._hole is not None and self._clock.now() - self._hole >= patience
