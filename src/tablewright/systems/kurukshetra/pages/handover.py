"""Handing paid teams over to judging, each once; and what judging did not take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.service.problems import Problem, told
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.jobs import Job
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.jobs import latest
from tablewright.systems.kurukshetra.pages.paths import run_team_path
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.handover.handover import JOB

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Handover"
_JOBS: Final = 10


@dataclass(frozen=True)
class Refusal:
    """A team that judging did not take, and why."""

    team_id: str
    path: str
    why: str


def refusals_of(job: Job) -> list[Refusal]:
    """Those of the last handover."""
    said = job.result.get("refusals")
    found = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
    return [
        Refusal(
            str(each.get("team_id", "")),
            run_team_path(job.event_id, str(each.get("team_id", ""))),
            str(each.get("detail") or each.get("code") or ""),
        )
        for each in found
    ]


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/handover")
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    @routes.get("")
    async def handover(request: Request, by: Caller = organizer) -> Response:
        jobs = await latest(festival, by, JOB, _JOBS)
        ended = next((each.job for each in jobs if not each.going), None)
        return await backstage.shown(
            request,
            "kurukshetra/handover.html",
            by,
            TAB,
            jobs=jobs,
            refusals=[] if ended is None else refusals_of(ended),
            connected=festival.handover.sink is not None,
            path=tab_path(by.event_id, TAB),
        )

    @routes.post("")
    async def start(request: Request, by: Caller = organizer) -> Response:
        place = tab_path(by.event_id, TAB)
        try:
            await festival.handover.start(by)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, place, told(problem), tone="warning")
        return pages.done(request, place, "The teams are being handed over.")

    return routes
