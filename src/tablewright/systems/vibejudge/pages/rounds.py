"""Rounds: added, opened, paused, closed, locked; and one of them, judge by judge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem, not_found
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.bodies.judges import RoundChange, RoundIn
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.judging import TAB, judged, told
from tablewright.systems.vibejudge.pages.paths import hackathon_path, round_path, tab_path
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.rounds import OVER

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_Next: TypeAlias = Literal["open", "paused", "closed", "locked"]
#: What is posted, what the round becomes by it, and what is said then.
_MOVES: Final[Mapping[str, tuple[_Next, str]]] = {
    "open": ("open", "Round {} is open: judges find their submissions on their desks."),
    "pause": ("paused", "Round {} is paused: nothing is taken until it is opened again."),
    "close": ("closed", "Round {} is closed. Final scores follow in a moment."),
    "lock": ("locked", "Round {} is locked."),
}


def read_round(values: Typed) -> dict[str, object]:
    """What a form says of a round, as bodies have it."""
    given: dict[str, object] = {"weight": values.get("weight", "")}
    if "method" in values:
        given["method"] = values["method"]
    return given


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/judging/rounds")
    organizer = Depends(organizer_of(courtroom))
    rounds = courtroom.judging.rounds

    async def page(
        request: Request, by: Caller, hack_id: str, number: int, **context: object
    ) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        progress = await rounds.progress(by, hack_id, number)
        problem = context.get("problem")
        return shown(
            pages,
            request,
            "vibejudge/round.html",
            hackathon,
            TAB,
            status=problem.status if isinstance(problem, Problem) else 200,
            heading=f"Round {number}",
            progress=progress,
            over=progress.round.state in OVER,
            judged=judged(hackathon),
            judging_path=tab_path(hack_id, TAB),
            round_path=round_path(hack_id, number),
            **context,
        )

    async def acted(
        request: Request, to: str, act: Callable[[], Awaitable[object]], said: str
    ) -> Response:
        """What is in the way of it is said on the page that it was asked on."""
        try:
            await act()
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            return pages.done(request, to, told(problem), tone="warning")
        return pages.done(request, to, said)

    @routes.post("")
    async def add(request: Request, hack_id: HackId, by: Caller = organizer) -> Response:
        values = await typed(request)

        async def added() -> None:
            await rounds.add(by, hack_id, built(RoundIn, read_round(values)))

        said = "The round is set up. Open it when submissions and judges are there."
        return await acted(request, tab_path(hack_id, TAB), added, said)

    @routes.get("/{number}")
    async def one(
        request: Request, hack_id: HackId, number: int, by: Caller = organizer
    ) -> Response:
        return await page(request, by, hack_id, number)

    @routes.get("/{number}/progress")
    async def progress(
        request: Request, hack_id: HackId, number: int, by: Caller = organizer
    ) -> Response:
        """Fetched again while judges are at work."""
        found = await rounds.progress(by, hack_id, number)
        here = hackathon_path(hack_id)
        return pages.render(request, "vibejudge/round_progress.html", progress=found, here=here)

    @routes.post("/{number}")
    async def change(
        request: Request, hack_id: HackId, number: int, by: Caller = organizer
    ) -> Response:
        values = await typed(request)
        try:
            await rounds.change(by, hack_id, number, built(RoundChange, read_round(values)))
        except Problem as problem:
            if problem.status == 404:
                raise
            return await page(request, by, hack_id, number, problem=problem, values=values)
        return pages.done(request, round_path(hack_id, number), "Saved.")

    @routes.post("/{number}/assign")
    async def assign(
        request: Request, hack_id: HackId, number: int, by: Caller = organizer
    ) -> Response:
        said = "What came late is given out."
        to = round_path(hack_id, number)
        return await acted(request, to, lambda: rounds.give_out(by, hack_id, number), said)

    @routes.post("/{number}/{move}")
    async def moved(
        request: Request, hack_id: HackId, number: int, move: str, by: Caller = organizer
    ) -> Response:
        if move not in _MOVES:
            raise not_found("page")
        state, said = _MOVES[move]
        body = RoundChange(state=state)
        return await acted(
            request,
            tab_path(hack_id, TAB),
            lambda: rounds.change(by, hack_id, number, body),
            said.format(number),
        )

    return routes
