"""``/public/hackathons/{hack_id}/submissions``: a team hands in by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from tablewright.service.problem_answers import LIMITED, refusals
from tablewright.systems.vibejudge.api.callers import HackId
from tablewright.systems.vibejudge.bodies.submissions import PublicSubmissionIn, SubmittedOut
from tablewright.systems.vibejudge.service.submissions.limits import check_public

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["public"])

    @routes.post(
        "/public/hackathons/{hack_id}/submissions",
        status_code=201,
        responses={
            201: {"headers": LIMITED},
            **refusals(
                404,
                429,
                {
                    409: "`DUPLICATE_REPO`; `DUPLICATE_TEAM`; `HACKATHON_CLOSED`; "
                    "`HACKATHON_ENDED`; `HACKATHON_FULL`.",
                    422: "`BAD_REPO_URL`: it is not taken from there; `INVALID`.",
                },
            ),
        },
    )
    async def submit_publicly(
        hack_id: HackId, body: PublicSubmissionIn, request: Request, response: Response
    ) -> SubmittedOut:
        """Hand in a repository, while a public hackathon is open.

        Keep the token of the answer: it shows your result, once the results are released. Without
        sign-in, ten at once are taken of one address.
        """
        headers = await check_public(courtroom, request)
        result = await courtroom.submissions.submit_public(hack_id, body)
        response.headers.update(headers)
        assert result.sub_id is not None
        assert result.result_token is not None
        return SubmittedOut(
            sub_id=result.sub_id,
            hack_id=hack_id,
            result_token=result.result_token,
            warning=result.note,
        )

    return routes
