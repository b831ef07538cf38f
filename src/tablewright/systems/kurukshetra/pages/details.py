"""What somebody said about themselves at an event, and changing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.events import Question
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import EventFrame, crumbs_of, shown
from tablewright.systems.kurukshetra.pages.registration_form import at_its_field, read_person
from tablewright.systems.kurukshetra.rules import phones
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.people import PersonView

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_REFUSED: Final = (403, 409, 412, 422)
_TEXTS: Final = (
    "first_name",
    "last_name",
    "phone",
    "github_username",
    "linkedin",
    "college",
    "year",
)


def fields_of(person: PersonView, questions: tuple[Question, ...]) -> dict[str, str]:
    """A profile as the form has it."""
    said = {name: getattr(person, name) or "" for name in _TEXTS}
    said["student_status"] = "1" if person.student_status else ""
    for each in questions:
        name, given = f"answers.{each.question_id}", (person.answers or {}).get(each.question_id)
        if isinstance(given, bool):
            said[name] = "1" if given else ""
        elif isinstance(given, list):
            chosen = {f"{name}.{place}": text for place, text in enumerate(each.choices)}
            said.update({place: text for place, text in chosen.items() if text in given})
        else:
            said[name] = given or ""
    return said


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/details")
    somebody = Depends(caller_of(festival))

    async def page(request: Request, by: Caller, **said: object) -> Response:
        setup = await festival.events.setup(by.event_id)
        person = await festival.people.read(by, by.participant())
        team_path, problem = paths.team_path(by.event_id), said.get("problem")
        return shown(
            pages,
            request,
            "kurukshetra/details.html",
            setup.config,
            status=problem.status if isinstance(problem, Problem) else 200,
            heading="Your details",
            crumbs=crumbs_of(EventFrame(setup.config), ("My team", team_path)),
            person=person,
            first=fields_of(person, setup.questions),
            questions=setup.questions,
            required_fields=setup.config.required_fields,
            action=paths.details_path(by.event_id),
            back=team_path,
            me_path=paths.ME,
            **said,
        )

    @routes.get("")
    async def details(request: Request, e: EventId, by: Caller = somebody) -> Response:
        by = await festival.access.now(by.principal, e)
        if by.participant_id is None:
            return RedirectResponse(paths.register_path(e), 303)
        return await page(request, by)

    @routes.post("")
    async def change(request: Request, e: EventId, by: Caller = somebody) -> Response:
        values = await typed(request)
        setup = await festival.events.setup(e)
        said = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            country = phones.code_of(festival.options.country)
            body = read_person(values, setup.questions, country, setup.config.required_fields)
            await festival.people.edit(by, by.participant(), body, said)
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            return await page(request, by, problem=at_its_field(problem), values=values)
        return pages.done(request, paths.team_path(e), "Your details are saved.")

    return routes
