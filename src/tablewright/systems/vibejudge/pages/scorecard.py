"""Scorecard: what a submission has come to, what that rests on, and the organiser's own word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.vibejudge.api.callers import HackId, SubId, organizer_of
from tablewright.systems.vibejudge.bodies.judges import OverrideIn
from tablewright.systems.vibejudge.bodies.scorecards import (
    ScorecardOut,
    run_detail_out,
    scorecard_out,
)
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import scorecard_path, tab_path
from tablewright.systems.vibejudge.pages.scorecard_lines import (
    AlikeLine,
    agent_line,
    picture_of,
    review_line,
)
from tablewright.systems.vibejudge.rules.flags import kind_of, sentences
from tablewright.systems.vibejudge.rules.spoken import titled
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_RUNS, _CALLS = 10, 20
#: Characters: a word is no reason.
LEAST_REASON = 10


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/submissions/{sub_id}")
    owner = Depends(organizer_of(courtroom))
    overrides = courtroom.judging.overrides

    async def page(
        request: Request,
        by: Caller,
        hack_id: str,
        sub_id: str,
        *,
        runs_from: str | None = None,
        calls_from: str | None = None,
        status: int = 200,
        **more: object,
    ) -> Response:
        hackathon, submission = await courtroom.submissions.owned(by, hack_id, sub_id)
        path = scorecard_path(hack_id, sub_id)
        runs = await courtroom.scorecards.runs(by, hack_id, sub_id, _RUNS, runs_from)
        calls = await courtroom.budgets.costs_of(by, hack_id, sub_id, _CALLS, calls_from)
        context: dict[str, object] = {
            "heading": submission.team_name,
            "submission": submission,
            "card_path": path,
            "run_path": tab_path(hack_id, "Run"),
            "runs": runs.items,
            "more_runs": with_query(path, runs=runs.cursor) if runs.cursor else "",
            "calls": calls.items,
            "more_calls": with_query(path, calls=calls.cursor) if calls.cursor else "",
            "decisions": await overrides.of(by, hack_id, sub_id),
            "reviews": [
                review_line(each) for each in await courtroom.judging.reviews.of(submission)
            ],
            "titled": titled,
        }
        card = await found(hackathon, submission)
        context["card"] = card
        if card is not None:
            context.update(await pictured(hackathon, card))
        return shown(
            pages,
            request,
            "vibejudge/scorecard.html",
            hackathon,
            "Submissions",
            status=status,
            **{**context, **more},
        )

    async def found(hackathon: HackathonDetail, submission: Submission) -> ScorecardOut | None:
        """None as long as it has not been analysed."""
        try:
            return scorecard_out(await courtroom.scorecards.of(hackathon, submission))
        except Problem as problem:
            if problem.code != "NOT_SCORED":
                raise
            return None

    async def pictured(hackathon: HackathonDetail, card: ScorecardOut) -> dict[str, object]:
        flags = [each.flag for each in card.flags]
        alike = await courtroom.standings.resembling(hackathon.hack_id, flags)
        return {
            "picture": picture_of(card),
            "agents": [agent_line(each, card.ai_policy_mode) for each in card.agents],
            "flags": sentences(each for each in flags if kind_of(each) != "similar"),
            "alike": [AlikeLine(other, percent) for other, percent in alike],
        }

    @routes.get("")
    async def scorecard(
        request: Request,
        hack_id: HackId,
        sub_id: SubId,
        runs: str | None = None,
        calls: str | None = None,
        by: Caller = owner,
    ) -> Response:
        return await page(request, by, hack_id, sub_id, runs_from=runs, calls_from=calls)

    @routes.get("/runs/{run_id}")
    async def run(
        request: Request, hack_id: HackId, sub_id: SubId, run_id: str, by: Caller = owner
    ) -> Response:
        """What an analysis found, also if a later one counts."""
        hackathon, submission = await courtroom.submissions.owned(by, hack_id, sub_id)
        detail = run_detail_out(await courtroom.scorecards.run(by, hack_id, sub_id, run_id))
        path = scorecard_path(hack_id, sub_id)
        return shown(
            pages,
            request,
            "vibejudge/scorecard_run.html",
            hackathon,
            "Submissions",
            heading=f"A run of {submission.team_name}",
            submission=submission,
            run=detail,
            agents=[agent_line(each, hackathon.ai_policy_mode) for each in detail.agents],
            card_path=path,
            titled=titled,
        )

    # --- the organiser's own word ----------------------------------------------------------------

    @routes.post("/override")
    async def override(
        request: Request, hack_id: HackId, sub_id: SubId, by: Caller = owner
    ) -> Response:
        values = await typed(request)
        try:
            made = await overrides.set(by, hack_id, sub_id, read_override(values))
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            return await page(
                request,
                by,
                hack_id,
                sub_id,
                status=problem.status,
                problem=problem,
                values=values,
            )
        said = f"Its score is {made.score:.2f} from now on."
        return pages.done(request, scorecard_path(hack_id, sub_id), said)

    @routes.post("/override/revoke")
    async def revoke(
        request: Request, hack_id: HackId, sub_id: SubId, by: Caller = owner
    ) -> Response:
        path = scorecard_path(hack_id, sub_id)
        try:
            await overrides.revoke(by, hack_id, sub_id)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, path, problem.detail, tone="warning")
        return pages.done(request, path, "What agents and judges say counts again.")

    return routes


def read_override(values: Typed) -> OverrideIn:
    """The body that the form makes, or a problem at its fields."""
    given = {name: values.get(name, "") for name in ("score", "reason")}
    short = 0 < len(given["reason"]) < LEAST_REASON
    errors = [FieldError("body.reason", f"At least {LEAST_REASON} characters.")] if short else []
    return built(OverrideIn, given, errors)
