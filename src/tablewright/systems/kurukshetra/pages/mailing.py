"""Mail to many: what an organiser says to everybody, or to some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.bodies.mail import MailIn
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.asking import Asked
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.jobs import latest
from tablewright.systems.kurukshetra.pages.registrations import STATUSES, TAB
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.mailing import MAIL

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_JOBS: Final = 10


def read_mail(values: Typed) -> MailIn:
    """The body that a form makes, or a problem at its fields."""
    asked = Asked(values)
    to = {
        "status": [status for status, _ in STATUSES if asked.ticked(f"to.status.{status}")],
        "track": asked.text("to.track"),
        "college": asked.text("to.college"),
        "leaders": asked.ticked("to.leaders"),
    }
    said = {"subject": values.get("subject", ""), "text": values.get("text", ""), "to": to}
    return built(MailIn, said)


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/registrations/mail")
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    async def page(request: Request, by: Caller, **context: object) -> Response:
        config = await festival.events.config(by.event_id)
        given: dict[str, object] = {
            "heading": "Mail",
            "statuses": STATUSES,
            "tracks": [(each, writing.track_name(each)) for each in config.tracks],
            "jobs": await latest(festival, by, MAIL, _JOBS),
            "path": f"{tab_path(by.event_id, TAB)}/mail",
        }
        template = "kurukshetra/mail.html"
        return await backstage.shown(request, template, by, TAB, **{**given, **context})

    @routes.get("")
    async def mail(request: Request, by: Caller = organizer) -> Response:
        return await page(request, by)

    @routes.post("")
    async def send(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        try:
            await festival.mailing.start(by, read_mail(values))
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            return await page(request, by, problem=problem, values=values)
        message = "The mail is on its way: everybody who is meant gets it once."
        return pages.done(request, f"{tab_path(by.event_id, TAB)}/mail", message)

    return routes
