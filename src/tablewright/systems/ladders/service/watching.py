"""A review, followed as it goes: one look for all who follow the same one in this process.

Others write assessments in any process, so changes are found by looking every few seconds. Nobody
looks at a review that nobody follows. What is told is numbers alone: who follows fetches the rest
with their own rights.

Events: ``snapshot``, then ``progress`` whenever something is different.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem
from tablewright.systems.ladders import reads
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.systems.ladders.service.company import Company

log = logging.getLogger("tablewright.ladders")

#: Seconds between looks: where the engine is near, and where reading costs money.
_NEAR, _FAR = 1.0, 5.0
#: Streams that a process has open: each takes the place of a request.
MOST_STREAMS: Final = 500
#: How far everything is: what it is, its state, and how many answers it has.
Picture: TypeAlias = frozenset[tuple[str, str, int]]


class Watching:
    """The reviews that somebody follows in this process."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._lookouts: dict[str, _Lookout] = {}

    async def stream(self, request: Request, by: Caller, plan_id: str) -> Response:
        """Every change of a review, for who may see its board."""
        from starlette.responses import StreamingResponse

        await self._company.plans.found(by, plan_id, "read_board")
        if sum(each.readers for each in self._lookouts.values()) >= MOST_STREAMS:
            detail = "Too many streams are open. Try again later."
            raise Problem(429, "STREAM_LIMIT", detail, headers={"Retry-After": "30"})
        lookout = self._lookouts.get(plan_id) or _Lookout(self._company, plan_id)
        answer = self._company.runtime.events.stream(
            request, [lookout.topic], snapshot=lookout.told
        )
        text = self._following(lookout, answer.body_iterator)
        return StreamingResponse(text, headers=answer.headers, media_type=answer.media_type)

    async def _following(
        self, lookout: _Lookout, chunks: AsyncIterable[object]
    ) -> AsyncIterator[bytes]:
        # Another may have come first while this one was on its way.
        lookout = self._lookouts.setdefault(lookout.plan_id, lookout)
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
            if self._lookouts.get(lookout.plan_id) is lookout:
                del self._lookouts[lookout.plan_id]


class _Lookout:
    """What is known of one review, and who tells of its changes."""

    def __init__(self, company: Company, plan_id: str) -> None:
        self._company = company
        self.plan_id = plan_id
        self.topic = f"ladders-board/{plan_id}"
        self.readers = 0
        self._known: Picture | None = None
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), name=f"board of {self.plan_id}")

    def stop(self) -> None:
        """Somebody may be on their way to it: then it starts again."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def told(self) -> Mapping[str, object]:
        """How many of what; for somebody who knows nothing yet, nothing is new."""
        known = self._known or frozenset()
        return {"submitted": sum(status == "submitted" for _, status, _ in known)}

    async def _look(self) -> None:
        pause = _NEAR if self._company.runtime.settings.local else _FAR
        while True:
            try:
                await self._looked()
            except TablewrightError as error:
                log.warning("the board of %s cannot be looked at: %s", self.plan_id, error)
            await asyncio.sleep(pause)

    async def _looked(self) -> None:
        picture = await self._picture()
        if self._known is not None and picture != self._known:
            self._known = picture
            self._company.runtime.events.publish(self.topic, "progress", await self.told())
        self._known = picture

    async def _picture(self) -> Picture:
        db = self._company.db
        lines = [
            (each.assessment_id, each.status, -1 if each.withdrawn_at else each.answered)
            async for each in db.iterate(reads.board(self.plan_id))
        ]
        reports = [
            (each.report_id, f"report {each.status}", 0)
            async for each in db.iterate(reads.reports_of_plan(self.plan_id))
        ]
        return frozenset((*lines, *reports))
