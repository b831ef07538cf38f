"""Joining a team, by its code or by an invitation; who has not registered does that first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.auth.auth import address_of
from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import shown
from tablewright.systems.kurukshetra.pages.registration_form import at_its_field, read_code
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_REFUSED: Final = (403, 404, 409, 422, 429)


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/join")
    somebody = Depends(caller_of(festival))

    async def page(request: Request, by: Caller, **said: object) -> Response:
        problem = said.get("problem")
        return shown(
            pages,
            request,
            "kurukshetra/join.html",
            await festival.events.config(by.event_id),
            status=problem.status if isinstance(problem, Problem) else 200,
            **{
                "heading": "Join a team",
                "action": paths.join_path(by.event_id),
                "team_path": paths.team_path(by.event_id),
                "in_team": by.team_id is not None,
                **said,
            },
        )

    @routes.get("")
    async def join(
        request: Request, e: EventId, code: str = "", team: str = "", by: Caller = somebody
    ) -> Response:
        by = await festival.access.now(by.principal, e)
        if by.participant_id is None:
            along = {"code": code[:40], "team": team[:60]}
            return RedirectResponse(with_query(paths.register_path(e), **along), 303)
        return await page(request, by, code=code[:40], team=team[:60])

    @routes.post("")
    async def joined(request: Request, e: EventId, by: Caller = somebody) -> Response:
        by, values = await festival.access.now(by.principal, e), await typed(request)
        team = values.get("team", "")
        try:
            if team:
                found = await festival.teams.accept(by, team)
            else:
                found = await festival.teams.join(by, read_code(values), address_of(request))
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            refused = at_its_field(problem)
            return await page(request, by, problem=refused, values=values, code="", team="")
        message = f"Welcome to {found.name}."
        return pages.done(request, paths.team_path(e), message)

    return routes
