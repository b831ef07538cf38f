"""``/results/{token}``: for teams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from fastapi import APIRouter, Path, Request

from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.bodies.results import (
    AppealIn,
    ResultOut,
    TeamAppealOut,
    result_out,
    team_appeal_out,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

Token: TypeAlias = Annotated[
    str,
    Path(
        description="What the team was given when it handed in.",
        examples=["01KAGM5W00000000000000000A.01KAGM5W00000000000000000B.kT3n0f2m2XfS5y8aUq7V1c"],
    ),
]
#: From one address, behind which a whole venue may be.
_LOOKS: Final = Rate(600)


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/results", tags=["results"])

    async def limited(request: Request) -> None:
        await courtroom.runtime.limits.check("results", address_of(request), _LOOKS)

    @routes.get("/{token}", responses=refusals(404, 429))
    async def get_result(token: Token, request: Request) -> ResultOut:
        """The team's own card, once results are released; 404 before, and for a wrong token."""
        await limited(request)
        return result_out(await courtroom.results.card(token))

    @routes.post(
        "/{token}/appeal",
        status_code=201,
        responses=refusals(
            404,
            429,
            {409: "`ALREADY_APPEALED`: once. `APPEAL_CLOSED`: 72 hours after the release."},
        ),
    )
    async def appeal_result(token: Token, body: AppealIn, request: Request) -> TeamAppealOut:
        """Say what is wrong with it, once, within 72 hours of the release."""
        await limited(request)
        return team_appeal_out(await courtroom.results.appeal(token, body))

    return routes
