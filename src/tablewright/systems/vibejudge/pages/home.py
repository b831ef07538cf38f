"""Where everybody begins: organisers at their hackathons, judges at their desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends
from starlette.responses import RedirectResponse, Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.systems.vibejudge.pages.paths import DESK, HACKATHONS, ORGANIZERS

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter()
    anybody = Depends(courtroom.runtime.auth.require())

    @routes.get("/")
    async def home(who: Principal = anybody) -> Response:
        return RedirectResponse(HACKATHONS if who.has(*ORGANIZERS) else DESK, 303)

    return routes
