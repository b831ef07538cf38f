"""What a team says to its result, and what the organiser answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import HackId, SubId, organizer_of
from tablewright.systems.vibejudge.bodies.judges import AnswerIn
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.judging import TAB
from tablewright.systems.vibejudge.pages.paths import appeal_path, scorecard_path, tab_path
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


def read_answer(values: Typed) -> AnswerIn:
    return built(AnswerIn, {name: values.get(name, "") for name in ("state", "answer")})


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/judging/appeals/{sub_id}")
    organizer = Depends(organizer_of(courtroom))
    results = courtroom.results

    async def page(
        request: Request, by: Caller, hack_id: str, sub_id: str, **context: object
    ) -> Response:
        hackathon, submission = await courtroom.submissions.owned(by, hack_id, sub_id)
        problem = context.get("problem")
        return shown(
            pages,
            request,
            "vibejudge/appeal.html",
            hackathon,
            TAB,
            status=problem.status if isinstance(problem, Problem) else 200,
            heading=f"Appeal of {submission.team_name}",
            appeal=await results.appeal_of(by, hack_id, sub_id),
            submission=submission,
            action=appeal_path(hack_id, sub_id),
            scorecard_path=scorecard_path(hack_id, sub_id),
            judging_path=tab_path(hack_id, TAB),
            **context,
        )

    @routes.get("")
    async def one(
        request: Request, hack_id: HackId, sub_id: SubId, by: Caller = organizer
    ) -> Response:
        return await page(request, by, hack_id, sub_id)

    @routes.post("")
    async def answer(
        request: Request, hack_id: HackId, sub_id: SubId, by: Caller = organizer
    ) -> Response:
        values = await typed(request)
        try:
            await results.answer(by, hack_id, sub_id, read_answer(values))
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            return await page(request, by, hack_id, sub_id, problem=problem, values=values)
        said = "The team sees your answer on its result page."
        return pages.done(request, tab_path(hack_id, TAB), said)

    return routes
