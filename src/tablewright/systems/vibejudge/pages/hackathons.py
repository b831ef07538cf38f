"""The organiser's hackathons: which there are, and how far each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.entities import Hackathon
from tablewright.systems.vibejudge.pages.paths import HACKATHONS, hackathon_path
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.organizers import Profile

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_LISTED = 25


@dataclass(frozen=True)
class HackathonLine:
    """A hackathon, as the list shows it."""

    row: Hackathon

    @property
    def path(self) -> str:
        return hackathon_path(self.row.hack_id)

    @property
    def order(self) -> int:
        """How far it is, for sorting."""
        states = ("draft", "configured", "analyzing", "completed", "archived")
        return states.index(self.row.status)


@dataclass(frozen=True)
class Mine:
    """What somebody has; an administrator may have nothing of their own."""

    lines: list[HackathonLine]
    more: str = ""
    profile: Profile | None = None


async def mine(courtroom: Courtroom, by: Caller, cursor: str | None) -> Mine:
    if by.org_id is None:
        return Mine([])
    page = await courtroom.hackathons.of(by, _LISTED, cursor)
    more = with_query(HACKATHONS, cursor=page.cursor)
    return Mine(
        [HackathonLine(each) for each in page],
        more if page.cursor else "",
        await courtroom.organizers.me(by),
    )


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons")
    organizer = Depends(organizer_of(courtroom))

    @routes.get("")
    async def listed(
        request: Request, cursor: str | None = None, by: Caller = organizer
    ) -> Response:
        return await _shown(request, by, cursor)

    @routes.get("/find")
    async def find(request: Request, hack_id: str = "", by: Caller = organizer) -> Response:
        """One by its id: administrators reach all of them, and see no list of all."""
        wanted = hack_id.strip().upper()
        try:
            found = await courtroom.hackathons.owned(by, wanted)
        except Problem as problem:
            return await _shown(request, by, None, problem=problem, values={"hack_id": hack_id})
        return RedirectResponse(hackathon_path(found.hack_id), 303)

    async def _shown(
        request: Request, by: Caller, cursor: str | None, **context: object
    ) -> Response:
        problem = context.get("problem")
        status = problem.status if isinstance(problem, Problem) else 200
        return pages.render(
            request,
            "vibejudge/hackathons.html",
            status=status,
            mine=await mine(courtroom, by, cursor),
            admin=by.admin,
            **context,
        )

    return routes
