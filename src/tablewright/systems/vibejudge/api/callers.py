"""Who calls a route, as FastAPI knows it; and the ids in its path.

An id that cannot be one is not refused here: like somebody else's, it is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import Depends, Path

from tablewright.service.auth import Principal
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_EXAMPLE = "01KAGM5W00000000000000000A"
HackId: TypeAlias = Annotated[str, Path(description="The hackathon.", examples=[_EXAMPLE])]
SubId: TypeAlias = Annotated[str, Path(description="The submission.", examples=[_EXAMPLE])]
JobId: TypeAlias = Annotated[str, Path(description="The job.", examples=[_EXAMPLE])]

CallerOf: TypeAlias = Callable[..., Awaitable[Caller]]


def organizer_of(courtroom: Courtroom, *, stream: bool = False) -> CallerOf:
    """A dependency: an organiser, or an administrator. ``by: Caller = Depends(organizer_of(c))``.

    ``stream`` is for streams of events, which may come with a stream token instead.
    """
    auth = courtroom.runtime.auth
    required = auth.require_stream if stream else auth.require
    principal = Depends(required("organizer", "admin"))

    async def organizer(by: Principal = principal) -> Caller:
        caller = await courtroom.organizers.caller(by)
        if not caller.admin:
            caller.registered()
        return caller

    return organizer


def judge_of(courtroom: Courtroom) -> CallerOf:
    """A dependency: a judge."""
    principal = Depends(courtroom.runtime.auth.require("judge"))

    async def judge(by: Principal = principal) -> Caller:
        caller = await courtroom.organizers.caller(by)
        caller.judging()
        return caller

    return judge
