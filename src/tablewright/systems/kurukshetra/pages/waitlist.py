"""The waitlist: who waits for a seat, in which order, and who was offered one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem, told
from tablewright.systems.kurukshetra.api.callers import TeamId, role_of
from tablewright.systems.kurukshetra.pages.backstage import LISTS, ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.paths import admin_path, event_path
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Waitlist"
_LISTED: Final = 50


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/waitlist")
    reader = Depends(role_of(festival, *LISTS))
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    @routes.get("")
    async def waitlist(
        request: Request, cursor: str | None = None, past: int = 0, by: Caller = reader
    ) -> Response:
        """``past``: how many stand on the pages before, so that places are counted on."""
        page = await festival.seats.queue(by, _LISTED, cursor)
        counted = past + len(page) if cursor else len(page)
        here = tab_path(by.event_id, TAB)
        return await backstage.shown(
            request,
            "kurukshetra/waitlist.html",
            by,
            TAB,
            waiting=list(page),
            more=with_query(here, cursor=page.cursor, past=counted) if page.cursor else "",
            past=past if cursor else 0,
            offers=[] if cursor else await festival.seats.offers(by),
            seats=await festival.seats.of(by.event_id),
            teams_path=admin_path(by.event_id, "/teams"),
            live_path=f"{event_path(by.event_id)}/live",
            path=here,
            acts=by.has(*ORGANIZERS),
        )

    @routes.post("/{t}/leave")
    async def leave(request: Request, t: TeamId, by: Caller = organizer) -> Response:
        """A team waits no longer; it can queue again, behind the others."""
        place = tab_path(by.event_id, TAB)
        try:
            team = await festival.seats.leave(by, t)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, place, told(problem), tone="warning")
        return pages.done(request, place, f"{team.name} waits no longer.", tone="info")

    return routes
