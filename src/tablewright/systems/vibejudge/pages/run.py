"""Run: analyses of all submissions, started, followed as they go, cancelled and resumed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.events import Event
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import HackId, JobId, SubId, organizer_of
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import tab_path
from tablewright.systems.vibejudge.pages.run_tiles import (
    Grid,
    JobLine,
    grid_of,
    names_of,
    told_tile,
    waiting_grid,
)
from tablewright.systems.vibejudge.rules.phases import has_ended
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Jobs in the history; older ones are a page further.
_LISTED = 10


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/run")
    owner = Depends(organizer_of(courtroom))
    jobs = courtroom.jobs

    async def status_of(by: Caller, hackathon: HackathonDetail, job_id: str) -> dict[str, object]:
        """How far a job is, and what was spent."""
        state = await jobs.read(by, hackathon.hack_id, job_id)
        return {
            "line": JobLine(state.job, courtroom.now()),
            "job": state.job,
            "books": await courtroom.budgets.costs(by, hackathon.hack_id),
            "run_path": tab_path(hackathon.hack_id, "Run"),
            "costs_path": tab_path(hackathon.hack_id, "Costs"),
        }

    async def estimated(by: Caller, hackathon: HackathonDetail) -> dict[str, object]:
        """What it would cost; or why that cannot be said, in the same place."""
        try:
            estimate = await courtroom.budgets.estimate(by, hackathon.hack_id)
        except Problem as problem:
            if problem.status not in (409, 429):
                raise
            return {"estimate": None, "unknown": problem}
        return {"estimate": estimate, "unknown": None}

    @routes.get("")
    async def run(
        request: Request,
        hack_id: HackId,
        job: str | None = None,
        cursor: str | None = None,
        estimate: bool = False,
        by: Caller = owner,
    ) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        history = await jobs.of(by, hack_id, _LISTED, cursor)
        latest = history[0].job_id if history and cursor is None else None
        chosen = job or hackathon.active_job_id or latest
        now, path = courtroom.now(), tab_path(hack_id, "Run")
        startable = may_start(hackathon)
        context: dict[str, object] = {
            "startable": startable,
            "trial": not has_ended(hackathon, now),
            "history": [JobLine(each, now) for each in history],
            "more": with_query(path, cursor=history.cursor, job=chosen),
            "chosen": chosen,
            "latest": job is None,
            "line": None,
            "run_path": path,
            "costs_path": tab_path(hack_id, "Costs"),
        }
        if history.cursor is None:
            context["more"] = ""
        if startable and (estimate or hackathon.agent_provider == "static"):
            context.update(await estimated(by, hackathon))
        if chosen is None:
            context["grid"] = await waiting_grid(courtroom, by, hack_id)
        else:
            context.update(await status_of(by, hackathon, chosen))
            context.update(grid_context(hack_id, chosen, await tiles(by, hack_id, chosen)))
        return shown(pages, request, "vibejudge/run.html", hackathon, "Run", status=200, **context)

    async def tiles(by: Caller, hack_id: str, job_id: str, cursor: str | None = None) -> Grid:
        return await grid_of(courtroom, by, hack_id, job_id, cursor)

    @routes.get("/estimate")
    async def estimate(request: Request, hack_id: HackId, by: Caller = owner) -> Response:
        """What an analysis would cost, for the page; repositories are read for it."""
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        context = await estimated(by, hackathon)
        return pages.render(
            request,
            "vibejudge/run_estimate.html",
            status=200,
            hackathon=hackathon,
            run_path=tab_path(hack_id, "Run"),
            costs_path=tab_path(hack_id, "Costs"),
            **context,
        )

    # --- while it goes on ------------------------------------------------------------------------

    @routes.get("/jobs/{job_id}/status")
    async def status(
        request: Request, hack_id: HackId, job_id: JobId, by: Caller = owner
    ) -> Response:
        """Fetched again while the job goes on; at its end, the page itself."""
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        context = await status_of(by, hackathon, job_id)
        answer = pages.render(
            request, "vibejudge/run_status.html", status=200, hackathon=hackathon, **context
        )
        line = context["line"]
        if isinstance(line, JobLine) and not line.live:
            answer.headers["HX-Refresh"] = "true"
        return answer

    @routes.get("/jobs/{job_id}/grid")
    async def grid(
        request: Request,
        hack_id: HackId,
        job_id: JobId,
        cursor: str | None = None,
        by: Caller = owner,
    ) -> Response:
        found = grid_context(hack_id, job_id, await tiles(by, hack_id, job_id, cursor))
        return pages.render(request, "vibejudge/run_grid.html", status=200, **found)

    @routes.get("/jobs/{job_id}/live")
    async def live(
        request: Request, hack_id: HackId, job_id: JobId, by: Caller = owner
    ) -> Response:
        """Tiles that change, one by one; of all else only that it has happened."""
        await jobs.owned(by, hack_id, job_id)
        names = await names_of(courtroom, hack_id)

        def render(event: Event) -> str:
            return tile_text(event.data, hack_id, names) if event.kind == "task" else ""

        return await courtroom.watching.stream(request, by, hack_id, job_id, render)

    def tile_text(data: Mapping[str, object], hack_id: str, names: Mapping[str, str]) -> str:
        tile = told_tile(data, hack_id, names)
        path = tab_path(hack_id, "Run")
        if tile is None:
            return ""
        return pages.fragment("vibejudge/run_tile.html", tile=tile, run_path=path)

    @routes.get("/results/{sub_id}")
    async def result(
        request: Request, hack_id: HackId, sub_id: SubId, by: Caller = owner
    ) -> Response:
        """What has become of one submission, for its tile."""
        found = await courtroom.submissions.read(by, hack_id, sub_id)
        return pages.render(request, "vibejudge/run_result.html", submission=found)

    # --- acting ----------------------------------------------------------------------------------

    async def acted(
        request: Request, hack_id: str, act: Callable[[], Awaitable[object]], said: str
    ) -> Response:
        """What is asked of a job; if it cannot be done now, the page says why."""
        path = tab_path(hack_id, "Run")
        try:
            await act()
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, path, problem.detail, tone="warning")
        return pages.done(request, path, said)

    @routes.post("/start")
    async def start(request: Request, hack_id: HackId, by: Caller = owner) -> Response:
        return await acted(
            request, hack_id, lambda: jobs.start(by, hack_id), "The analysis has started."
        )

    @routes.post("/retry")
    async def retry(request: Request, hack_id: HackId, by: Caller = owner) -> Response:
        """Analyse what failed before, and nothing else."""
        said = "The failed submissions are analysed again."
        return await acted(request, hack_id, lambda: jobs.start(by, hack_id, scope="failed"), said)

    @routes.post("/retry/{sub_id}")
    async def retry_one(
        request: Request, hack_id: HackId, sub_id: SubId, by: Caller = owner
    ) -> Response:
        return await acted(
            request,
            hack_id,
            lambda: jobs.start(by, hack_id, scope="one", sub_id=sub_id),
            "The submission is analysed again.",
        )

    @routes.post("/jobs/{job_id}/cancel")
    async def cancel(
        request: Request, hack_id: HackId, job_id: JobId, by: Caller = owner
    ) -> Response:
        said = "It ends as soon as what is in work has stopped. What is done stays."
        return await acted(request, hack_id, lambda: jobs.cancel(by, hack_id, job_id), said)

    @routes.post("/jobs/{job_id}/resume")
    async def resume(
        request: Request, hack_id: HackId, job_id: JobId, by: Caller = owner
    ) -> Response:
        said = "It goes on with what was not done."
        return await acted(request, hack_id, lambda: jobs.resume(by, hack_id, job_id), said)

    return routes


def grid_context(hack_id: str, job_id: str, grid: Grid) -> dict[str, object]:
    path = tab_path(hack_id, "Run")
    rest = with_query(f"{path}/jobs/{job_id}/grid", cursor=grid.cursor) if grid.cursor else ""
    return {"grid": grid, "grid_more": rest, "run_path": path}


def may_start(hackathon: HackathonDetail) -> bool:
    """Whether an analysis could be started now; whether it can is decided when it is."""
    return (
        hackathon.active_job_id is None
        and hackathon.status in ("configured", "completed")
        and not hackathon.has_final_scores
        and hackathon.submission_count > 0
    )
