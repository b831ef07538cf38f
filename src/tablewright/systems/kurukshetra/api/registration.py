"""Registering, one's profile and one's draft, and oneself in all events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request, Response

from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.kurukshetra.api.callers import (
    ParticipantId,
    caller_of,
    check_registrations,
    user_of,
)
from tablewright.systems.kurukshetra.bodies.registration import (
    DraftIn,
    DraftOut,
    MeOut,
    PersonOut,
    ProfileIn,
    RegistrationIn,
    draft_out,
    me_out,
    person_out,
)
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival
    from tablewright.systems.kurukshetra.service.people import PersonView

_REGISTERED: Responses = {
    200: {"model": PersonOut, "headers": ETAG, "description": "They had registered already."},
    201: {"headers": ETAG},
    **refusals(
        404,
        429,
        {403: "`EMAIL_UNVERIFIED`; `DOMAIN_NOT_ALLOWED`."},
        {409: "`DUPLICATE_EMAIL`; `REGISTRATION_CLOSED`."},
        {503: "`BUSY`: try again."},
    ),
}
_ONE: Responses = {200: {"headers": ETAG}, **refusals(403, 404)}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(403, 404, 428, {412: "`VERSION_CONFLICT`: read it again."}),
}


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Registration"])
    event = APIRouter(prefix="/events/{e}", route_class=idempotent(festival.runtime))
    _participants(event, festival)
    _drafts(event, festival)
    routes.include_router(event)
    _myself(routes, festival)
    return routes


def _participants(routes: APIRouter, festival: Festival) -> None:
    people, caller = festival.people, Depends(caller_of(festival))

    @routes.post("/register", status_code=201, responses=_REGISTERED)
    async def register(
        body: RegistrationIn, request: Request, response: Response, by: Caller = caller
    ) -> PersonOut:
        """Take part, with the address of the sign-in. A second time changes nothing."""
        checked = await check_registrations(festival, by, request)
        made = await people.enrol(by, body)
        response.headers.update(checked)
        response.status_code = 201 if made.new else 200
        now = await festival.access.now(by.principal, by.event_id)
        return _shown(response, await people.read(now, made.participant.participant_id))

    @routes.get("/participant/{p}", responses=_ONE)
    async def get_participant(
        p: ParticipantId, response: Response, by: Caller = caller
    ) -> PersonOut:
        """Oneself; others as far as one's role goes: volunteers see names, auditors masks."""
        return _shown(response, await people.read(by, p))

    @routes.put("/participant/{p}", responses=_CHANGED)
    async def change_participant(
        p: ParticipantId, body: ProfileIn, said: Said, response: Response, by: Caller = caller
    ) -> PersonOut:
        """Another profile, from the one that was seen. The address stays that of the sign-in."""
        return _shown(response, await people.edit(by, p, body, said))

    @routes.delete("/participant/{p}", status_code=204, responses=refusals(403, 404))
    async def erase_participant(p: ParticipantId, by: Caller = caller) -> None:
        """Forget somebody at this event. Payments stay in the books, under nobody's name."""
        await festival.erasing.erase(by, p)


def _drafts(routes: APIRouter, festival: Festival) -> None:
    people, caller = festival.people, Depends(caller_of(festival))

    @routes.get("/draft", responses=refusals(404))
    async def get_draft(by: Caller = caller) -> DraftOut:
        """The form that one has not sent yet; empty if there is none."""
        found = await people.draft(by)
        return draft_out(None, None) if found is None else draft_out(found.data, found.updated_at)

    @routes.put("/draft", responses=refusals(404))
    async def save_draft(body: DraftIn, by: Caller = caller) -> DraftOut:
        """Keep a form as far as it is filled in, encrypted, for thirty days."""
        saved = await people.save_draft(by, body.data)
        return draft_out(saved.data, saved.updated_at)

    @routes.delete("/draft", status_code=204, responses=refusals(404))
    async def drop_draft(by: Caller = caller) -> None:
        """Give a form up."""
        await people.drop_draft(by)


def _myself(routes: APIRouter, festival: Festival) -> None:
    user = Depends(user_of(festival))

    @routes.get("/me")
    async def get_me(by: Caller = user) -> MeOut:
        """Everything that is known about oneself, in all events."""
        return me_out(await festival.people.me(by))

    @routes.delete("/me", status_code=204, responses=refusals(409))
    async def erase_me(by: Caller = user) -> None:
        """Be forgotten in all events. Payments stay in the books, under nobody's name."""
        await festival.erasing.erase_me(by)


def _shown(response: Response, person: PersonView) -> PersonOut:
    response.headers["ETag"] = etag(person.version)
    return person_out(person)
