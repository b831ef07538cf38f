"""``/hackathons/{hack_id}/analyze`` and ``/jobs``: analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request, Response

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.api.callers import HackId, JobId, organizer_of
from tablewright.systems.vibejudge.bodies.jobs import (
    AnalyzeIn,
    JobOut,
    TaskOut,
    job_out,
    task_out,
)
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_ACTIVE = "`JOB_ACTIVE`: it is being analysed, by the job in `job_id`"
_CANNOT = (
    "`HACKATHON_STATE`, `RELEASED`, `NO_SUBMISSIONS`, `MODELS_NOT_CONFIGURED`: it cannot be "
    "analysed now"
)
_NOTHING = "`NOTHING_FAILED`, `WITHDRAWN`: there is nothing to retry"
_STATE = "`JOB_STATE`: the job is in a state that does not allow it"


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/hackathons/{hack_id}", tags=["jobs"])
    owner = Depends(organizer_of(courtroom))
    follower = Depends(organizer_of(courtroom, stream=True))
    jobs = courtroom.jobs

    @routes.post(
        "/analyze",
        status_code=202,
        responses=refusals(404, {409: f"{_ACTIVE}; {_CANNOT}; {_NOTHING}."}),
    )
    async def analyze_hackathon(
        hack_id: HackId,
        request: Request,
        response: Response,
        body: AnalyzeIn | None = None,
        by: Caller = owner,
    ) -> JobOut:
        """Analyse all submissions, those that failed, or one: a job, which can be followed.

        A run before the end of the hackathon is a trial: teams go on handing in.
        """
        wanted = body or AnalyzeIn()
        scope = wanted.scope if wanted.sub_id is None else "one"
        job = await jobs.start(by, hack_id, scope=scope, sub_id=wanted.sub_id)
        path = request.url.path.removesuffix("/analyze")
        response.headers["Location"] = f"{path}/jobs/{job.job_id}"
        return job_out(job)

    @routes.get("/jobs", responses=refusals(404))
    async def list_jobs(hack_id: HackId, paging: Paging, by: Caller = owner) -> PageBody[JobOut]:
        """The jobs of a hackathon, the latest first; they are kept for 30 days."""
        page = await jobs.of(by, hack_id, paging.limit, paging.cursor)
        return page_body(page, [job_out(each) for each in page])

    @routes.get("/jobs/{job_id}", responses=refusals(404))
    async def get_job(hack_id: HackId, job_id: JobId, by: Caller = owner) -> JobOut:
        """A job, and how far it is."""
        return job_out((await jobs.read(by, hack_id, job_id)).job)

    @routes.get("/jobs/{job_id}/tasks", responses=refusals(404))
    async def list_tasks(
        hack_id: HackId, job_id: JobId, paging: Paging, by: Caller = owner
    ) -> PageBody[TaskOut]:
        """The submissions of a job, and what has become of each."""
        page = await jobs.tasks(by, hack_id, job_id, paging.limit, paging.cursor)
        return page_body(page, [task_out(each) for each in page])

    @routes.get(
        "/jobs/{job_id}/events",
        response_class=Response,
        responses={
            200: {"content": {"text/event-stream": {}}, "description": "Events, until the end."},
            204: {"description": "The job has ended, and you have seen it."},
            **refusals(404, {429: "`STREAM_LIMIT`: 20 of one organiser, 500 in a process."}),
        },
    )
    async def follow_job(
        hack_id: HackId, job_id: JobId, request: Request, by: Caller = follower
    ) -> Response:
        """A job as it goes: `snapshot`, then `job`, `task` and `spend`, and `end`."""
        return await courtroom.watching.stream(request, by, hack_id, job_id)

    @routes.post(
        "/jobs/{job_id}/cancel", status_code=202, responses=refusals(404, {409: f"{_STATE}."})
    )
    async def cancel_job(hack_id: HackId, job_id: JobId, by: Caller = owner) -> JobOut:
        """End a job: what waits is cancelled, what is in work publishes nothing. Costs stay."""
        return job_out((await jobs.cancel(by, hack_id, job_id)).job)

    @routes.post(
        "/jobs/{job_id}/resume",
        status_code=202,
        responses=refusals(404, {409: f"{_STATE}; {_ACTIVE}; {_CANNOT}."}),
    )
    async def resume_job(hack_id: HackId, job_id: JobId, by: Caller = owner) -> JobOut:
        """Do what a failed or cancelled job has not done; agents that answered are not asked."""
        return job_out((await jobs.resume(by, hack_id, job_id)).job)

    return routes
