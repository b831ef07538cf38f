"""What an organiser does with one submission: taken out, taken back, given a new result link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.bodies.submissions import SubmissionPatch
from tablewright.systems.vibejudge.pages.adding import at_its_field, read_handed_in
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import result_path, scorecard_path, tab_path
from tablewright.systems.vibejudge.pages.run import may_start
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


def reason_in(text: str) -> str:
    """Why a team is disqualified; the team is told."""
    if not text:
        error = FieldError("body.reason", "Say why: the team is told.")
        raise Problem(422, "INVALID", error.message, errors=[error])
    return built(SubmissionPatch, {"disqualified": True, "reason": text}).reason or text


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/submissions/{sub_id}")
    organizer = Depends(organizer_of(courtroom))
    submissions = courtroom.submissions

    async def page(
        request: Request, by: Caller, hack_id: str, sub_id: str, **context: object
    ) -> Response:
        hackathon, submission = await submissions.owned(by, hack_id, sub_id)
        problem = context.get("problem")
        return shown(
            pages,
            request,
            "vibejudge/managing.html",
            hackathon,
            "Submissions",
            status=problem.status if isinstance(problem, Problem) else 200,
            heading=submission.team_name,
            submission=submission,
            may_change=not hackathon.has_final_scores and hackathon.status != "archived",
            may_retry=may_start(hackathon) and submission.status != "withdrawn",
            path=scorecard_path(hack_id, sub_id),
            **{"link": "", **context},
        )

    @routes.get("/manage")
    async def manage(
        request: Request, hack_id: str, sub_id: str, by: Caller = organizer
    ) -> Response:
        return await page(request, by, hack_id, sub_id)

    @routes.post("/correct")
    async def correct(
        request: Request, hack_id: str, sub_id: str, by: Caller = organizer
    ) -> Response:
        """Another team name or repository."""
        values = await typed(request)
        try:
            body = SubmissionPatch(**read_handed_in(values).model_dump())
            done = await submissions.correct(by, hack_id, sub_id, body)
        except Problem as problem:
            if problem.status == 404:
                raise
            told = at_its_field(problem)
            return await page(request, by, hack_id, sub_id, problem=told, values=values)
        message = f"Saved: {done.team_name}, {done.repo_owner}/{done.repo_name}."
        return pages.done(request, _manage(hack_id, sub_id), message)

    @routes.post("/retry")
    async def retry(
        request: Request, hack_id: str, sub_id: str, by: Caller = organizer
    ) -> Response:
        """Analyse this submission alone."""
        try:
            await courtroom.jobs.start(by, hack_id, scope="one", sub_id=sub_id)
        except Problem as problem:
            return _refused(request, hack_id, sub_id, problem)
        return pages.done(request, tab_path(hack_id, "Run"), "The analysis has started.")

    @routes.post("/disqualify")
    async def disqualify(
        request: Request, hack_id: str, sub_id: str, by: Caller = organizer
    ) -> Response:
        values = await typed(request)
        try:
            reason = reason_in(values.get("reason", ""))
            done = await submissions.disqualify(by, hack_id, sub_id, reason)
        except Problem as problem:
            if problem.status == 404:
                raise
            return await page(request, by, hack_id, sub_id, problem=problem, values=values)
        message = f"{done.team_name} is disqualified, and in no ranking."
        return pages.done(request, _manage(hack_id, sub_id), message, tone="info")

    @routes.post("/reinstate")
    async def reinstate(
        request: Request, hack_id: str, sub_id: str, by: Caller = organizer
    ) -> Response:
        try:
            done = await submissions.reinstate(by, hack_id, sub_id)
        except Problem as problem:
            return _refused(request, hack_id, sub_id, problem)
        message = f"{done.team_name} takes part again."
        return pages.done(request, _manage(hack_id, sub_id), message)

    @routes.post("/withdraw")
    async def withdraw(
        request: Request, hack_id: str, sub_id: str, by: Caller = organizer
    ) -> Response:
        try:
            await submissions.withdraw(by, hack_id, sub_id)
        except Problem as problem:
            return _refused(request, hack_id, sub_id, problem)
        message = "The submission is withdrawn. Its place, name and repository are free again."
        return pages.done(request, _manage(hack_id, sub_id), message, tone="info")

    @routes.post("/link")
    async def link(request: Request, hack_id: str, sub_id: str, by: Caller = organizer) -> Response:
        """Another result link; the one before leads nowhere from now on."""
        token = await submissions.new_token(by, hack_id, sub_id)
        url = courtroom.runtime.settings.url + result_path(token)
        return await page(request, by, hack_id, sub_id, link=url)

    def _refused(request: Request, hack_id: str, sub_id: str, problem: Problem) -> Response:
        if problem.status != 409:
            raise problem
        return pages.done(request, _manage(hack_id, sub_id), problem.detail, tone="warning")

    return routes


def _manage(hack_id: str, sub_id: str) -> str:
    return f"{scorecard_path(hack_id, sub_id)}/manage"
