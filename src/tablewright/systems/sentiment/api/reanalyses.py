"""``/reanalyses``: comparing models, and putting one in another's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path

from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.bodies.reanalyses import (
    ReanalysisIn,
    ReanalysisOut,
    job_out,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

JobId = Annotated[
    str, Path(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$", description="What the list calls it by.")
]
_UNAVAILABLE = "`MODEL_UNAVAILABLE`: it is not registered, or cannot be loaded here"
_STATE = "`JOB_STATE`: the job, or another one, does not allow it"


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/reanalyses", tags=["re-analyses"])
    admin = Depends(newsroom.runtime.auth.require("admin"))
    jobs = newsroom.jobs

    @routes.get("")
    async def list_reanalyses(paging: Paging, _: Principal = admin) -> PageBody[ReanalysisOut]:
        """All comparisons, the latest first."""
        page = await jobs.list(paging.limit, paging.cursor)
        return page_body(page, [job_out(each) for each in page])

    @routes.post(
        "",
        status_code=201,
        responses=refusals(
            {
                409: f"{_UNAVAILABLE}; `ALREADY_ACTIVE`: there is nothing to compare it with.",
                422: "`BAD_RANGE`: no time of the last 30 days; or `INVALID`.",
            }
        ),
    )
    async def start_reanalysis(body: ReanalysisIn, by: Principal = admin) -> ReanalysisOut:
        """Let another model judge the articles of some time, and compare."""
        return job_out(await jobs.start(body.model_version, body.since, body.until, by))

    @routes.get("/{job_id}", responses=refusals(404))
    async def get_reanalysis(job_id: JobId, _: Principal = admin) -> ReanalysisOut:
        """A comparison, and how far it is."""
        return job_out(await jobs.get(job_id))

    @routes.post("/{job_id}/promote", responses=refusals(404, {409: f"{_STATE}; {_UNAVAILABLE}."}))
    async def promote_reanalysis(job_id: JobId, by: Principal = admin) -> ReanalysisOut:
        """Make the model the active one, and let all articles follow; verdicts of people stay."""
        return job_out(await jobs.promote(job_id, by))

    @routes.post("/{job_id}/rollback", responses=refusals(404, {409: f"{_STATE}; {_UNAVAILABLE}."}))
    async def roll_back_reanalysis(job_id: JobId, by: Principal = admin) -> ReanalysisOut:
        """Make the model active that was so before; gives the new job that does it."""
        return job_out(await jobs.rollback(job_id, by))

    @routes.post("/{job_id}/cancel", responses=refusals(404, {409: f"{_STATE}."}))
    async def cancel_reanalysis(job_id: JobId, by: Principal = admin) -> ReanalysisOut:
        """End a comparison."""
        return job_out(await jobs.cancel(job_id, by))

    return routes
