"""Registering, step by step: you, the team, the terms; then the payment.

Every step is a form of its own, and what was typed is kept as a draft: with a script while somebody
types, without one whenever they go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.auth.auth import address_of
from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem, conflict, invalid
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of, check_registrations
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.events import Config, Question
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import shown
from tablewright.systems.kurukshetra.pages.registration_form import (
    Choice,
    Step,
    at_its_field,
    kept,
    read_choice,
    read_person,
    steps_of,
    texts_of,
)
from tablewright.systems.kurukshetra.rules import emails, phones, team_names, windows
from tablewright.systems.kurukshetra.rules.crockford import shown as grouped
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: After which a form comes back.
_REFUSED: Final = (403, 404, 409, 422, 429)
_HEADINGS: Final[dict[Step, str]] = {"you": "Register", "team": "Your team", "terms": "Terms"}


@dataclass(frozen=True)
class Going:
    """Somebody on their way through the steps."""

    by: Caller
    config: Config
    questions: tuple[Question, ...]
    #: What they have typed so far.
    draft: dict[str, str]


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}")
    somebody = Depends(caller_of(festival))

    async def going(by: Caller) -> Going:
        setup = await festival.events.setup(by.event_id)
        draft = await festival.people.draft(by)
        data = None if draft is None else draft.data
        return Going(by, setup.config, tuple(setup.questions), texts_of(data))

    def read(draft: Typed, at: Going) -> RegistrationIn:
        country = phones.code_of(festival.options.country)
        return read_person(draft, at.questions, country, at.config.required_fields)

    def step_page(request: Request, at: Going, step: Step, **said: object) -> Response:
        problem, e = said.get("problem"), at.by.event_id
        names: list[Step] = ["you", "team", "terms"]
        before = names[max(0, names.index(step) - 1)]
        context: dict[str, object] = {
            "heading": _HEADINGS[step],
            "email": at.by.email or "",
            "steps": steps_of(e, step, at.draft, fee=at.config.team_fee > 0),
            "first": at.draft,
            "questions": at.questions,
            "required_fields": at.config.required_fields,
            "action": paths.register_path(e, step),
            "autosave": f"{paths.event_path(e)}/register/draft?step={step}",
            "back": paths.register_path(e, before),
        }
        return shown(
            pages,
            request,
            f"kurukshetra/register_{step}.html",
            at.config,
            status=problem.status if isinstance(problem, Problem) else 200,
            **{**context, **said},
        )

    def in_the_way(request: Request, at: Going) -> Response | None:
        """Why somebody cannot begin: better said before they have typed anything."""
        if at.by.participant_id is not None:
            return RedirectResponse(paths.team_path(at.by.event_id), 303)
        blocked = blocking(at, windows.is_open(at.config, festival.now()))
        if blocked is None:
            return None
        return shown(
            pages,
            request,
            "kurukshetra/register_blocked.html",
            at.config,
            status=403,
            heading="Register",
            title=blocked[0],
            text=blocked[1],
        )

    async def save(by: Caller, draft: Typed) -> None:
        await festival.people.save_draft(by, dict(draft))

    # --- you -------------------------------------------------------------------------------------

    @routes.get("/register")
    async def begin(e: EventId) -> Response:
        return RedirectResponse(paths.register_path(e), 303)

    @routes.get("/register/you")
    async def you(
        request: Request,
        e: EventId,
        code: str = "",
        team: str = "",
        by: Caller = somebody,
    ) -> Response:
        at = await going(by)
        if (away := in_the_way(request, at)) is not None:
            return away
        mode = "join" if code else "invited" if team else ""
        along = {"code": code[:40], "team": team[:60], "mode": mode}
        brought = {name: each for name, each in along.items() if each}
        return step_page(request, at, "you", brought=brought)

    @routes.post("/register/you")
    async def you_said(request: Request, e: EventId, by: Caller = somebody) -> Response:
        at, values = await going(by), await typed(request)
        if (away := in_the_way(request, at)) is not None:
            return away
        draft = kept(at.draft, values, "you")
        await save(by, draft)
        try:
            read(draft, at)
        except Problem as problem:
            brought = {name: each for name, each in values.items() if name in _BROUGHT}
            return step_page(request, at, "you", problem=problem, values=values, brought=brought)
        return RedirectResponse(paths.register_path(e, "team"), 303)

    # --- the team --------------------------------------------------------------------------------

    @routes.get("/register/team")
    async def team(request: Request, e: EventId, by: Caller = somebody) -> Response:
        at = await going(by)
        return in_the_way(request, at) or step_page(request, at, "team")

    @routes.post("/register/team")
    async def team_said(request: Request, e: EventId, by: Caller = somebody) -> Response:
        at, values = await going(by), await typed(request)
        if (away := in_the_way(request, at)) is not None:
            return away
        await save(by, kept(at.draft, {**_invitation(at.draft), **values}, "team"))
        try:
            choice = read_choice({**_invitation(at.draft), **values}, at.config)
            await check_free(e, choice)
        except Problem as problem:
            found = at_its_field(problem)
            return step_page(request, at, "team", problem=found, values=values)
        return RedirectResponse(paths.register_path(e, "terms"), 303)

    async def check_free(e: str, choice: Choice) -> None:
        """A name that is taken is better said now; the registration itself decides."""
        if choice.team is None:
            return
        name = team_names.lock_of(choice.team.name)
        if await festival.db.run(reads.team_name(e, name)) is not None:
            raise conflict("NAME_TAKEN", "Another team has this name. Choose another one.")

    # --- the terms, and the end ------------------------------------------------------------------

    @routes.get("/register/terms")
    async def terms(request: Request, e: EventId, by: Caller = somebody) -> Response:
        at = await going(by)
        return in_the_way(request, at) or terms_page(request, at)

    def terms_page(request: Request, at: Going, **said: object) -> Response:
        """All that was said; a step that is not done yet comes first."""
        here = at.by.event_id
        try:
            person = read(at.draft, at)
        except Problem:
            message = "First tell us who you are."
            return pages.done(request, paths.register_path(here), message, tone="info")
        try:
            choice = read_choice(at.draft, at.config)
        except Problem:
            message = "First choose how you take part."
            return pages.done(request, paths.register_path(here, "team"), message, tone="info")
        words = {"found": "Register the team", "later": "Register"}
        return step_page(
            request,
            at,
            "terms",
            **{
                "person": person,
                "choice": choice,
                "code": grouped(choice.code),
                "submit": words.get(choice.mode, "Register and join"),
                **said,
            },
        )

    @routes.post("/register/terms")
    async def accept(request: Request, e: EventId, by: Caller = somebody) -> Response:
        at, values = await going(by), await typed(request)
        if (away := in_the_way(request, at)) is not None:
            return away
        try:
            await check_registrations(festival, by, request)
            person = read(at.draft, at)
            choice = read_choice(at.draft, at.config)
            if values.get("terms") != "1":
                raise invalid(FieldError("body.terms", "Please agree to them."))
            await registered(request, by, person, choice)
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            return await not_done(request, at, problem)
        await festival.people.drop_draft(by)
        return welcome(request, at.config, choice)

    async def registered(
        request: Request, by: Caller, person: RegistrationIn, choice: Choice
    ) -> None:
        """Each is a transaction of its own: who is registered stays so, whatever the team does."""
        if choice.team is not None:
            await festival.teams.register_team(by, person, choice.team)
            return
        await festival.people.register(by, person)
        now = await festival.access.now(by.principal, by.event_id)
        if choice.mode == "join":
            await festival.teams.join(now, choice.code, address_of(request))
        if choice.mode == "invited":
            await festival.teams.accept(now, choice.team_id)

    async def not_done(request: Request, at: Going, problem: Problem) -> Response:
        """Back to the terms; or, if only the team did not work, to where one founds or joins."""
        now = await festival.access.now(at.by.principal, at.by.event_id)
        if now.participant_id is None:
            return terms_page(request, at, problem=problem)
        await festival.people.drop_draft(now)
        message = f"You are registered, but not in a team yet. {problem.detail}"
        return pages.done(request, paths.team_path(at.by.event_id), message, tone="warning")

    def welcome(request: Request, config: Config, choice: Choice) -> Response:
        """On to the payment, if the team can pay; else to the team, which is not complete."""
        here = paths.team_path(config.event_id)
        if choice.mode == "later":
            return pages.done(request, here, "You are registered.")
        if choice.mode != "found":
            return pages.done(request, here, "You are registered, and in the team.")
        alone = config.min_team_size == 1
        to = paths.pay_path(config.event_id) if alone else here
        return pages.done(request, to, "You are registered, and the team is yours.")

    # --- while somebody types --------------------------------------------------------------------

    @routes.post("/register/draft")
    async def autosave(
        request: Request, e: EventId, step: Step = "you", by: Caller = somebody
    ) -> Response:
        """What was typed so far, whatever it is worth."""
        at = await going(by)
        if at.by.participant_id is None:
            await save(by, {**_invitation(at.draft), **kept(at.draft, await typed(request), step)})
        return Response(status_code=204)

    return routes


_BROUGHT: Final = frozenset({"code", "team", "mode"})


def _invitation(draft: Typed) -> dict[str, str]:
    """The team that somebody was invited to is in no field."""
    return {"team": draft["team"]} if draft.get("team") else {}


def blocking(at: Going, open_now: bool) -> tuple[str, str] | None:
    """A title and a text, if somebody cannot register."""
    if at.by.email is None or not at.by.verified:
        text = "Your sign-in has no e-mail address that was verified. Verify it, and sign in again."
        return "We need a verified address", text
    if not emails.is_allowed(at.by.email, at.config.allowed_domains):
        names = ", ".join(sorted(at.config.allowed_domains))
        return (
            "This event is for others",
            f"Addresses at {names} can register. Yours is {at.by.email}.",
        )
    if not open_now:
        return "Registration is closed", "Nobody can register at the moment."
    return None
