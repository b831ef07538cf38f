"""What is done with a hackathon as a whole: activated, reopened, put away, erased."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.paths import HACKATHONS, hackathon_path, tab_path
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

Act = Callable[[Caller, str], Awaitable[HackathonDetail]]


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}")
    organizer = Depends(organizer_of(courtroom))
    hackathons = courtroom.hackathons

    async def acted(request: Request, by: Caller, hack_id: str, act: Act, message: str) -> Response:
        """Do it and say so; what is in its way is said on the hackathon's page, too."""
        here = hackathon_path(hack_id)
        try:
            done = await act(by, hack_id)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, here, problem.detail, tone="warning")
        return pages.done(request, here, f"{done.name} {message}")

    @routes.post("/activate")
    async def activate(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        message = "is open: it takes submissions from now on."
        return await acted(request, by, hack_id, hackathons.activate, message)

    @routes.post("/reopen")
    async def reopen(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        message = "is open again."
        return await acted(request, by, hack_id, hackathons.reopen, message)

    @routes.post("/archive")
    async def archive(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        message = "is archived: it can be read, and stays as it is."
        return await acted(request, by, hack_id, hackathons.archive, message)

    @routes.post("/erase")
    async def erase(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        """Only if its name was typed: it cannot be undone."""
        hackathon = await hackathons.owned(by, hack_id)
        edit = tab_path(hack_id, "Edit")
        if (await typed(request)).get("confirmation", "") != hackathon.name:
            message = "Nothing is erased: the name that was typed is another one."
            return pages.done(request, edit, message, tone="warning")
        try:
            await courtroom.erasing.begin_hackathon(by, hack_id)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, edit, problem.detail, tone="warning")
        message = f"{hackathon.name} is erased. What belongs to it goes in the next minutes."
        return pages.done(request, HACKATHONS, message, tone="info")

    return routes
