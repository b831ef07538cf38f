"""One's own settings: profile, what is used of the tier, API keys; and going for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth.key_pages import KeyPlace
from tablewright.service.email_addresses import comparison_key
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.bodies.organizers import KeyIn, OrganizerChange
from tablewright.systems.vibejudge.pages.paths import GALLERY, SETTINGS
from tablewright.systems.vibejudge.pages.register import at_the_address
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_LISTED: Final = 25
_KEYS: Final = KeyPlace(SETTINGS, ("Settings", SETTINGS), least="organizer")


def read_profile(values: Typed) -> OrganizerChange:
    """The body that a form makes, or a problem at its fields."""
    given: dict[str, object] = {name: values.get(name, "") for name in ("email", "name")}
    given["organization"] = values.get("organization") or None
    return built(OrganizerChange, given)


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/settings")
    organizer = Depends(organizer_of(courtroom))
    organizers = courtroom.organizers

    async def page(
        request: Request, by: Caller, cursor: str | None = None, **context: object
    ) -> Response:
        problem = context.get("problem")
        keys = await organizers.keys(by, _LISTED, cursor)
        return pages.render(
            request,
            "vibejudge/settings.html",
            status=problem.status if isinstance(problem, Problem) else 200,
            profile=await organizers.me(by),
            keys=list(keys),
            more=with_query(SETTINGS, cursor=keys.cursor) if keys.cursor else "",
            action=SETTINGS,
            **context,
        )

    @routes.get("")
    async def settings(
        request: Request, cursor: str | None = None, by: Caller = organizer
    ) -> Response:
        by.registered()
        return await page(request, by, cursor)

    @routes.post("/profile")
    async def profile(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        said = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            await organizers.change(by, read_profile(values), said)
        except Problem as problem:
            return await page(request, by, problem=at_the_address(problem), values=values)
        return pages.done(request, SETTINGS, "Your profile is saved.")

    @routes.post("/keys")
    async def new_key(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        try:
            body = built(KeyIn, {"name": values.get("key_name", "")})
            key, text = await organizers.new_key(by, body.name)
        except Problem as problem:
            return await page(request, by, problem=_at_the_key(problem), values=values)
        shown = {"key": key, "text": text, "place": _KEYS, "crumbs": _KEYS.crumbs}
        return pages.render(request, "keys/made.html", status=201, **shown)

    @routes.post("/keys/{key_id}/revoke")
    async def revoke(request: Request, key_id: str, by: Caller = organizer) -> Response:
        gone = await organizers.revoke_key(by, key_id)
        message = f"The key {gone.name} is revoked; within half a minute no process accepts it."
        return pages.done(request, SETTINGS, message, tone="info")

    @routes.post("/erase")
    async def erase(request: Request, by: Caller = organizer) -> Response:
        """Only if one's own address was typed: it cannot be undone."""
        profile = await organizers.me(by)
        confirmation = (await typed(request)).get("confirmation", "")
        if comparison_key(confirmation) != comparison_key(profile.organizer.email):
            message = "Nothing is erased: the address that was typed is not yours."
            return pages.done(request, SETTINGS, message, tone="warning")
        await organizers.erase(by)
        message = "You are erased, with your hackathons and keys. Costs stay, and name nobody."
        return pages.done(request, GALLERY, message, tone="info")

    return routes


def _at_the_key(problem: Problem) -> Problem:
    """The form's field has another name than the body's: the profile has a name as well."""
    errors = [type(each)("body.key_name", each.message) for each in problem.errors]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)
