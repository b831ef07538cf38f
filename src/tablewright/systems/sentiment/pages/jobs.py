"""One comparison of models: its progress and its report; promoting, cancelling, rolling back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.config import Job
from tablewright.systems.sentiment.pages.job_lines import (
    changed_lines,
    job_line,
    job_path,
    kappa_words,
    matrix_of,
)
from tablewright.systems.sentiment.pages.models import MODELS
from tablewright.systems.sentiment.rules.comparison import total

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_LISTED = 25
JobId = Annotated[str, Path(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
#: The first of the changed articles that are shown.
First = Annotated[int, Query(ge=0, le=1000)]


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/models/jobs/{job_id}")
    admin = Depends(newsroom.runtime.auth.require("admin"))
    jobs = newsroom.jobs

    async def context(job: Job, first: int = 0) -> dict[str, object]:
        report = job.report
        ids = [] if report is None else report.changed_ids
        some = ids[first : first + _LISTED]
        rest = first + _LISTED < len(ids)
        active = (await newsroom.setup.current()).active_model
        return {
            "line": job_line(job, newsroom.options.promote_slack_secs),
            "job": job,
            "report": report,
            "matrix": None if report is None else matrix_of(report),
            "kappa_words": None if report is None else kappa_words(report),
            "compared": 0 if report is None else total(report.matrix),
            "named": len(ids),
            "changed": await changed_lines(newsroom, job, some),
            "more": with_query(job_path(job.job_id), first=first + _LISTED) if rest else "",
            "can_promote": job.state == "compared" and active != job.model_version,
            # Only the model in use can be rolled back, by the job that brought it.
            "can_roll_back": job.state in ("promoting", "promoted") and active == job.model_version,
        }

    @routes.get("")
    async def shown(
        request: Request, job_id: JobId, first: First = 0, who: Principal = admin
    ) -> Response:
        found = await context(await jobs.get(job_id), first)
        crumbs = [("Models", MODELS)]
        return pages.render(request, "sentiment/job.html", status=200, crumbs=crumbs, **found)

    @routes.get("/status")
    async def status(request: Request, job_id: JobId, who: Principal = admin) -> Response:
        """What is fetched again while the job is at work; at its end, the page itself."""
        job = await jobs.get(job_id)
        line = job_line(job, newsroom.options.promote_slack_secs)
        answer = pages.render(request, "sentiment/job_status.html", line=line, job=job)
        if not line.at_work:
            answer.headers["HX-Refresh"] = "true"
        return answer

    async def moved(
        request: Request, job_id: str, move: Callable[[], Awaitable[Job]], said: str
    ) -> Response:
        """A step of the job; if others were quicker, the page says so."""
        try:
            job = await move()
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, job_path(job_id), problem.detail, tone="warning")
        return pages.done(request, job_path(job.job_id), said.format(job.model_version))

    @routes.post("/promote")
    async def promote(request: Request, job_id: JobId, who: Principal = admin) -> Response:
        said = "{} is the model in use from now on; all articles follow."
        return await moved(request, job_id, lambda: jobs.promote(job_id, who), said)

    @routes.post("/rollback")
    async def roll_back(request: Request, job_id: JobId, who: Principal = admin) -> Response:
        said = "{} is the model in use again; all articles follow."
        return await moved(request, job_id, lambda: jobs.rollback(job_id, who), said)

    @routes.post("/cancel")
    async def cancel(request: Request, job_id: JobId, who: Principal = admin) -> Response:
        said = "The comparison with {} is cancelled."
        return await moved(request, job_id, lambda: jobs.cancel(job_id, who), said)

    return routes
