"""A team's own page. Who has its address has all that the team has: so it is kept nowhere, and no
other place learns of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.service.auth.auth import address_of
from tablewright.service.forms import Typed, built, typed
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.bodies.results import AppealIn, result_out
from tablewright.systems.vibejudge.pages.paths import gallery_path, result_path
from tablewright.systems.vibejudge.pages.scorecard_lines import agent_line
from tablewright.systems.vibejudge.rules.spoken import titled

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: From one address; the API and the pages count together.
_LOOKS: Final = Rate(600)


def read_appeal(values: Typed) -> AppealIn:
    return built(AppealIn, {"text": values.get("text", "")})


def secret(response: Response) -> Response:
    """Neither caches nor other sites get to know the address."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/results/{token}")
    results = courtroom.results

    async def limited(request: Request) -> None:
        await courtroom.runtime.limits.check("results", address_of(request), _LOOKS)

    async def page(request: Request, token: str, **context: object) -> Response:
        card = await results.card(token)
        shown = result_out(card)
        problem = context.get("problem")
        hackathon = card.hackathon
        mode = hackathon.ai_policy_mode
        return pages.render(
            request,
            "vibejudge/result.html",
            status=problem.status if isinstance(problem, Problem) else 200,
            card=shown,
            agents=[agent_line(each, mode) for each in shown.agents],
            titled=titled,
            share=card.submission.human_share,
            action=f"{result_path(token)}/appeal",
            board=gallery_path(hackathon.hack_id) if hackathon.visibility == "public" else "",
            **context,
        )

    async def found(request: Request, token: str, **context: object) -> Response:
        """The same answer for a wrong token, and for the right one too early."""
        try:
            return secret(await page(request, token, **context))
        except Problem as problem:
            if problem.status != 404:
                raise
            return secret(pages.render(request, "vibejudge/no_result.html", status=404))

    @routes.get("")
    async def result(request: Request, token: str) -> Response:
        await limited(request)
        return await found(request, token)

    @routes.post("/appeal")
    async def appeal(request: Request, token: str) -> Response:
        await limited(request)
        values = await typed(request)
        try:
            await results.appeal(token, read_appeal(values))
        except Problem as problem:
            return await found(request, token, problem=problem, values=values)
        said = "Your appeal is sent. You will find the answer on this page."
        return secret(pages.done(request, result_path(token), said))

    return routes
