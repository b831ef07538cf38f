"""``../judges``, ``../rounds``, overrides and appeals: for organisers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import APIRouter, Depends, Path, Response

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.vibejudge.api.callers import HackId, SubId, organizer_of
from tablewright.systems.vibejudge.bodies.judges import (
    AnswerIn,
    AppealOut,
    CoverageOut,
    DoneOut,
    InvitedOut,
    JudgeChange,
    JudgeIn,
    JudgeOut,
    JudgeProgressOut,
    OverrideIn,
    OverrideOut,
    RoundChange,
    RoundIn,
    RoundOut,
    RoundProgressOut,
    WorkOut,
    appeal_out,
    judge_out,
    override_out,
    round_out,
)
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.judges import Invited, JudgeProgress
from tablewright.systems.vibejudge.service.judging.rounds import RoundProgress

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

JudgeId: TypeAlias = Annotated[
    str, Path(description="The judge.", examples=["01KAGM5W00000000000000000A"])
]
RoundNumber: TypeAlias = Annotated[int, Path(description="The round.", examples=[1])]
_ARCHIVED = "`ARCHIVED`: the hackathon was put away."
_INVITED = refusals(
    404, {409: f"{_ARCHIVED} `JUDGES_FULL`. `REMOVED`: the judge is none any more."}
)
_JUDGE: Responses = {
    200: {"headers": ETAG},
    **refusals(404, 412, {409: f"{_ARCHIVED} `REMOVED`: the judge is none any more."}),
}
_ROUND: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404,
        412,
        {
            409: f"{_ARCHIVED} `WRONG_STATE`, `ROUND_CLOSED`, `ROUND_LOCKED`: it cannot become "
            "that, or be changed. `METHOD_SETTLED`: judges have begun. `NO_JUDGES`, "
            "`NO_SUBMISSIONS`: nothing can be given out."
        },
    ),
}
_GIVEN_OUT = refusals(
    404,
    {
        409: f"{_ARCHIVED} `ROUND_CLOSED`, `ROUND_LOCKED`: it is over. `NO_JUDGES`, "
        "`NO_SUBMISSIONS`: nothing can be given out."
    },
)
_OVERRIDE = refusals(
    404,
    {409: f"{_ARCHIVED} `NOT_RANKED`: it has no score, or takes no part. `NOT_OVERRIDDEN`."},
)


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/hackathons/{hack_id}", tags=["judges"])
    organizer = Depends(organizer_of(courtroom))
    judging = courtroom.judging

    # --- judges ----------------------------------------------------------------------------------

    @routes.get("/judges", responses=refusals(404))
    async def list_judges(hack_id: HackId, by: Caller = organizer) -> PageBody[JudgeProgressOut]:
        """All judges, and how far each of them is, round by round."""
        found = await judging.judges.of(by, hack_id)
        return PageBody(items=[_progress_out(each) for each in found])

    @routes.post("/judges", status_code=201, responses=_INVITED)
    async def invite_judge(hack_id: HackId, body: JudgeIn, by: Caller = organizer) -> InvitedOut:
        """Invite somebody. The token is shown once, and is good once, for a week."""
        return _invited_out(courtroom, await judging.judges.invite(by, hack_id, body))

    @routes.post("/judges/{judge_id}/invite", status_code=201, responses=_INVITED)
    async def invite_again(
        hack_id: HackId, judge_id: JudgeId, by: Caller = organizer
    ) -> InvitedOut:
        """Another invitation, for somebody who has lost theirs, or their key."""
        found = await judging.judges.invite_again(by, hack_id, judge_id)
        return _invited_out(courtroom, found)

    @routes.patch("/judges/{judge_id}", responses=_JUDGE)
    async def change_judge(
        hack_id: HackId,
        judge_id: JudgeId,
        body: JudgeChange,
        said: Said,
        response: Response,
        by: Caller = organizer,
    ) -> JudgeOut:
        """Another name, other conflicts, or no judge any more; others get what was theirs.

        If-Match is heeded, and not needed.
        """
        judge = await judging.judges.change(by, hack_id, judge_id, body, said)
        response.headers["ETag"] = etag(judge.version)
        return judge_out(judge)

    # --- rounds ----------------------------------------------------------------------------------

    @routes.get("/rounds", responses=refusals(404))
    async def list_rounds(hack_id: HackId, by: Caller = organizer) -> PageBody[RoundOut]:
        """All rounds."""
        found = await judging.rounds.of(by, hack_id)
        return PageBody(items=[round_out(each) for each in found])

    @routes.post(
        "/rounds", status_code=201, responses=refusals(404, {409: f"{_ARCHIVED} `ROUNDS_FULL`."})
    )
    async def add_round(hack_id: HackId, body: RoundIn, by: Caller = organizer) -> RoundOut:
        """The next round, in setup.

        `rubric`: judges give 0 to 10 for each dimension. `pairwise`: they prefer one of two.
        """
        return round_out(await judging.rounds.add(by, hack_id, body))

    @routes.get("/rounds/{round_number}", responses=refusals(404))
    async def get_round(
        hack_id: HackId, round_number: RoundNumber, by: Caller = organizer
    ) -> RoundProgressOut:
        """A round, how far each judge is, and how often each submission was looked at."""
        return _round_progress_out(await judging.rounds.progress(by, hack_id, round_number))

    @routes.patch("/rounds/{round_number}", responses=_ROUND)
    async def change_round(
        hack_id: HackId,
        round_number: RoundNumber,
        body: RoundChange,
        said: Said,
        response: Response,
        by: Caller = organizer,
    ) -> RoundOut:
        """Another method, weight or state.

        Opening gives every submission to three judges. Closing ends it: what judges said counts
        from then on, and final scores follow in a moment. If-Match is heeded, and not needed.
        """
        found = await judging.rounds.change(by, hack_id, round_number, body, said)
        response.headers["ETag"] = etag(found.version)
        return round_out(found)

    @routes.post("/rounds/{round_number}/assign", responses=_GIVEN_OUT)
    async def assign_round(
        hack_id: HackId, round_number: RoundNumber, by: Caller = organizer
    ) -> RoundProgressOut:
        """Give out what came late: submissions, and judges. Done again, it changes nothing."""
        return _round_progress_out(await judging.rounds.give_out(by, hack_id, round_number))

    # --- overrides -------------------------------------------------------------------------------

    @routes.get("/submissions/{sub_id}/override", responses=refusals(404))
    async def list_overrides(
        hack_id: HackId, sub_id: SubId, by: Caller = organizer
    ) -> PageBody[OverrideOut]:
        """All that was ever decided for a submission, the latest first."""
        found = await judging.overrides.of(by, hack_id, sub_id)
        return PageBody(items=[override_out(each) for each in found])

    @routes.post("/submissions/{sub_id}/override", status_code=201, responses=_OVERRIDE)
    async def set_override(
        hack_id: HackId, sub_id: SubId, body: OverrideIn, by: Caller = organizer
    ) -> OverrideOut:
        """This score counts, whatever agents and judges say, until it is revoked."""
        return override_out(await judging.overrides.set(by, hack_id, sub_id, body))

    @routes.delete("/submissions/{sub_id}/override", responses=_OVERRIDE)
    async def revoke_override(
        hack_id: HackId, sub_id: SubId, by: Caller = organizer
    ) -> OverrideOut:
        """The score of agents and judges counts again."""
        return override_out(await judging.overrides.revoke(by, hack_id, sub_id))

    # --- appeals ---------------------------------------------------------------------------------

    @routes.get("/appeals", responses=refusals(404))
    async def list_appeals(
        hack_id: HackId, paging: Paging, by: Caller = organizer
    ) -> PageBody[AppealOut]:
        """What teams have said to their results, in the order in which they handed in."""
        page = await courtroom.results.appeals(by, hack_id, paging.limit, paging.cursor)
        return page_body(page, [appeal_out(each) for each in page])

    @routes.get("/submissions/{sub_id}/appeal", responses=refusals(404))
    async def get_appeal(hack_id: HackId, sub_id: SubId, by: Caller = organizer) -> AppealOut:
        """What a team has said to its result."""
        return appeal_out(await courtroom.results.appeal_of(by, hack_id, sub_id))

    @routes.post(
        "/submissions/{sub_id}/appeal",
        responses=refusals(404, {409: "`ANSWERED`: it has been answered."}),
    )
    async def answer_appeal(
        hack_id: HackId, sub_id: SubId, body: AnswerIn, by: Caller = organizer
    ) -> AppealOut:
        """Uphold an appeal, or reject it. The score stays: an override changes it."""
        return appeal_out(await courtroom.results.answer(by, hack_id, sub_id, body))

    return routes


def _invited_out(courtroom: Courtroom, invited: Invited) -> InvitedOut:
    return InvitedOut(
        judge=judge_out(invited.judge),
        token=invited.token,
        url=f"{courtroom.runtime.settings.url}/vibejudge/invitations/{invited.token}",
        expires_at=invited.expires_at,
    )


def _progress_out(progress: JudgeProgress) -> JudgeProgressOut:
    rounds = [
        DoneOut(
            round_number=round_.round_number,
            assigned=work.assigned,
            done=work.done,
            skipped=work.skipped,
        )
        for round_, work in progress.rounds
    ]
    return JudgeProgressOut(**judge_out(progress.judge).model_dump(), rounds=rounds)


def _round_progress_out(progress: RoundProgress) -> RoundProgressOut:
    return RoundProgressOut(
        **round_out(progress.round).model_dump(),
        judges=[
            WorkOut(
                judge_id=judge.judge_id,
                name=judge.name,
                state=judge.state,
                assigned=work.assigned,
                done=work.done,
                skipped=work.skipped,
            )
            for judge, work in progress.judges
        ],
        submissions=[
            CoverageOut(
                sub_id=submission.sub_id,
                team_name=submission.team_name,
                assigned=work.assigned,
                done=work.done,
                skipped=work.skipped,
            )
            for submission, work in progress.submissions
        ],
    )
