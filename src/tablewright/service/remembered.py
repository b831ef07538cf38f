"""What a process keeps of the store for a while, so that most requests read nothing.

All who ask for the same at the same time wait for one read. What is not there is kept too, but
shortly. While the store is away, what was known is good for some more minutes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

from tablewright.clock import Clock
from tablewright.model.errors import Unavailable

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Kept(NamedTuple, Generic[V]):
    value: V
    since: float
    until: float


class Remembered(Generic[K, V]):
    """Values by key, read by ``load`` when they are not known or too old."""

    def __init__(
        self,
        load: Callable[[K], Awaitable[V]],
        clock: Clock,
        *,
        secs: float,
        nothing_secs: float = 1.0,
        stale_secs: float = 0.0,
        size: int = 10_000,
    ) -> None:
        self._load = load
        self._clock = clock
        self._secs = secs
        #: How long "there is none" is kept: a value that is false.
        self._nothing_secs = nothing_secs
        #: How old a value may be while the store does not answer.
        self._stale_secs = stale_secs
        self._size = size
        self._kept: dict[K, _Kept[V]] = {}
        self._loading: dict[K, asyncio.Task[V]] = {}

    async def get(self, key: K) -> V:
        """The value as it is known, or as it is."""
        kept = self._kept.get(key)
        # A clock that was set back makes nothing young for ever.
        if kept is not None and kept.since <= self._clock.now() < kept.until:
            return kept.value
        try:
            # Who stops waiting does not stop the read for the others.
            return await asyncio.shield(self._started(key))
        except Unavailable:
            if kept is None or not self._clock.now() - kept.since < self._stale_secs:
                raise
            log.warning("the store is away: %s is used as it was", type(kept.value).__name__)
            return kept.value

    def forget(self, key: K) -> None:
        """Read it again the next time; a read that is under way counts for nothing."""
        self._kept.pop(key, None)
        self._loading.pop(key, None)

    def forget_all(self, which: Callable[[K], bool] = lambda _: True) -> None:
        """Forget every key that is meant."""
        for key in [key for key in (*self._kept, *self._loading) if which(key)]:
            self.forget(key)

    # --- reading ---------------------------------------------------------------------------------

    def _started(self, key: K) -> asyncio.Task[V]:
        task = self._loading.get(key)
        if task is None:
            task = self._loading[key] = asyncio.ensure_future(self._read(key))
            task.add_done_callback(_seen)
        return task

    async def _read(self, key: K) -> V:
        began, this = self._clock.now(), asyncio.current_task()
        try:
            value = await self._load(key)
            if self._loading.get(key) is this:
                self._keep(key, value, began)
            return value
        finally:
            if self._loading.get(key) is this:
                del self._loading[key]

    def _keep(self, key: K, value: V, now: float) -> None:
        if len(self._kept) >= self._size and key not in self._kept:
            del self._kept[next(iter(self._kept))]  # the one that was first met longest ago
        secs = self._secs if value else self._nothing_secs
        self._kept[key] = _Kept(value, now, now + secs)


def _seen(task: asyncio.Task[V]) -> None:
    """All who waited may have gone; then nobody else looks at what went wrong."""
    if not task.cancelled():
        task.exception()
