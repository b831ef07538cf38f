"""Judges: invited by a link, their conflicts of interest, and their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import built
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.bodies.judges import MOST_CONFLICTS, JudgeChange, JudgeIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.judging import TAB, judged
from tablewright.systems.vibejudge.pages.paths import invitation_path, judge_path, tab_path
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.judges import Invited

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Submissions that can be ticked; a judge of a larger hackathon names theirs at the desk.
_MOST_TICKED: Final = 500
_PAGE: Final = 100


async def read_judge(request: Request) -> dict[str, object]:
    """The name, and all submissions that are ticked."""
    form = await request.form(max_files=0, max_fields=_MOST_TICKED + MOST_CONFLICTS)
    name = form.get("name")
    ticked = [each for each in form.getlist("conflicts") if isinstance(each, str)]
    return {"name": name.strip() if isinstance(name, str) else "", "conflicts": ticked}


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/judging/judges")
    organizer = Depends(organizer_of(courtroom))
    judges = courtroom.judging.judges

    async def submissions(by: Caller, hack_id: str) -> list[Submission]:
        found: list[Submission] = []
        cursor: str | None = None
        while len(found) < _MOST_TICKED:
            page = await courtroom.submissions.list(by, hack_id, limit=_PAGE, cursor=cursor)
            found += [each for each in page if each.status != "withdrawn"]
            cursor = page.cursor
            if cursor is None:
                break
        return sorted(found, key=lambda each: each.team_name.casefold())

    async def form(
        request: Request, by: Caller, hackathon: HackathonDetail, **context: object
    ) -> Response:
        hack_id = hackathon.hack_id
        problem = context.get("problem")
        return shown(
            pages,
            request,
            "vibejudge/judge.html",
            hackathon,
            TAB,
            status=problem.status if isinstance(problem, Problem) else 200,
            submissions=await submissions(by, hack_id),
            judging_path=tab_path(hack_id, TAB),
            judged=judged(hackathon),
            **context,
        )

    def told(request: Request, hackathon: HackathonDetail, invited: Invited) -> Response:
        """The link is not kept: this is the only time that it can be copied."""
        url = courtroom.runtime.settings.url + invitation_path(invited.token)
        return shown(
            pages,
            request,
            "vibejudge/invited.html",
            hackathon,
            TAB,
            status=201,
            heading=f"Invitation for {invited.judge.name}",
            invited=invited,
            url=url,
            judging_path=tab_path(hackathon.hack_id, TAB),
        )

    @routes.get("/new")
    async def new(request: Request, hack_id: HackId, by: Caller = organizer) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        return await form(
            request,
            by,
            hackathon,
            judge=None,
            heading="Invite a judge",
            action=f"{tab_path(hack_id, TAB)}/judges",
        )

    @routes.post("")
    async def invite(request: Request, hack_id: HackId, by: Caller = organizer) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        values = await read_judge(request)
        try:
            invited = await judges.invite(by, hack_id, built(JudgeIn, values))
        except Problem as problem:
            return await form(
                request,
                by,
                hackathon,
                judge=None,
                heading="Invite a judge",
                action=f"{tab_path(hack_id, TAB)}/judges",
                problem=problem,
                values=values,
            )
        return told(request, hackathon, invited)

    async def existing(
        request: Request, by: Caller, hack_id: str, judge_id: str, **context: object
    ) -> Response:
        judge = await judges.one(by, hack_id, judge_id)
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        given = {"heading": judge.name, "action": judge_path(hack_id, judge_id)}
        return await form(request, by, hackathon, judge=judge, **given, **context)

    @routes.get("/{judge_id}")
    async def one(
        request: Request, hack_id: HackId, judge_id: str, by: Caller = organizer
    ) -> Response:
        return await existing(request, by, hack_id, judge_id)

    @routes.post("/{judge_id}")
    async def change(
        request: Request, hack_id: HackId, judge_id: str, by: Caller = organizer
    ) -> Response:
        values = await read_judge(request)
        try:
            judge = await judges.change(by, hack_id, judge_id, built(JudgeChange, values))
        except Problem as problem:
            if problem.status == 404:
                raise
            return await existing(request, by, hack_id, judge_id, problem=problem, values=values)
        return pages.done(request, tab_path(hack_id, TAB), f"{judge.name} is saved.")

    @routes.post("/{judge_id}/invite")
    async def again(
        request: Request, hack_id: HackId, judge_id: str, by: Caller = organizer
    ) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        try:
            invited = await judges.invite_again(by, hack_id, judge_id)
        except Problem as problem:
            return refused(request, hack_id, problem)
        return told(request, hackathon, invited)

    @routes.post("/{judge_id}/remove")
    async def remove(
        request: Request, hack_id: HackId, judge_id: str, by: Caller = organizer
    ) -> Response:
        try:
            judge = await judges.change(by, hack_id, judge_id, JudgeChange(state="removed"))
        except Problem as problem:
            return refused(request, hack_id, problem)
        said = f"{judge.name} is no judge any more. Others get what was left; what was said counts."
        return pages.done(request, tab_path(hack_id, TAB), said)

    def refused(request: Request, hack_id: str, problem: Problem) -> Response:
        if problem.status != 409:
            raise problem
        return pages.done(request, tab_path(hack_id, TAB), problem.detail, tone="warning")

    return routes
