"""What everybody sees of an event, with its seats as they go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.auth.auth import address_of
from tablewright.service.events import Event
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.systems.kurukshetra.api.callers import EventId
from tablewright.systems.kurukshetra.bodies.checkout import SeatsOut
from tablewright.systems.kurukshetra.events import Seats
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import shown, standing

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Of one address.
_LOOKS: Final = Rate(600)
#: Who sees more of an event than its participants do.
_RUNNING: Final = ("organizer", "finance", "auditor", "admin")


def taken(seats: Seats | SeatsOut) -> float:
    """How much of the event is taken, of a hundred."""
    return 100 * (seats.capacity - seats.free) / seats.capacity if seats.capacity else 100.0


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}")
    auth = festival.runtime.auth

    async def limited(request: Request) -> None:
        await festival.runtime.limits.check("event-pages", address_of(request), _LOOKS)

    looked: Final = [Depends(limited)]

    async def ways(who: Principal | None, e: str) -> dict[str, object]:
        """Where somebody can go from here, and in which words."""
        by = None if who is None else await festival.access.caller(who, e)
        takes_part = by is not None and by.participant_id is not None
        in_team = by is not None and by.team_id is not None
        words = "Go to my team" if in_team else "Found or join a team" if takes_part else "Register"
        return {
            "signed_in": who is not None,
            "way": words,
            "team_path": paths.team_path(e) if takes_part else "",
            "register_path": paths.register_path(e),
            "join_path": paths.join_path(e),
            "manages": by is not None and by.has(*_RUNNING),
            "scans": by is not None and by.has("volunteer", "organizer", "admin"),
            "admin_path": paths.admin_path(e),
            "door_path": paths.door_path(e),
        }

    @routes.get("", dependencies=looked)
    async def event(request: Request, e: EventId) -> Response:
        who = await auth.principal(request)
        found = await festival.events.public(e, drafts=who is not None)
        return shown(
            pages,
            request,
            "kurukshetra/event.html",
            found.config,
            status=200,
            crumbs=[],
            seats=found.seats,
            taken=taken(found.seats),
            standing=standing(found.config, found.seats, festival.now()),
            certificates=paths.CERTIFICATES,
            **await ways(who, e),
        )

    @routes.get("/seats", dependencies=looked)
    async def seats(request: Request, e: EventId) -> Response:
        """The part of the page that changes, as it is now."""
        await festival.events.check_published(e)
        found = await festival.seats.of(e)
        return pages.render(
            request, "kurukshetra/event_seats.html", seats=found, taken=taken(found)
        )

    @routes.get("/live", dependencies=looked)
    async def live(request: Request, e: EventId) -> Response:
        """The same part whenever it is different, for as long as somebody looks."""

        await festival.events.check_published(e)

        def render(told: Event) -> str:
            found = SeatsOut.model_validate(told.data)
            template = "kurukshetra/event_seats.html"
            return pages.fragment(template, seats=found, taken=taken(found))

        return await festival.watching.stream(request, e, render)

    return routes
