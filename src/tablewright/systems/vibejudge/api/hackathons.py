"""``/hackathons``: one's own, and what can be done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Response

from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.bodies.hackathons import (
    HackathonIn,
    HackathonOut,
    HackathonRow,
    ReleaseIn,
    hackathon_out,
    row_out,
)
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.hackathons import revision

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

Erase = Annotated[
    bool, Query(description="Not put away but erased, for good; anonymous costs stay.")
]

_STATE = "`ANALYZING`; `ARCHIVED`; `WRONG_STATE`"
_CREATED: Responses = {
    201: {"headers": ETAG},
    **refusals({403: "`TIER_LIMIT`; `NOT_REGISTERED`; `FORBIDDEN`."}),
}
_ONE: Responses = {200: {"headers": ETAG}, **refusals(404)}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404,
        412,
        428,
        {409: f"{_STATE}; `RELEASED`; `BUDGET_SPENT`: more is spent already."},
    ),
}
_ACTED: Responses = {200: {"headers": ETAG}, **refusals(404, {409: f"{_STATE}; `NOT_READY`."})}

_RELEASED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404,
        {
            409: f"{_STATE}; `ROUNDS_OPEN`: judges can still score.",
            503: "`SCORES_PENDING`: final scores are being computed.",
        },
    ),
}

_GONE: Responses = refusals(404, 412, {409: "`ANALYZING`."})


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(
        prefix="/api/v1/hackathons", tags=["hackathons"], route_class=idempotent(courtroom.runtime)
    )
    organizer = Depends(organizer_of(courtroom))
    hackathons = courtroom.hackathons

    @routes.post("", status_code=201, responses=_CREATED)
    async def create_hackathon(
        body: HackathonIn, response: Response, by: Caller = organizer
    ) -> HackathonOut:
        """A new hackathon, as a draft. `GET /rubric-templates` has rubrics to begin with."""
        return _shown(response, await hackathons.create(by, body))

    @routes.get("", responses=refusals({403: "`NOT_REGISTERED`; `FORBIDDEN`."}))
    async def list_hackathons(paging: Paging, by: Caller = organizer) -> PageBody[HackathonRow]:
        """One's own hackathons, the latest first."""
        page = await hackathons.of(by, paging.limit, paging.cursor)
        return page_body(page, [row_out(each) for each in page])

    @routes.get("/{hack_id}", responses=_ONE)
    async def get_hackathon(
        hack_id: HackId, response: Response, by: Caller = organizer
    ) -> HackathonOut:
        """One hackathon; its ETag is what a change is made with."""
        return _shown(response, await hackathons.owned(by, hack_id))

    @routes.put("/{hack_id}", responses=_CHANGED)
    async def change_hackathon(
        hack_id: HackId, body: HackathonIn, said: Said, response: Response, by: Caller = organizer
    ) -> HackathonOut:
        """Other settings (If-Match). What is left out has its default.

        While it is analysed, what scores rest on stays; once results are released, too.
        """
        return _shown(response, await hackathons.edit(by, hack_id, body, said))

    @routes.delete("/{hack_id}", status_code=204, responses=_GONE)
    async def delete_hackathon(
        hack_id: HackId, said: Said, by: Caller = organizer, erase: Erase = False
    ) -> None:
        """Put a hackathon away (If-Match, if given): it can still be read, and nothing else."""
        if erase:
            await courtroom.erasing.begin_hackathon(by, hack_id, said)
        else:
            await hackathons.archive(by, hack_id, said)

    @routes.post("/{hack_id}/activate", responses=_ACTED)
    async def activate_hackathon(
        hack_id: HackId, response: Response, by: Caller = organizer
    ) -> HackathonOut:
        """A draft takes submissions from now on. It needs its dates for that."""
        return _shown(response, await hackathons.activate(by, hack_id))

    @routes.post("/{hack_id}/reopen", responses=_ACTED)
    async def reopen_hackathon(
        hack_id: HackId, response: Response, by: Caller = organizer
    ) -> HackathonOut:
        """A completed one takes submissions and changes again; released results are taken back."""
        return _shown(response, await hackathons.reopen(by, hack_id))

    @routes.post("/{hack_id}/release", responses=_RELEASED)
    async def release_hackathon(
        hack_id: HackId, response: Response, body: ReleaseIn | None = None, by: Caller = organizer
    ) -> HackathonOut:
        """Show teams and the public the results as they are now, until it is reopened.

        Scores, ranks and submissions cannot be changed from now on.
        """
        released = await courtroom.releases.release(by, hack_id, body or ReleaseIn())
        return _shown(response, released)

    return routes


def _shown(response: Response, hackathon: HackathonDetail) -> HackathonOut:
    response.headers["ETag"] = etag(revision(hackathon))
    return hackathon_out(hackathon)
