"""The questions of the registration form, edited as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.pages import question_form as form
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.setup import TAB, parts_of
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/setup/questions")
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    def rows(event_id: str, values: Typed) -> dict[str, object]:
        return {
            "first": values,
            "numbers": form.numbers(values),
            "kinds": form.KINDS,
            "most": form.MOST,
            "rows_path": f"{tab_path(event_id, TAB)}/questions/rows",
        }

    async def asked(
        request: Request, by: Caller, values: Typed | None = None, **context: object
    ) -> Response:
        setup = await festival.events.setup_now(by.event_id)
        given: dict[str, object] = {
            **rows(by.event_id, form.values_of(setup.questions) if values is None else values),
            "values": values,
            "version": str(setup.config.version),
            "action": f"{tab_path(by.event_id, TAB)}/questions",
            "parts": parts_of(by.event_id),
            "part": "Questions",
        }
        template = "kurukshetra/setup_questions.html"
        return await backstage.shown(request, template, by, TAB, **{**given, **context})

    @routes.get("")
    async def questions(request: Request, by: Caller = organizer) -> Response:
        return await asked(request, by)

    @routes.post("/rows")
    async def changed(request: Request, by: Caller = organizer) -> Response:
        """One more row, one less, or another order: the part of the form, or all of it."""
        sent = await typed(request)
        values = form.acted(sent)
        if request.headers.get("hx-request"):
            template = "kurukshetra/setup_question_rows.html"
            return pages.render(
                request, template, status=200, **rows(by.event_id, values), values=values
            )
        return await asked(request, by, values, status=200, version=sent.get("version", ""))

    @routes.post("")
    async def save(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        said = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            setup = await festival.events.questions.save(by, form.read_questions(values), said)
        except Problem as problem:
            # After a clash the next attempt is meant for what is there by then.
            kept = {} if problem.status == 412 else {"version": values.get("version", "")}
            return await asked(request, by, values, problem=problem, **kept)
        count = len(setup.questions)
        words = {0: "There are no questions now.", 1: "The question is saved."}
        message = words.get(count, f"{count} questions are saved.")
        return pages.done(request, f"{tab_path(by.event_id, TAB)}/questions", message)

    return routes
