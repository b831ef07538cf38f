"""One's own team: its people, its seat, its repository; and what is done with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem, conflict, invalid
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.bodies.teams import TeamChange
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.fields import TAKEN
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import shown
from tablewright.systems.kurukshetra.pages.registration_form import (
    addresses,
    at_its_field,
    read_team,
)
from tablewright.systems.kurukshetra.pages.team_parts import CertificateLine, Ways, state_of
from tablewright.systems.kurukshetra.rules import windows
from tablewright.systems.kurukshetra.rules.crockford import shown as grouped
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.tickets import qr

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: After which a form comes back, or the page says why.
_REFUSED: Final = (403, 404, 409, 412, 422, 429)


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/team")
    somebody = Depends(caller_of(festival))
    teams = festival.teams

    async def latest(by: Caller) -> Caller:
        """With the team that they are in now."""
        return await festival.access.now(by.principal, by.event_id)

    async def team_page(request: Request, by: Caller, team_id: str, **said: object) -> Response:
        e = by.event_id
        config = await festival.events.config(e)
        view = await teams.read(by, team_id)
        ways = Ways(view, config, await festival.seats.of(e), festival.now(), by.participant())
        url = festival.runtime.settings.url + paths.join_path(e, view.invite_code or "")
        paid = view.team.payment_status in ("paid", "refunded")
        problem = said.get("problem")
        context: dict[str, object] = {
            "heading": view.team.name,
            "view": view,
            "ways": ways,
            "here": paths.team_path(e),
            "pay_path": paths.pay_path(e),
            "ticket_path": paths.ticket_path(e),
            "receipt_path": paths.receipt_path(e) if paid else "",
            "receipts": {
                each.payment_id: paths.receipt_path(e, each.payment_id)
                for each in view.payments
                if each.status in TAKEN
            },
            "details_path": paths.details_path(e),
            "invite_code": grouped(view.invite_code or ""),
            "join_url": url,
            "join_qr": qr.svg(url, "The link to join") if ways.can_invite else "",
            "now": festival.now(),
            "certificates": await certificates(by, config),
        }
        return shown(
            pages,
            request,
            "kurukshetra/team.html",
            config,
            status=problem.status if isinstance(problem, Problem) else 200,
            **{**context, **said},
        )

    async def certificates(by: Caller, config: Config) -> list[CertificateLine]:
        """Those that were issued; before the event has begun there is none to look for."""
        if festival.now() < config.event_start:
            return []
        return [CertificateLine(each) for each in await festival.certificates.mine(by)]

    async def no_team(request: Request, by: Caller, **said: object) -> Response:
        e = by.event_id
        config = await festival.events.config(e)
        problem = said.get("problem")
        context: dict[str, object] = {
            "heading": "Your team",
            "here": paths.team_path(e),
            "join_action": paths.join_path(e),
            "details_path": paths.details_path(e),
            "roster_open": windows.roster_open(config, festival.now()),
            "code": "",
        }
        return shown(
            pages,
            request,
            "kurukshetra/no_team.html",
            config,
            status=problem.status if isinstance(problem, Problem) else 200,
            **{**context, **said},
        )

    async def page(request: Request, by: Caller, **said: object) -> Response:
        if by.team_id is None:
            return await no_team(request, by, **said)
        return await team_page(request, by, by.team_id, **said)

    @routes.get("")
    async def team(request: Request, e: EventId, by: Caller = somebody) -> Response:
        by = await latest(by)
        if by.participant_id is None:
            return RedirectResponse(paths.register_path(e), 303)
        return await page(request, by)

    @routes.get("/state")
    async def state(e: EventId, was: str = "", by: Caller = somebody) -> Response:
        """Whether the page is still true; if not, the browser fetches it again."""
        found = None
        if by.team_id is not None:
            found = await festival.db.run(reads.team(e, by.team_id))
        same = found is not None and state_of(found) == was
        return Response(status_code=204, headers={} if same else {"HX-Refresh": "true"})

    # --- acting ----------------------------------------------------------------------------------

    async def acted(
        request: Request, by: Caller, act: Callable[[str], Awaitable[object]], said: str
    ) -> Response:
        """Something with a button of its own; what is in its way is said on the page."""
        by = await latest(by)
        here = paths.team_path(by.event_id)
        if by.team_id is None:
            return pages.done(request, here, "You are in no team any more.", tone="warning")
        try:
            await act(by.team_id)
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            return pages.done(request, here, problem.detail, tone="warning")
        return pages.done(request, here, said)

    async def filled(
        request: Request,
        by: Caller,
        act: Callable[[Caller, Typed], Awaitable[object]],
        said: str,
        to: str = "",
    ) -> Response:
        """Something with a form; if it is refused, the form comes back as it was typed."""
        by, values = await latest(by), await typed(request)
        try:
            await act(by, values)
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            return await page(request, by, problem=at_its_field(problem), values=values)
        return pages.done(request, to or paths.team_path(by.event_id), said)

    @routes.post("/found")
    async def found(request: Request, e: EventId, by: Caller = somebody) -> Response:
        async def act(who: Caller, values: Typed) -> None:
            config = await festival.events.config(e)
            await teams.found(who, read_team(values, config))

        return await filled(request, by, act, "The team is yours. Invite the others.")

    @routes.post("/edit")
    async def edit(request: Request, e: EventId, by: Caller = somebody) -> Response:
        async def act(who: Caller, values: Typed) -> None:
            body = built(TeamChange, {name: values.get(name, "") for name in ("name", "track")})
            said = Precondition(if_match=f'"{values.get("version", "")}"')
            await teams.edit(who, in_team(who), body, said)

        return await filled(request, by, act, "Saved.")

    @routes.post("/invite")
    async def invite(request: Request, e: EventId, by: Caller = somebody) -> Response:
        async def act(who: Caller, values: Typed) -> None:
            wanted = addresses(values)
            if not wanted:
                raise invalid(FieldError("body.emails", "Is missing."))
            await teams.invite(who, in_team(who), wanted)

        return await filled(request, by, act, "The invitations are on their way.")

    @routes.post("/repository")
    async def repository(request: Request, e: EventId, by: Caller = somebody) -> Response:
        async def act(who: Caller, values: Typed) -> None:
            await teams.repository(who, in_team(who), values.get("repo_url", ""))

        return await filled(request, by, act, "The repository is saved.")

    @routes.post("/withdraw")
    async def withdraw(request: Request, e: EventId, by: Caller = somebody) -> Response:
        email_hash = (await typed(request)).get("email_hash", "")
        said = "The invitation is withdrawn."
        return await acted(request, by, lambda t: teams.withdraw(by, t, email_hash), said)

    @routes.post("/rotate")
    async def rotate(request: Request, e: EventId, by: Caller = somebody) -> Response:
        said = "There is a new code. The old one leads nowhere."
        return await acted(request, by, lambda t: teams.rotate(by, t), said)

    @routes.post("/leader")
    async def leader(request: Request, e: EventId, by: Caller = somebody) -> Response:
        participant_id = (await typed(request)).get("participant_id", "")
        said = "The team is handed over."
        return await acted(request, by, lambda t: teams.hand_over(by, t, participant_id), said)

    @routes.post("/leave")
    async def leave(request: Request, e: EventId, by: Caller = somebody) -> Response:
        said = "You have left the team, and are still registered."
        return await acted(request, by, lambda t: teams.leave(by, t), said)

    @routes.post("/disband")
    async def disband(request: Request, e: EventId, by: Caller = somebody) -> Response:
        said = "The team is disbanded. Everybody is still registered."
        return await acted(request, by, lambda t: teams.disband(by, t), said)

    @routes.post("/waitlist")
    async def wait(request: Request, e: EventId, by: Caller = somebody) -> Response:
        said = "You are on the waitlist. We write to you when there is a seat."
        return await acted(request, by, lambda t: festival.seats.enter(by, t), said)

    @routes.post("/waitlist/leave")
    async def wait_no_more(request: Request, e: EventId, by: Caller = somebody) -> Response:
        said = "You are not on the waitlist any more."
        return await acted(request, by, lambda t: festival.seats.leave(by, t), said)

    return routes


def in_team(by: Caller) -> str:
    """The team; who has left meanwhile is in none."""
    if by.team_id is None:
        raise conflict("NOT_IN_TEAM", "You are in no team any more.")
    return by.team_id
