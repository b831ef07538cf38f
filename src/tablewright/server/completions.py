"""News from the committing threads to the event loop.

A group commit finishes many writes at once. Each one's callback runs in the committing thread
and only appends to a deque; the first of them wakes the loop, which then takes all that are
there. So a group costs one wake-up, however many connections wait for it.
"""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop
from collections import deque
from contextlib import suppress
from typing import Protocol


class Waiting(Protocol):
    """Something on the loop whose awaited outcome is there."""

    def completed(self) -> None:
        """Go on. Must not raise: others wait behind it."""


class Completions:
    """A queue from any thread to one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._done: deque[Waiting] = deque()
        self._scheduled = False

    def add(self, waiting: Waiting) -> None:
        """Have `waiting.completed()` called on the loop soon. Safe in any thread."""
        # Append first, look second: `_drain` does it the other way round, so that whatever it
        # does not take finds the flag down and wakes the loop again.
        self._done.append(waiting)
        if not self._scheduled:
            self._scheduled = True
            if _get_running_loop() is self._loop:  # a commit on the loop itself: nobody to wake
                self._loop.call_soon(self._drain)
                return
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        self._scheduled = False
        while self._done:
            self._done.popleft().completed()
