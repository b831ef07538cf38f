"""Becoming an organiser. Nobody has to sign in for it; who has, is this organiser from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.auth import Principal
from tablewright.service.auth.auth import address_of
from tablewright.service.forms import Typed, built, typed
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.pages.paths import HACKATHONS, NEW, ORGANIZERS, REGISTER

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


def read_organizer(values: Typed) -> OrganizerIn:
    """The body that a form makes, or a problem at its fields."""
    given: dict[str, object] = {name: values.get(name, "") for name in ("email", "name")}
    given["organization"] = values.get("organization") or None
    return built(OrganizerIn, given)


def at_the_address(problem: Problem) -> Problem:
    """An address that is taken is wrong at its field."""
    if problem.code != "EMAIL_TAKEN":
        return problem
    errors = [FieldError("body.email", problem.detail)]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/register")
    auth, organizers = courtroom.runtime.auth, courtroom.organizers
    # The API and the pages count together.
    registrations = Rate(courtroom.options.registrations_per_minute)

    async def is_organizer(who: Principal | None) -> bool:
        return who is not None and (await organizers.caller(who)).org_id is not None

    def asked(request: Request, who: Principal | None, **context: object) -> Response:
        problem = context.get("problem")
        status = problem.status if isinstance(problem, Problem) else 200
        place = {"who": who, "action": REGISTER, "sign_in": f"/sign-in?next={REGISTER}"}
        return pages.render(
            request, "vibejudge/register.html", status=status, **{**place, **context}
        )

    @routes.get("")
    async def form(request: Request) -> Response:
        who = await auth.principal(request)
        if await is_organizer(who):
            return RedirectResponse(HACKATHONS, 303)
        return asked(request, who)

    @routes.post("")
    async def register(request: Request) -> Response:
        who = await auth.principal(request)
        values = await typed(request)
        try:
            await courtroom.runtime.limits.check(
                "registrations", address_of(request), registrations
            )
            made = await organizers.register(read_organizer(values), who)
        except Problem as problem:
            if problem.code == "ALREADY_REGISTERED":
                return pages.done(request, HACKATHONS, problem.detail, tone="info")
            return asked(request, who, problem=at_the_address(problem), values=values)
        can_go_on = who is not None and who.has(*ORGANIZERS)
        return pages.render(
            request,
            "vibejudge/registered.html",
            status=201,
            organizer=made.organizer,
            api_key=made.api_key,
            next=NEW if can_go_on else "",
        )

    return routes
