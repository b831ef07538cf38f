"""Seats, followed as they go.

What this process does is told at once. What others do is found by looking every two seconds.

Events: ``snapshot``, then ``seats`` whenever something is different.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tablewright.service.events.lookouts import Lookout, Lookouts
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.bodies.checkout import SeatsOut, seats_out

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.events.hub import Render
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Seconds between looks: where the engine is near, and where reading costs money.
_NEAR, _FAR = 0.5, 2.0
#: Streams that a process has open: anybody may follow, and each takes the place of a request.
MOST_STREAMS: Final = 1000


class Watching:
    """The events that somebody follows in this process."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._lookouts: Lookouts[_SeatsLookout] = Lookouts(MOST_STREAMS)

    def look(self, event_id: str) -> None:
        """The seats of an event have changed here."""
        self._lookouts.wake(event_id)

    async def stream(
        self, request: Request, event_id: str, render: Render | None = None
    ) -> Response:
        """What is left, and every change of it. Anybody may follow."""
        from starlette.responses import StreamingResponse

        seats = seats_out(await self._festival.seats.of(event_id), self._festival.now())
        lookout = self._lookouts.of(
            event_id, lambda: _SeatsLookout(self._festival, event_id, seats)
        )
        answer = self._festival.runtime.events.stream(
            request, [lookout.topic], snapshot=lookout.picture, render=render
        )
        text = self._lookouts.followed(event_id, lookout, answer.body_iterator)
        return StreamingResponse(text, headers=answer.headers, media_type=answer.media_type)


class _SeatsLookout(Lookout):
    def __init__(self, festival: Festival, event_id: str, seats: SeatsOut) -> None:
        near = festival.runtime.settings.local
        super().__init__(f"kurukshetra-seats/{event_id}", _NEAR if near else _FAR)
        self._festival = festival
        self._event_id = event_id
        self._seats = seats

    async def picture(self) -> Mapping[str, object]:
        """All of it, for somebody who knows nothing yet."""
        return self._seats.model_dump(mode="json")

    async def looked(self) -> bool:
        found = await self._festival.db.run(reads.seats(self._event_id))
        if found is None:
            return False
        seats = seats_out(found, self._festival.now())
        if seats != self._seats:
            self._seats = seats
            self._festival.runtime.events.publish(self.topic, "seats", await self.picture())
        return False
