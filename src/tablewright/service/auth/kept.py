"""A document of somebody else's, fetched when it is needed and kept for a while."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from tablewright.clock import Clock
from tablewright.service.auth.fetching import FetchError
from tablewright.service.problems import Problem

log = logging.getLogger(__name__)

T = TypeVar("T")

#: Younger than this it is simply used; older, it is used while a newer one is fetched.
FRESH_SECS = 3600
#: Older than this it is not used any more.
STALE_SECS = 86_400
#: No two attempts to fetch come closer than this, whoever asks.
AGAIN_SECS = 5


class Kept(Generic[T]):
    """One document. All who wait for it wait for the same fetch."""

    def __init__(self, clock: Clock, fetch: Callable[[], Awaitable[T]]) -> None:
        self._clock = clock
        self._fetch = fetch
        self._value: T | None = None
        self._fetched = self._tried = float("-inf")
        self._failed = False
        self._under_way: asyncio.Task[None] | None = None

    async def get(self) -> T:
        """The document as it is known; a problem 503 if it is not, and cannot be had."""
        if self._value is None or self._age(self._fetched) >= STALE_SECS:
            await self._refreshed()
        elif self._age(self._fetched) >= FRESH_SECS:
            self._start()
        return self._known()

    async def again(self) -> T:
        """The document as it is now, or was just now; a problem 503 if nobody can tell."""
        await self._refreshed()
        if self._failed:
            raise unavailable()
        return self._known()

    # --- inside ----------------------------------------------------------------------

    def _known(self) -> T:
        if self._value is None or self._age(self._fetched) >= STALE_SECS:
            raise unavailable()
        return self._value

    async def _refreshed(self) -> None:
        task = self._start()
        if task is not None:
            # Somebody who stops waiting does not stop the fetch for the others.
            await asyncio.shield(task)

    def _start(self) -> asyncio.Task[None] | None:
        """The fetch under way, or a new one, unless the last one was just now."""
        if self._under_way is None and self._age(self._tried) >= AGAIN_SECS:
            self._tried = self._clock.now()
            self._under_way = asyncio.create_task(self._try())
        return self._under_way

    async def _try(self) -> None:
        self._failed = True
        try:
            self._value = await self._fetch()
            self._fetched = self._clock.now()
            self._failed = False
        except FetchError as error:
            log.warning("an issuer's document cannot be had: %s", error)
        except Problem:  # what it depends on cannot be had either, and said so
            pass
        finally:
            self._under_way = None

    def _age(self, since: float) -> float:
        """Seconds; a clock that went back makes nothing young for ever."""
        age = self._clock.now() - since
        return age if age >= 0 else float("inf")


def unavailable() -> Problem:
    """The problem 503: the issuer is needed, and does not answer."""
    detail = "Who vouches for you cannot be reached. Try again in a moment."
    headers = {"Retry-After": str(AGAIN_SECS)}
    return Problem(503, "ISSUER_UNAVAILABLE", detail, headers=headers)
