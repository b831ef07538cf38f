"""One's own ticket, to be shown at the door."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import EventFrame, crumbs_of, shown
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/ticket")
    somebody = Depends(caller_of(festival))

    async def page(request: Request, by: Caller, **said: object) -> Response:
        config = await festival.events.config(by.event_id)
        team_path = paths.team_path(by.event_id)
        return shown(
            pages,
            request,
            "kurukshetra/ticket.html",
            config,
            status=200,
            **{
                "heading": "Your ticket",
                "crumbs": crumbs_of(EventFrame(config), ("My team", team_path)),
                "team_path": team_path,
                "ticket": None,
                "here": paths.ticket_path(by.event_id),
                **said,
            },
        )

    @routes.get("")
    async def ticket(request: Request, e: EventId, by: Caller = somebody) -> Response:
        by = await festival.access.now(by.principal, e)
        if by.participant_id is None:
            return RedirectResponse(paths.register_path(e), 303)
        try:
            issued = await festival.tickets.ticket(by)
        except Problem as problem:
            if problem.code != "NOT_PAID":
                raise
            return await page(request, by, why=problem.detail)
        return await page(request, by, ticket=issued)

    @routes.post("/renew")
    async def renew(request: Request, e: EventId, by: Caller = somebody) -> Response:
        """For who has lost theirs: what was shown before is worthless."""
        by = await festival.access.now(by.principal, e)
        here = paths.ticket_path(e)
        try:
            await festival.tickets.renew(by)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, here, problem.detail, tone="warning")
        return pages.done(request, here, "This is your new ticket. The old one is worthless.")

    return routes
