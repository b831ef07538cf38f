"""One hackathon at a glance: how far it is, what comes next, how it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.systems.vibejudge.analysis import AnalysisJob
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import gallery_path
from tablewright.systems.vibejudge.pages.weighing import Weighing, weighed
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

Progress = Literal["done", "active", "ahead"]


@dataclass(frozen=True)
class Step:
    """A part of the way from a plan to results."""

    title: str
    text: str
    progress: Progress


@dataclass(frozen=True)
class Glance:
    """What the overview shows of a hackathon."""

    steps: list[Step]
    weighing: Weighing
    spent_usd: Decimal
    last_job: AnalysisJob | None
    #: What everybody sees, if there is such a page.
    public_url: str


#: Where a hackathon is on its way, by its state; released ones have arrived.
_PLACES = {"draft": 0, "configured": 1, "analyzing": 2, "completed": 3, "archived": 4}
_WAY = (
    ("Set up", "Dates, rubric and rules are chosen."),
    ("Collect", "Teams hand in, or you add them."),
    ("Analyse", "Agents score each repository at its commit."),
    ("Release", "Judge, blend, and show teams their results."),
)


def steps_of(hackathon: HackathonDetail) -> list[Step]:
    place = 4 if hackathon.released_at is not None else _PLACES[hackathon.status]

    def progress(at: int) -> Progress:
        return "done" if at < place else "active" if at == place else "ahead"

    return [Step(title, text, progress(at)) for at, (title, text) in enumerate(_WAY)]


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}")
    organizer = Depends(organizer_of(courtroom))

    async def glance(by: Caller, hackathon: HackathonDetail) -> Glance:
        hack_id = hackathon.hack_id
        books = await courtroom.budgets.costs(by, hack_id)
        jobs = await courtroom.jobs.of(by, hack_id, limit=1)
        open_to_all = hackathon.visibility == "public" and hackathon.status != "draft"
        return Glance(
            steps_of(hackathon),
            weighed(hackathon.rubric.dimensions, hackathon),
            books.cost.total_cost_usd,
            next(iter(jobs), None),
            courtroom.runtime.settings.url + gallery_path(hack_id) if open_to_all else "",
        )

    @routes.get("")
    async def overview(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        return shown(
            pages,
            request,
            "vibejudge/overview.html",
            hackathon,
            "Overview",
            glance=await glance(by, hackathon),
            ended=hackathon.end_date is not None and hackathon.end_date <= courtroom.now(),
        )

    return routes
