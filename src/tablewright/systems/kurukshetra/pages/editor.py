"""Planning an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.merging import packed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import user_of
from tablewright.systems.kurukshetra.pages import event_form as form
from tablewright.systems.kurukshetra.pages.paths import HOME, NEW, admin_path
from tablewright.systems.kurukshetra.rules.local_time import zone_names
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_CRUMBS: Final = [("Events", HOME)]


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events")
    user = Depends(user_of(festival))

    def asked(request: Request, **context: object) -> Response:
        first = form.first_values(festival.now())
        problem = context.get("problem")
        return pages.render(
            request,
            "kurukshetra/event_new.html",
            status=problem.status if isinstance(problem, Problem) else 200,
            crumbs=_CRUMBS,
            first=first,
            seen=packed(first),
            version="",
            action=NEW,
            cancel=HOME,
            zones=zone_names(),
            **context,
        )

    @routes.get("/new")
    async def new(request: Request, by: Caller = user) -> Response:
        by.require("organizer")
        return asked(request)

    @routes.post("/new")
    async def create(request: Request, by: Caller = user) -> Response:
        values: Typed = await typed(request)
        try:
            made = await festival.events.create(by, form.read_event(values))
        except Problem as problem:
            if problem.status == 403:
                raise
            return asked(request, problem=form.at_its_field(problem), values=values)
        config = made.config
        message = f"{config.event_name} is planned. Open registration when it is ready."
        if config.registration_open:
            message = f"{config.event_name} is there, and takes registrations within its window."
        return pages.done(request, admin_path(config.event_id), message)

    return routes
