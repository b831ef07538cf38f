"""The door: where volunteers scan tickets, with a network or without.

The page asks the API for each scan (``checkin/scan``), and sends what it had to keep as a batch
(``checkin/batch``). It brings the public keys of tickets, so that a forged one is known offline.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.headers import permissions
from tablewright.service.pages import Pages
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.pages.backstage import DOOR, STAFF
from tablewright.systems.kurukshetra.pages.framing import shown
from tablewright.systems.kurukshetra.pages.paths import (
    BASE,
    admin_path,
    door_path,
    sign_in_path,
)
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_WORKER: Final = Path(__file__).with_name("door_worker.js")


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/door")
    volunteer = Depends(role_of(festival, *DOOR))

    @routes.get("")
    async def door(request: Request, by: Caller = volunteer) -> Response:
        config = await festival.events.config(by.event_id)
        outfit = await festival.door.outfit(by)
        here = door_path(by.event_id)
        answer = shown(
            pages,
            request,
            "kurukshetra/door.html",
            config,
            here=here,
            api=f"{BASE}/api/v1/events/{by.event_id}/checkin",
            lists=outfit.lists,
            jwks=outfit.jwks,
            admin=admin_path(by.event_id) if by.has(*STAFF) else "",
            sign_in=sign_in_path(here),
        )
        answer.headers["Permissions-Policy"] = permissions("camera")
        return answer

    @routes.get("/worker.js")
    async def worker(by: Caller = volunteer) -> Response:
        """What keeps the page; it may answer for the page itself, which is above it."""
        headers = {"Service-Worker-Allowed": door_path(by.event_id), "Cache-Control": "no-cache"}
        return Response(_WORKER.read_bytes(), media_type="text/javascript", headers=headers)

    return routes
