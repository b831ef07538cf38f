"""A review, followed as it goes.

Others write assessments in any process, so changes are found by looking every few seconds. What is
told is numbers alone: who follows fetches the rest with their own rights.

Events: ``snapshot``, then ``progress`` whenever something is different.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from tablewright.service.events.lookouts import Lookout, Lookouts
from tablewright.systems.ladders import reads
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.systems.ladders.service.company import Company

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
        self._lookouts: Lookouts[_BoardLookout] = Lookouts(MOST_STREAMS)

    async def stream(self, request: Request, by: Caller, plan_id: str) -> Response:
        """Every change of a review, for who may see its board."""
        from starlette.responses import StreamingResponse

        await self._company.plans.found(by, plan_id, "read_board")
        lookout = self._lookouts.of(plan_id, lambda: _BoardLookout(self._company, plan_id))
        answer = self._company.runtime.events.stream(
            request, [lookout.topic], snapshot=lookout.told
        )
        text = self._lookouts.followed(plan_id, lookout, answer.body_iterator)
        return StreamingResponse(text, headers=answer.headers, media_type=answer.media_type)


class _BoardLookout(Lookout):
    def __init__(self, company: Company, plan_id: str) -> None:
        near = company.runtime.settings.local
        super().__init__(f"ladders-board/{plan_id}", _NEAR if near else _FAR)
        self._company = company
        self._plan_id = plan_id
        self._picture: Picture = frozenset()

    async def told(self) -> Mapping[str, object]:
        """How many of what."""
        await self.known.wait()
        return self._numbers()

    async def looked(self) -> bool:
        picture = await self._found()
        changed, self._picture = picture != self._picture, picture
        if changed and self.known.is_set():
            self._company.runtime.events.publish(self.topic, "progress", self._numbers())
        return False

    def _numbers(self) -> Mapping[str, object]:
        return {"submitted": sum(status == "submitted" for _, status, _ in self._picture)}

    async def _found(self) -> Picture:
        db = self._company.db
        lines = [
            (each.assessment_id, each.status, -1 if each.withdrawn_at else each.answered)
            async for each in db.iterate(reads.board(self._plan_id))
        ]
        reports = [
            (each.report_id, f"report {each.status}", 0)
            async for each in db.iterate(reads.reports_of_plan(self._plan_id))
        ]
        return frozenset((*lines, *reports))
