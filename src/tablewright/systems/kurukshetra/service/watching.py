"""Seats, followed as they go: one look for all who follow the same event in this process.

What this process does is told at once. What others do is found by looking every two seconds. Nobody
looks at an event that nobody follows.

Events: ``snapshot``, then ``seats`` whenever something is different.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.bodies.checkout import SeatsOut, seats_out

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.events.hub import Render
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: Seconds between looks: where the engine is near, and where reading costs money.
_NEAR, _FAR = 0.5, 2.0
#: Many changes at once are one look.
_GATHERING_SECS: Final = 0.1
#: Streams that a process has open: anybody may follow, and each takes the place of a request.
MOST_STREAMS: Final = 1000


class Watching:
    """The events that somebody follows in this process."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._lookouts: dict[str, _Lookout] = {}

    def look(self, event_id: str) -> None:
        """The seats of an event have changed here."""
        if (lookout := self._lookouts.get(event_id)) is not None:
            lookout.wake()

    async def stream(
        self, request: Request, event_id: str, render: Render | None = None
    ) -> Response:
        """What is left, and every change of it. Anybody may follow."""
        from starlette.responses import StreamingResponse

        seats = seats_out(await self._festival.seats.of(event_id), self._festival.now())
        if sum(each.readers for each in self._lookouts.values()) >= MOST_STREAMS:
            detail = "Too many streams are open. Try again later."
            raise Problem(429, "STREAM_LIMIT", detail, headers={"Retry-After": "30"})
        lookout = self._lookouts.get(event_id) or _Lookout(self._festival, event_id, seats)
        answer = self._festival.runtime.events.stream(
            request, [lookout.topic], snapshot=lookout.picture, render=render
        )
        text = self._following(lookout, answer.body_iterator)
        return StreamingResponse(text, headers=answer.headers, media_type=answer.media_type)

    async def _following(
        self, lookout: _Lookout, chunks: AsyncIterable[object]
    ) -> AsyncIterator[bytes]:
        # Another may have come first while this one was on its way.
        lookout = self._lookouts.setdefault(lookout.event_id, lookout)
        lookout.readers += 1
        lookout.start()
        try:
            async for chunk in chunks:
                yield chunk if isinstance(chunk, bytes) else str(chunk).encode()
        finally:
            self._leave(lookout)
            if isinstance(chunks, AsyncGenerator):
                await chunks.aclose()

    def _leave(self, lookout: _Lookout) -> None:
        lookout.readers -= 1
        if lookout.readers == 0:
            lookout.stop()
            if self._lookouts.get(lookout.event_id) is lookout:
                del self._lookouts[lookout.event_id]


class _Lookout:
    """What is known of one event's seats, and who tells of their changes."""

    def __init__(self, festival: Festival, event_id: str, seats: SeatsOut) -> None:
        self._festival = festival
        self.event_id = event_id
        self.topic = f"kurukshetra-seats/{event_id}"
        self.readers = 0
        self._seats = seats
        self._changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), name=f"seats of {self.event_id}")

    def stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def wake(self) -> None:
        self._changed.set()

    async def picture(self) -> Mapping[str, object]:
        """All of it, for somebody who knows nothing yet."""
        return self._seats.model_dump(mode="json")

    async def _look(self) -> None:
        pause = _NEAR if self._festival.runtime.settings.local else _FAR
        while True:
            try:
                await self._looked()
            except TablewrightError as error:
                log.warning("the seats of %s cannot be looked at: %s", self.event_id, error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), pause)
            await asyncio.sleep(_GATHERING_SECS)
            self._changed.clear()

    async def _looked(self) -> None:
        found = await self._festival.db.run(reads.seats(self.event_id))
        if found is None:
            return
        seats = seats_out(found, self._festival.now())
        if seats != self._seats:
            self._seats = seats
            told = seats.model_dump(mode="json")
            self._festival.runtime.events.publish(self.topic, "seats", told)
