"""The settings of an event: its window, its seats, its fee; the other parts are beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.merging import merged, packed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem, told
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.bodies.events import ConfigChange
from tablewright.systems.kurukshetra.pages import event_form as form
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.paths import HOME, admin_path
from tablewright.systems.kurukshetra.reads import Setup
from tablewright.systems.kurukshetra.rules.local_time import zone_names
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Set-up"


def parts_of(event_id: str) -> list[tuple[str, str]]:
    """The parts of the set-up, with their paths."""
    parts = [
        ("Settings", ""),
        ("Questions", "/questions"),
        ("Vouchers", "/vouchers"),
        ("Helpers", "/roles"),
    ]
    return [(title, f"{tab_path(event_id, TAB)}{rest}") for title, rest in parts]


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/setup")
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    async def asked(request: Request, by: Caller, setup: Setup, **context: object) -> Response:
        config = setup.config
        first = form.values_of(config)
        given: dict[str, object] = {
            "first": first,
            "seen": packed(first),
            "version": str(config.version),
            "action": tab_path(config.event_id, TAB),
            "cancel": admin_path(config.event_id),
            "zones": zone_names(),
            "parts": parts_of(config.event_id),
            "part": "Settings",
        }
        template = "kurukshetra/setup.html"
        return await backstage.shown(request, template, by, TAB, **{**given, **context})

    @routes.get("")
    async def settings(request: Request, by: Caller = organizer) -> Response:
        return await asked(request, by, await festival.events.setup_now(by.event_id))

    @routes.post("")
    async def save(request: Request, by: Caller = organizer) -> Response:
        values: Typed = await typed(request)
        said = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            await festival.events.change(by, form.read_change(values), said)
        except Problem as problem:
            before = await festival.events.setup_now(by.event_id)
            if problem.status == 412:
                sent = {"registration_open": "", **values}
                clash = merged(sent, form.values_of(before.config), words=form.words)
                return await asked(
                    request, by, before, status=412, values=clash.values, clash=clash
                )
            kept = {each: values.get(each, "") for each in ("version", "seen")}
            wrong = form.at_its_field(problem)
            return await asked(request, by, before, problem=wrong, values=values, **kept)
        return pages.done(request, tab_path(by.event_id, TAB), "The settings are saved.")

    @routes.post("/delete")
    async def delete(request: Request, by: Caller = organizer) -> Response:
        try:
            await festival.events.delete(by)
        except Problem as problem:
            if problem.status not in (409, 412):
                raise
            return pages.done(request, tab_path(by.event_id, TAB), told(problem), tone="warning")
        return pages.done(request, HOME, "The event is deleted.", tone="info")

    @routes.post("/registration")
    async def switch(request: Request, by: Caller = organizer) -> Response:
        """Registration opened or closed, from the overview."""
        values = await typed(request)
        opened = values.get("open") == "1"
        said = Precondition(if_match=f'"{values.get("version", "")}"')
        place = admin_path(by.event_id)
        try:
            await festival.events.change(by, ConfigChange(registration_open=opened), said)
        except Problem as problem:
            if problem.status not in (409, 412):
                raise
            return pages.done(request, place, told(problem), tone="warning")
        message = "Registration is open within its window." if opened else "Registration is closed."
        return pages.done(request, place, message, tone="success" if opened else "info")

    return routes
