"""``/public``: the gallery, and handing in a submission; ``/rubric-templates``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request

from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.api.callers import HackId
from tablewright.systems.vibejudge.bodies.hackathons import (
    PublicOut,
    PublicRow,
    TemplateOut,
    public_out,
    public_row,
    template_out,
)
from tablewright.systems.vibejudge.rules.templates import TEMPLATES

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Of one address: nobody has to say who they are, so nobody may read without end.
_LOOKS = Rate(600)


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["public"])
    hackathons = courtroom.hackathons

    async def limited(request: Request) -> None:
        await courtroom.runtime.limits.check("gallery", address_of(request), _LOOKS)

    looked = [Depends(limited)]

    @routes.get("/public/hackathons", dependencies=looked, responses=refusals(429))
    async def list_public_hackathons(paging: Paging) -> PageBody[PublicRow]:
        """The gallery, the latest start first. A page may have fewer than were asked for."""
        page = await hackathons.public(paging.limit, paging.cursor)
        return page_body(page, [public_row(each) for each in page])

    @routes.get("/public/hackathons/{hack_id}", dependencies=looked, responses=refusals(404, 429))
    async def get_public_hackathon(hack_id: HackId) -> PublicOut:
        """One hackathon of the gallery: when it is, and how it is judged."""
        return public_out(await hackathons.public_one(hack_id), courtroom.now())

    @routes.get("/rubric-templates", dependencies=looked, responses=refusals(429))
    async def list_rubric_templates() -> PageBody[TemplateOut]:
        """Rubrics to begin with."""
        return PageBody(items=[template_out(each) for each in TEMPLATES])

    return routes
