"""Oneself: what is known, to see, to take along, and to have erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.email_addresses import comparison_key
from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.systems.kurukshetra.api.callers import user_of
from tablewright.systems.kurukshetra.bodies.registration import me_out
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: What somebody types whose sign-in has no address.
_WORD = "erase me"


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/me")
    somebody = Depends(user_of(festival))

    @routes.get("")
    async def me(request: Request, by: Caller = somebody) -> Response:
        return pages.render(
            request,
            "kurukshetra/me.html",
            me=await festival.people.me(by),
            word=by.email or _WORD,
            here=paths.ME,
            events_path=paths.HOME,
            team_path=paths.team_path,
            details_path=paths.details_path,
            register_path=paths.register_path,
        )

    @routes.get("/export")
    async def export(by: Caller = somebody) -> Response:
        """All of it, as a file that programs can read."""
        body = me_out(await festival.people.me(by)).model_dump_json(indent=2)
        headers = {"Content-Disposition": 'attachment; filename="my-data.json"'}
        return Response(body, media_type="application/json", headers=headers)

    @routes.post("/erase")
    async def erase(request: Request, by: Caller = somebody) -> Response:
        """Only if one's own address was typed: it cannot be undone."""
        confirmation = (await typed(request)).get("confirmation", "")
        if comparison_key(confirmation) != comparison_key(by.email or _WORD):
            message = "Nothing is erased: what was typed is not your address."
            return pages.done(request, paths.ME, message, tone="warning")
        await festival.erasing.erase_me(by)
        message = "You are erased at all events. Payments stay in the books, and name nobody."
        return pages.done(request, paths.HOME, message, tone="info")

    return routes
