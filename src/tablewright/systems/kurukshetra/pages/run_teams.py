"""A team, as who runs the event sees it: finance its money, organisers its people too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.systems.kurukshetra.api.callers import TeamId, role_of
from tablewright.systems.kurukshetra.pages.backstage import FINANCE, LISTS, STAFF, Backstage
from tablewright.systems.kurukshetra.pages.paths import payment_path, person_path
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/teams")
    staff = Depends(role_of(festival, *STAFF))
    backstage = Backstage(festival, pages)

    @routes.get("/{team_id}")
    async def team(request: Request, team_id: TeamId, by: Caller = staff) -> Response:
        found = await festival.teams.read(by, team_id)
        sees_people = by.has(*LISTS)
        paths = {
            each.participant_id: person_path(by.event_id, each.participant_id)
            for each in found.members
        }
        money = by.has(*FINANCE, "auditor")
        return await backstage.shown(
            request,
            "kurukshetra/run_team.html",
            by,
            "Registrations" if sees_people else "Payments",
            heading=found.team.name,
            view=found,
            team=found.team,
            member_paths=paths if sees_people else {},
            payment_paths={
                each.payment_id: payment_path(by.event_id, each.payment_id) if money else ""
                for each in found.payments
            },
            may_refund=by.has(*FINANCE),
        )

    return routes
