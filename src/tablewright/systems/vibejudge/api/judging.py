"""``/judging``: for judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request

from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.api.callers import HackId, judge_of
from tablewright.systems.vibejudge.bodies.judging import (
    AcceptedOut,
    AcceptIn,
    ComparisonIn,
    ComparisonOut,
    NextOut,
    ScoreGivenOut,
    ScoreIn,
    SkipIn,
    SkippedOut,
    comparison_out,
    criterion_out,
    score_out,
    seen_out,
)
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.desk import Next

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: From one address.
_INVITATIONS: Final = Rate(60)
_NO_JUDGE = "`FORBIDDEN`; `NOT_A_JUDGE`: the organiser has removed you."
_SEEN = refusals(404, {403: _NO_JUDGE})
_SAID = refusals(
    404,
    {
        403: _NO_JUDGE,
        409: "`ARCHIVED`: the hackathon was put away. `ROUND_CLOSED`, `ROUND_LOCKED`, "
        "`ROUND_PAUSED`: not now. `WRONG_METHOD`: the round "
        "is of the other kind. `SKIPPED`: somebody else judges it. `ALREADY_JUDGED`.",
    },
)


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/judging", tags=["judging"])
    judge = Depends(judge_of(courtroom))
    judging = courtroom.judging

    @routes.post("/accept", status_code=201, responses=refusals(404, 429))
    async def accept_invitation(body: AcceptIn, request: Request) -> AcceptedOut:
        """Follow an invitation: the answer is an API key, shown once. It needs no other proof."""
        limits = courtroom.runtime.limits
        await limits.check("invitations", address_of(request), _INVITATIONS)
        accepted = await judging.judges.accept(body.token)
        found = accepted.judge
        return AcceptedOut(
            hack_id=found.hack_id,
            judge_id=found.judge_id,
            name=found.name,
            api_key=accepted.api_key,
        )

    @routes.get("/{hack_id}/next", responses=_SEEN)
    async def next_to_judge(hack_id: HackId, by: Caller = judge) -> NextOut:
        """What to look at next: one submission, two of them, or nothing any more."""
        return _next_out(await judging.desk.next(by, hack_id))

    @routes.get("/{hack_id}/scores", responses=_SEEN)
    async def list_scores(hack_id: HackId, by: Caller = judge) -> PageBody[ScoreGivenOut]:
        """What you have given, in all rounds."""
        found = await judging.desk.scores(by, hack_id)
        return PageBody(items=[score_out(each) for each in found])

    @routes.post("/{hack_id}/scores", status_code=201, responses=_SAID)
    async def give_score(hack_id: HackId, body: ScoreIn, by: Caller = judge) -> ScoreGivenOut:
        """Score what was assigned to you. Once more replaces it, while the round is open."""
        return score_out(await judging.desk.score(by, hack_id, body))

    @routes.get("/{hack_id}/comparisons", responses=_SEEN)
    async def list_comparisons(hack_id: HackId, by: Caller = judge) -> PageBody[ComparisonOut]:
        """What you have preferred, in all rounds."""
        found = await judging.desk.comparisons(by, hack_id)
        return PageBody(items=[comparison_out(each) for each in found])

    @routes.post("/{hack_id}/comparisons", status_code=201, responses=_SAID)
    async def compare_two(hack_id: HackId, body: ComparisonIn, by: Caller = judge) -> ComparisonOut:
        """Prefer one of two that were assigned to you."""
        return comparison_out(await judging.desk.compare(by, hack_id, body))

    @routes.post("/{hack_id}/skip", responses=_SAID)
    async def skip_submission(hack_id: HackId, body: SkipIn, by: Caller = judge) -> SkippedOut:
        """You cannot judge it: somebody else gets it, if there is anybody."""
        found = await judging.desk.skip(by, hack_id, body)
        return SkippedOut(round_number=found.round_number, sub_id=found.sub_id)

    return routes


def _next_out(found: Next) -> NextOut:
    seen = [seen_out(each) for each in found.submissions]
    return NextOut(
        hackathon=found.hackathon.name,
        round_number=None if found.round is None else found.round.round_number,
        method=None if found.round is None else found.round.method,
        submission=seen[0] if len(seen) == 1 else None,
        pair=seen if len(seen) == 2 else None,
        dimensions=[criterion_out(each) for each in found.hackathon.rubric.dimensions],
        assigned=found.assigned,
        done=found.done,
    )
