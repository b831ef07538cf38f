"""The peer: a budget the way proxies in front of models keep one.

Each process checks what it knows of the spend before a call, and adds to it after the call. What it
knows is read from the database and good for a minute; what it added is written to the database in
batches. Its own additions count at once, those of other processes when they have been written and
read again. That is how LiteLLM's proxy works without Redis: a counter cache of 60 seconds, spend
written every 10 to 60.
"""

from __future__ import annotations

from tablewright.clock import Clock

CACHE_SECONDS = 60.0
WRITE_SECONDS = 10.0


class Database:
    """The spend as it has been written."""

    def __init__(self) -> None:
        self.spend_micros = 0


class CheckThenRecord:
    """One process of the proxy."""

    def __init__(self, database: Database, clock: Clock, quota: int, cost: int) -> None:
        self._database = database
        self._clock = clock
        self._quota = quota
        self._cost = cost
        self._known = 0
        self._read_at = float("-inf")
        self._pending = 0
        self._written_at = clock.now()

    async def admits(self) -> bool:
        now = self._clock.now()
        if now - self._read_at >= CACHE_SECONDS:
            self._known = self._database.spend_micros + self._pending
            self._read_at = now
        return self._known < self._quota

    async def report(self) -> None:
        self._known += self._cost
        self._pending += self._cost
        now = self._clock.now()
        if now - self._written_at >= WRITE_SECONDS:
            self._database.spend_micros += self._pending
            self._pending, self._written_at = 0, now
