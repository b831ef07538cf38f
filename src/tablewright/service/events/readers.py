"""One reader: what waits for it, and whether it keeps up."""

from __future__ import annotations

import asyncio
from collections import deque

from tablewright.service.events.wire import Event

#: Events that may wait for one reader. Who is further behind starts again.
MOST_WAITING = 500


class Reader:
    """The queue of one stream."""

    def __init__(self, topics: frozenset[str], most_waiting: int = MOST_WAITING) -> None:
        self.topics = topics
        self._most = most_waiting
        #: It could not keep up, and what waited for it was dropped.
        self.behind = False
        self.ended = False
        self._waiting: deque[Event] = deque()
        self._signal = asyncio.Event()

    def give(self, event: Event) -> None:
        if len(self._waiting) >= self._most:
            self.behind = True
            self._waiting.clear()
        if not self.behind:
            self._waiting.append(event)
        self._signal.set()

    def catch_up(self) -> None:
        """It gets the whole picture instead of what was dropped, and goes on from there."""
        self.behind = False

    def end(self) -> None:
        self.ended = True
        self._signal.set()

    async def take(self, secs: float) -> list[Event]:
        """What waits; nothing if nothing came in so many seconds, or it is over."""
        if not (self._waiting or self.behind or self.ended):
            try:
                # Not wait_for: a stream that is cut off as an event comes would go on.
                async with asyncio.timeout(secs):
                    await self._signal.wait()
            except TimeoutError:
                return []
        self._signal.clear()
        taken = list(self._waiting)
        self._waiting.clear()
        return taken
