"""``admin/mail``: what organisers say to many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.problem_answers import refusals
from tablewright.systems.kurukshetra.api.callers import EventId, role_of
from tablewright.systems.kurukshetra.bodies.mail import MailIn
from tablewright.systems.kurukshetra.bodies.tickets import JobOut, job_out
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(
        prefix="/api/v1/events/{e}/admin",
        tags=["Administration"],
        route_class=idempotent(festival.runtime),
    )
    organizer = Depends(role_of(festival, "organizer"))

    @routes.post("/mail", status_code=202, responses=refusals(404, {503: "`BUSY`."}))
    async def send_mail(e: EventId, body: MailIn, by: Caller = organizer) -> JobOut:
        """Mail everybody, or some. The job says how many mails are on their way by now."""
        return job_out(await festival.mailing.start(by, body))

    return routes
