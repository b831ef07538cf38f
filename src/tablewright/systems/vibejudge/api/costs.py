"""``/hackathons/{hack_id}/costs``: what it has cost, and what it would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.api.callers import HackId, SubId, organizer_of
from tablewright.systems.vibejudge.bodies.costs import (
    CallOut,
    CostsOut,
    EstimateOut,
    call_out,
    costs_out,
    estimate_out,
)
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Less than the route is allowed.
_READING_SECS = 60.0


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/hackathons/{hack_id}", tags=["costs"])
    organizer = Depends(organizer_of(courtroom))

    @routes.get("/costs", responses=refusals(404))
    async def read_costs(hack_id: HackId, by: Caller = organizer) -> CostsOut:
        """What it has cost, by agent and model, and what is left of its budget."""
        return costs_out(await courtroom.budgets.costs(by, hack_id))

    @routes.get("/submissions/{sub_id}/costs", responses=refusals(404))
    async def list_calls(
        hack_id: HackId, sub_id: SubId, paging: Paging, by: Caller = organizer
    ) -> PageBody[CallOut]:
        """Every call of a model that was paid for a submission, of all its runs."""
        page = await courtroom.budgets.costs_of(
            by, hack_id, sub_id, limit=paging.limit, cursor=paging.cursor
        )
        return page_body(page, [call_out(each) for each in page])

    @routes.post(
        "/analyze/estimate",
        responses=refusals(
            {
                404: "There is no such hackathon.",
                409: "`UNKNOWN_MODEL`: no price is known for a model; "
                "`MODELS_NOT_CONFIGURED`: no model can be asked here.",
            }
        ),
    )
    async def estimate_analysis(hack_id: HackId, by: Caller = organizer) -> EstimateOut:
        """What an analysis would cost. Some repositories are read for it; nothing is started."""
        return estimate_out(await courtroom.budgets.estimate(by, hack_id, _READING_SECS))

    return routes
