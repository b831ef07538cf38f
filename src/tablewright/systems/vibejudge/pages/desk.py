"""The desk of a judge: one submission at a time, or two of which one is better."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem, not_found
from tablewright.systems.vibejudge.api.callers import HackId, SubId
from tablewright.systems.vibejudge.bodies.judging import ComparisonIn, ScoreIn, SkipIn
from tablewright.systems.vibejudge.entities import Dimension
from tablewright.systems.vibejudge.judging import Round
from tablewright.systems.vibejudge.pages.judging import told
from tablewright.systems.vibejudge.pages.paths import DESK, desk_path, invitation_path
from tablewright.systems.vibejudge.rules.spoken import titled
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.desk import Next
from tablewright.systems.vibejudge.service.judging.looking_back import Look

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: What is chosen for a dimension that says nothing about a submission.
NOT_APPLICABLE: Final = "none"
#: The user of the local issuer that one signs in as.
DEMO_JUDGE: Final = "demo-judge"
#: Why there is nothing to do.
Rest = Literal["done", "nothing", "paused", "over", "before"]


def read_score(values: Typed, dimensions: Sequence[Dimension], number: int, sub: str) -> ScoreIn:
    """The body that a form makes, or a problem at the dimensions that were left out."""
    said = {each.name: values.get(f"scores.{each.name}", "") for each in dimensions}
    missing = [
        FieldError(f"body.scores.{name}", "Choose a number, or “n/a”.")
        for name, value in said.items()
        if not value
    ]
    scores = {name: None if value == NOT_APPLICABLE else value for name, value in said.items()}
    given = {
        "round_number": number,
        "sub_id": sub,
        "scores": {name: value for name, value in scores.items() if value != ""},
        "comment": values.get("comment") or None,
    }
    return built(ScoreIn, given, missing)


def rest_of(following: Next, rounds: Sequence[Round]) -> Rest:
    """What to tell a judge who has nothing to do now."""
    if following.assigned:
        return "done"
    states = {each.state for each in rounds}
    if "open" in states:
        return "nothing"
    if "paused" in states:
        return "paused"
    return "over" if states & {"closed", "locked"} else "before"


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/desk")
    auth, judging = courtroom.runtime.auth, courtroom.judging

    async def seated(request: Request) -> Caller:
        """A judge. Nobody signs in as one: who is nobody is told how one becomes it."""
        who = await auth.principal(request)
        if who is None:
            raise Problem(403, "NOT_A_JUDGE", "Follow your invitation first.", leads_to=DESK)
        caller = await courtroom.organizers.caller(auth.allow(who, "judge"))
        caller.judging()
        return caller

    judge = Depends(seated)

    @routes.get("")
    async def own(request: Request) -> Response:
        """To the hackathon that the judge was invited to."""
        who = await auth.principal(request)
        caller = None if who is None else await courtroom.organizers.caller(who)
        if caller is None or caller.judge is None:
            return pages.render(request, "vibejudge/no_desk.html", demo=plays_demo(who))
        return RedirectResponse(desk_path(caller.judge[0]), 303)

    def plays_demo(who: Principal | None) -> bool:
        """Tell whether somebody has signed in as the judge of the demo, on their own machine."""
        local = courtroom.runtime.settings.local
        return local and who is not None and who.id == DEMO_JUDGE

    @routes.post("/demo")
    async def demo(request: Request) -> Response:
        """Invite the judge of the demo, as its organiser would."""
        from tablewright.systems.vibejudge.live_demo.bench import invite_demo_judge
        from tablewright.systems.vibejudge.live_demo.filling import who as demo_organizer

        organizer = await demo_organizer(courtroom)
        if organizer is None or not plays_demo(await auth.principal(request)):
            raise not_found("page")
        token = await invite_demo_judge(courtroom, organizer)
        if token is None:
            said = "The demo has no hackathon to judge yet. Try again in a minute."
            return pages.done(request, DESK, said, tone="warning")
        return RedirectResponse(invitation_path(token), 303)

    @routes.get("/{hack_id}")
    async def desk(request: Request, hack_id: HackId, by: Caller = judge) -> Response:
        following = await judging.desk.next(by, hack_id)
        if following.round is None:
            rest = rest_of(following, await judging.rounds.all(hack_id))
            return drawn(request, "vibejudge/desk_rest.html", hack_id, following, rest=rest)
        if following.round.method == "pairwise":
            said = await judging.desk.comparisons(by, hack_id)
            number = following.round.round_number
            compared = sum(each.round_number == number for each in said)
            return drawn(request, "vibejudge/desk_pair.html", hack_id, following, compared=compared)
        look = Look(following.hackathon, following.round, following.submissions[0], None)
        return scoring(request, look, following)

    def drawn(
        request: Request, template: str, hack_id: str, following: Next, **context: object
    ) -> Response:
        path = desk_path(hack_id)
        return pages.render(
            request, template, status=200, following=following, desk=path, titled=titled, **context
        )

    def scoring(
        request: Request, look: Look, following: Next | None = None, **context: object
    ) -> Response:
        problem = context.get("problem")
        return pages.render(
            request,
            "vibejudge/desk_score.html",
            status=problem.status if isinstance(problem, Problem) else 200,
            look=look,
            following=following,
            desk=desk_path(look.hackathon.hack_id),
            not_applicable=NOT_APPLICABLE,
            titled=titled,
            **context,
        )

    # --- what was said ---------------------------------------------------------------------------

    @routes.get("/{hack_id}/given")
    async def given(request: Request, hack_id: HackId, by: Caller = judge) -> Response:
        """What the judge has said so far; it can be changed while the round is open."""
        found = await judging.looking_back.all(by, hack_id)
        path = desk_path(hack_id)
        return pages.render(
            request, "vibejudge/desk_given.html", given=found, desk=path, titled=titled
        )

    @routes.get("/{hack_id}/rounds/{number}/submissions/{sub_id}")
    async def look(
        request: Request, hack_id: HackId, number: int, sub_id: SubId, by: Caller = judge
    ) -> Response:
        return scoring(request, await judging.looking_back.one(by, hack_id, number, sub_id))

    # --- deciding --------------------------------------------------------------------------------

    async def acted(
        request: Request, hack_id: str, act: Callable[[], Awaitable[object]], said: str
    ) -> Response:
        """Back to the desk; what is not taken now is told there."""
        try:
            await act()
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            return pages.done(request, desk_path(hack_id), told(problem), tone="warning")
        return pages.done(request, desk_path(hack_id), said)

    @routes.post("/{hack_id}/rounds/{number}/submissions/{sub_id}")
    async def score(
        request: Request, hack_id: HackId, number: int, sub_id: SubId, by: Caller = judge
    ) -> Response:
        values = await typed(request)
        found = await judging.looking_back.one(by, hack_id, number, sub_id)
        dimensions = found.hackathon.rubric.dimensions
        try:
            body = read_score(values, dimensions, number, sub_id)
            await judging.desk.score(by, hack_id, body)
        except Problem as problem:
            if problem.status == 422:
                return scoring(request, found, problem=problem, values=values)
            if problem.status != 409:
                raise
            return pages.done(request, desk_path(hack_id), problem.detail, tone="warning")
        said = f"Saved: {found.submission.team_name}."
        return pages.done(request, desk_path(hack_id), said)

    @routes.post("/{hack_id}/rounds/{number}/pair")
    async def prefer(
        request: Request, hack_id: HackId, number: int, by: Caller = judge
    ) -> Response:
        values = await typed(request)

        async def preferred() -> None:
            winner, pair = values.get("winner", ""), (values.get("one", ""), values.get("other"))
            loser = next((each for each in pair if each and each != winner), "")
            body = {"round_number": number, "winner": winner, "loser": loser}
            await judging.desk.compare(by, hack_id, built(ComparisonIn, body))

        return await acted(request, hack_id, preferred, "Saved.")

    @routes.post("/{hack_id}/rounds/{number}/submissions/{sub_id}/skip")
    async def skip(
        request: Request, hack_id: HackId, number: int, sub_id: SubId, by: Caller = judge
    ) -> Response:
        values = await typed(request)

        async def skipped() -> None:
            body = {
                "round_number": number,
                "sub_id": sub_id,
                "reason": values.get("reason", ""),
                "conflict": values.get("conflict") == "1",
            }
            await judging.desk.skip(by, hack_id, built(SkipIn, body))

        return await acted(request, hack_id, skipped, "Skipped: another judge gets it.")

    return routes
