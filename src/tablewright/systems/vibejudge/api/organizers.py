"""``/organizers``: registering, one's own profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from tablewright.service.auth import Principal
from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.bodies.organizers import (
    KeyIn,
    KeyOut,
    NewKeyOut,
    OrganizerChange,
    OrganizerIn,
    OrganizerOut,
    ProfileOut,
    RegisteredOut,
    TierIn,
    key_out,
    organizer_out,
    profile_out,
)
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

OrgId = Annotated[str, Path(description="The organiser.")]
KeyId = Annotated[str, Path(description="What the key is called by: the middle part of its text.")]

_REGISTERED: Responses = {
    201: {"headers": ETAG},
    **refusals(
        401,
        403,
        429,
        {409: "`EMAIL_TAKEN`; `ALREADY_REGISTERED`: whoever has signed in is an organiser."},
    ),
}
_ME: Responses = {200: {"headers": ETAG}, **refusals({403: "`NOT_REGISTERED`, `FORBIDDEN`."}, 404)}
_CHANGED: Responses = {200: {"headers": ETAG}, **refusals(404, 412, {409: "`EMAIL_TAKEN`."})}


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/organizers", tags=["organizers"])
    auth, organizers = courtroom.runtime.auth, courtroom.organizers
    organizer = Depends(organizer_of(courtroom))
    admin = Depends(auth.require("admin"))
    registrations = Rate(courtroom.options.registrations_per_minute)

    @routes.post("", status_code=201, responses=_REGISTERED)
    async def register(body: OrganizerIn, request: Request, response: Response) -> RegisteredOut:
        """Become an organiser. The key in the answer is shown this once.

        Nobody has to sign in for it; who has, is this organiser from now on.
        """
        headers = await courtroom.runtime.limits.check(
            "registrations", address_of(request), registrations
        )
        made = await organizers.register(body, await auth.principal(request))
        response.headers.update(headers)
        response.headers["ETag"] = etag(made.organizer.version)
        shown = organizer_out(made.organizer).model_dump()
        return RegisteredOut(**shown, api_key=made.api_key)

    @routes.get("/me", responses=_ME)
    async def get_me(response: Response, by: Caller = organizer) -> ProfileOut:
        """One's own profile, and what is used of this year's limits."""
        profile = await organizers.me(by)
        response.headers["ETag"] = etag(profile.organizer.version)
        return profile_out(profile)

    @routes.patch("/me", responses=_CHANGED)
    async def change_me(
        body: OrganizerChange, said: Said, response: Response, by: Caller = organizer
    ) -> OrganizerOut:
        """Another name, organisation or address. What is left out stays."""
        changed = await organizers.change(by, body, said)
        response.headers["ETag"] = etag(changed.version)
        return organizer_out(changed)

    @routes.delete("/me", status_code=204, responses=refusals(404))
    async def erase_me(by: Caller = organizer) -> None:
        """Go, with all hackathons and keys. Costs stay, and name nobody.

        Profile, keys and hackathons are gone with the answer, what lies in them soon after. It
        cannot be undone.
        """
        await organizers.erase(by)

    @routes.get("/me/keys", responses=refusals(404))
    async def list_keys(paging: Paging, by: Caller = organizer) -> PageBody[KeyOut]:
        """One's own API keys, revoked ones too."""
        page = await organizers.keys(by, paging.limit, paging.cursor)
        return page_body(page, [key_out(each) for each in page])

    @routes.post("/me/keys", status_code=201, responses=refusals(404, {409: "`KEYS_FULL`."}))
    async def create_key(body: KeyIn, by: Caller = organizer) -> NewKeyOut:
        """Another API key. Its text is in the answer, and nowhere else."""
        key, text = await organizers.new_key(by, body.name)
        return NewKeyOut(**key_out(key).model_dump(), api_key=text)

    @routes.delete("/me/keys/{key_id}", responses=refusals(404))
    async def revoke_key(key_id: KeyId, by: Caller = organizer) -> KeyOut:
        """End a key: at once here, within half a minute everywhere."""
        return key_out(await organizers.revoke_key(by, key_id))

    @routes.put("/{org_id}/tier", responses={200: {"headers": ETAG}, **refusals(404)})
    async def set_tier(
        org_id: OrgId, body: TierIn, response: Response, by: Principal = admin
    ) -> OrganizerOut:
        """What an organiser may have; for administrators."""
        changed = await organizers.set_tier(Caller(by), org_id, body.tier)
        response.headers["ETag"] = etag(changed.version)
        return organizer_out(changed)

    return routes
