"""Things that are followed: one look for all who follow the same one in this process.

What others do is found by looking every now and then; what this process does it tells by waking the
lookout. Nobody looks at a thing that nobody follows.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from contextlib import suppress
from typing import Final, Generic, TypeVar

from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem

log = logging.getLogger("tablewright.service")

#: Many changes at once are one look.
_GATHERING_SECS: Final = 0.05


class Lookout(ABC):
    """What is known of one thing, and who tells of its changes."""

    def __init__(self, topic: str, every: float) -> None:
        self.topic = topic
        self.readers = 0
        #: It has been looked at, so that there is something to show.
        self.known = asyncio.Event()
        self._every = every
        self._changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    @abstractmethod
    async def looked(self) -> bool:
        """Look, and publish what is new; whether there will be no more."""

    def wake(self) -> None:
        """It has changed here."""
        self._changed.set()

    def start(self) -> None:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), name=self.topic)

    def stop(self) -> None:
        """Somebody may be on their way to it: then it starts again, and looks first."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        self.known.clear()

    async def _look(self) -> None:
        while True:
            try:
                over = await self.looked()
                self.known.set()
                if over:
                    return
            except TablewrightError as error:
                log.warning("%s cannot be looked at: %s", self.topic, error)
            # Not wait_for: it would go on if it is woken and stopped at once.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._changed.wait()
            await asyncio.sleep(_GATHERING_SECS)
            self._changed.clear()


L = TypeVar("L", bound=Lookout)


class Lookouts(Generic[L]):
    """Those that somebody follows in this process, by what they look at."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[str, L] = {}

    def get(self, key: str) -> L | None:
        return self._kept.get(key)

    def wake(self, key: str) -> None:
        if (lookout := self._kept.get(key)) is not None:
            lookout.wake()

    def of(self, key: str, make: Callable[[], L]) -> L:
        """The one there is, or a new one. Problems: 429 if too many streams are open."""
        if sum(each.readers for each in self._kept.values()) >= self._most:
            raise too_many_streams()
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
        return found

    async def followed(
        self, key: str, lookout: L, chunks: AsyncIterable[object]
    ) -> AsyncIterator[bytes]:
        """What a reader is sent; it looks for as long as somebody reads."""
        # The last reader may have left while this one was on its way, and another have come since.
        # Then both look: what this one is shown first is what its own lookout knows.
        self._kept.setdefault(key, lookout)
        lookout.readers += 1
        lookout.start()
        try:
            async for chunk in chunks:
                yield chunk if isinstance(chunk, bytes) else str(chunk).encode()
        finally:
            self._leave(key, lookout)
            if isinstance(chunks, AsyncGenerator):
                await chunks.aclose()

    def _leave(self, key: str, lookout: L) -> None:
        lookout.readers -= 1
        if lookout.readers == 0:
            lookout.stop()
            if self._kept.get(key) is lookout:
                del self._kept[key]


def too_many_streams(what: str = "Too many streams are open") -> Problem:
    detail = f"{what}. Close one, or try again later."
    return Problem(429, "STREAM_LIMIT", detail, headers={"Retry-After": "30"})
