"""Scorecards, runs, rescoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Depends, Path

from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.api.callers import HackId, SubId, organizer_of
from tablewright.systems.vibejudge.bodies.scorecards import (
    RescoredOut,
    RunDetailOut,
    RunOut,
    ScorecardOut,
    rescored_out,
    run_detail_out,
    run_out,
    scorecard_out,
)
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Each reads all findings of a hackathon.
_RESCORES: Final = Rate(30)
RunId = Annotated[str, Path(description="The run.")]


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["scorecards"])
    organizer = Depends(organizer_of(courtroom))
    scorecards, limits = courtroom.scorecards, courtroom.runtime.limits

    @routes.get(
        "/hackathons/{hack_id}/submissions/{sub_id}/scorecard",
        responses=refusals({404: "`NOT_FOUND`; `NOT_SCORED`: it has not been analysed yet."}),
    )
    async def get_scorecard(hack_id: HackId, sub_id: SubId, by: Caller = organizer) -> ScorecardOut:
        """The scorecard of a submission: scores, evidence, flags and its rank."""
        return scorecard_out(await scorecards.scorecard(by, hack_id, sub_id))

    @routes.get("/hackathons/{hack_id}/submissions/{sub_id}/runs", responses=refusals(404))
    async def list_runs(
        hack_id: HackId, sub_id: SubId, paging: Paging, by: Caller = organizer
    ) -> PageBody[RunOut]:
        """The analyses of a submission, the latest first."""
        page = await scorecards.runs(by, hack_id, sub_id, paging.limit, paging.cursor)
        return page_body(page, [run_out(each) for each in page])

    @routes.get("/hackathons/{hack_id}/submissions/{sub_id}/runs/{run_id}", responses=refusals(404))
    async def get_run(
        hack_id: HackId, sub_id: SubId, run_id: RunId, by: Caller = organizer
    ) -> RunDetailOut:
        """One analysis and what its agents found, also if a later one counts."""
        found = await scorecards.run(by, hack_id, sub_id, run_id)
        return run_detail_out(found)

    @routes.post(
        "/hackathons/{hack_id}/rescore",
        responses=refusals(404, {409: "`ANALYZING`; `RELEASED`; `WRONG_STATE`."}),
    )
    async def rescore(hack_id: HackId, by: Caller = organizer) -> RescoredOut:
        """Score all submissions by the rubric and the policy of now; no agent is asked again.

        If some are left, there were too many for one request: ask once more.
        """
        await limits.check("rescores", by.principal.id, _RESCORES)
        return rescored_out(await scorecards.rescore(by, hack_id))

    return routes
