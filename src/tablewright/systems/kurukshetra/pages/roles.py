"""Who helps at an event: organisers decide about volunteers, administrators about all roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.bodies.organising import RolesIn
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.setup import TAB, parts_of
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.events.roles import BY_ORGANIZERS, Holder

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_LISTED: Final = 500
#: What each role may, in a line.
CHOICES: Final[tuple[tuple[RoleName, str], ...]] = (
    ("volunteer", "Volunteer: scans tickets, and sees a name and a team"),
    ("organizer", "Organiser: runs the event; no refunds"),
    ("finance", "Finance: payments and refunds; no people"),
    ("auditor", "Auditor: the audit, and lists without names"),
    ("admin", "Administrator: everything, roles too"),
)


def _choices(by: Caller) -> list[tuple[RoleName, str]]:
    """The roles that somebody may give."""
    return [each for each in CHOICES if by.admin or each[0] in BY_ORGANIZERS]


def _may_change(by: Caller, holder: Holder) -> bool:
    return by.admin or holder.roles <= BY_ORGANIZERS


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/setup/roles")
    deciding = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    async def asked(request: Request, by: Caller, holder: str = "", **context: object) -> Response:
        holders = list(await festival.events.roles.list(by, _LISTED))
        given: dict[str, object] = {
            "holders": sorted(holders, key=lambda each: each.who),
            "chosen": next((each for each in holders if each.uid_hash == holder), None),
            "choices": _choices(by),
            "manageable": {each.uid_hash for each in holders if _may_change(by, each)},
            "action": f"{tab_path(by.event_id, TAB)}/roles",
            "parts": parts_of(by.event_id),
            "part": "Helpers",
        }
        template = "kurukshetra/setup_roles.html"
        return await backstage.shown(request, template, by, TAB, **{**given, **context})

    @routes.get("")
    async def roles(request: Request, holder: str = "", by: Caller = deciding) -> Response:
        return await asked(request, by, holder)

    @routes.post("")
    async def grant(request: Request, by: Caller = deciding) -> Response:
        """What somebody may from now on; without a tick, nothing more."""
        values = await typed(request)
        chosen = [role for role, _ in _choices(by) if values.get(f"role.{role}") == "1"]
        try:
            body = built(RolesIn, {"who": values.get("who", ""), "roles": chosen})
            holder = await festival.events.roles.grant(by, body.who, body.roles)
        except Problem as problem:
            return await asked(request, by, problem=problem, values=values)
        message = f"{body.who} has no role at this event any more."
        if holder is not None:
            message = f"The roles of {holder.who} are saved. They take effect within seconds."
        return pages.done(request, f"{tab_path(by.event_id, TAB)}/roles", message)

    return routes
