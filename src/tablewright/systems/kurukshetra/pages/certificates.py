"""Certificates for who was there: issued for all who passed a list, or for some by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.certificates.press import Kind
from tablewright.systems.kurukshetra.pages.asking import Asked
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.jobs import latest
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.certificates.certificates import JOB

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Certificates"
KINDS: Final[tuple[tuple[Kind, str], ...]] = (
    ("participation", "Participation: everybody who came"),
    ("completion", "Completion: who came and handed in a repository"),
    ("winner", "Winner: whom you name"),
)
_JOBS: Final = 10


def kind_of(text: str) -> Kind:
    found = next((kind for kind, _ in KINDS if kind == text), None)
    if found is None:
        raise invalid(FieldError("body.kind", "Choose one."))
    return found


def named(values: Typed) -> list[str] | None:
    """Ids of participants; None is everybody."""
    return Asked(values).lines("participants") or None


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/certificates")
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    async def page(request: Request, by: Caller, **context: object) -> Response:
        config = await festival.events.config(by.event_id)
        return await backstage.shown(
            request,
            "kurukshetra/certificates.html",
            by,
            TAB,
            **{
                "kinds": KINDS,
                "lists": [
                    (each, each.replace("-", " ").capitalize()) for each in config.checkin_lists
                ],
                "jobs": await latest(festival, by, JOB, _JOBS),
                "path": tab_path(by.event_id, TAB),
                "people": [],
                **context,
            },
        )

    @routes.get("")
    async def certificates(
        request: Request, participant: str = "", by: Caller = organizer
    ) -> Response:
        return await page(request, by, people=[participant] if participant else [])

    @routes.post("")
    async def issue(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        try:
            kind, people = kind_of(values.get("kind", "")), named(values)
            list_id, check_only = values.get("list_id", ""), values.get("act") == "check"
            await festival.certificates.issue(by, kind, list_id, people, check_only=check_only)
        except Problem as problem:
            return await page(request, by, problem=problem, values=values)
        message = "The certificates are being issued. Everybody who gets one is told by mail."
        if check_only:
            message = "The names are being checked. Nothing is issued."
        return pages.done(request, tab_path(by.event_id, TAB), message)

    @routes.post("/withdraw")
    async def withdraw(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        try:
            await festival.certificates.withdraw(by, values.get("code", ""))
        except Problem as problem:
            if problem.status != 404:
                raise
            error = FieldError("body.code", "There is no such certificate of this event.")
            told = Problem(404, "NOT_FOUND", error.message, errors=[error])
            return await page(request, by, problem=told, values=values)
        message = "The certificate is withdrawn: its code means nothing any more."
        return pages.done(request, tab_path(by.event_id, TAB), message, tone="info")

    return routes
