"""Staying awake for a moment after a request, because the next one is often just behind it.

A process that goes to sleep between two requests of one client pays for waking up, which takes
longer than answering: on virtual machines several times as long. So for a short
while after an answer the loop polls instead of sleeping. It gives up the interpreter lock
in every round, and it does not do this where there is only one processor, which the client may
need.
"""

from __future__ import annotations

import asyncio
import os
from time import monotonic


class Alertness:
    """Keeps one loop awake for ``seconds`` after each :meth:`touch`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._loop = loop
        self._seconds = seconds if processors() > 1 else 0.0
        self._until = 0.0
        self._awake = False

    def touch(self) -> None:
        """Something has just happened."""
        if self._seconds:
            self._until = monotonic() + self._seconds
            if not self._awake:
                self._awake = True
                self._loop.call_soon(self._stay)

    def rest(self) -> None:
        """Nothing will happen until somebody else is done."""
        self._until = 0.0

    def _stay(self) -> None:
        if monotonic() < self._until:
            self._loop.call_soon(self._stay)
        else:
            self._awake = False


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
