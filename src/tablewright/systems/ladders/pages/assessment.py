"""An assessment: its author fills it in step by step, others read it.

The form is saved while it is filled in; ``assessing.js`` sends what has changed and says how that
went. Without it, each step is saved when one goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.ladders.api.callers import AssessmentId, caller_of
from tablewright.systems.ladders.bodies.assessments import ReopenIn
from tablewright.systems.ladders.entities import Assessment
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.assessment_beside import read_beside
from tablewright.systems.ladders.pages.assessment_form import (
    answer_fields,
    at_fields,
    read_answers,
    seen,
)
from tablewright.systems.ladders.pages.assessment_parts import Sheet
from tablewright.systems.ladders.pages.due import due
from tablewright.systems.ladders.pages.form_fields import (
    OUTLOOK,
    REASON,
    describe_problem,
    in_sentences,
    read_form,
)
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import Names, names_of
from tablewright.systems.ladders.pages.rendered import detail_html, line_html
from tablewright.systems.ladders.rules.rights import may
from tablewright.systems.ladders.service.assessments import FoundAssessment
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: A form that is refused like this comes back as it was typed.
_BACK = (*REFUSED, 413)
#: The cookie of an assessment that says at which step its author left.
_STEP: Final = "ladders-step"
_STEP_SECS: Final = 90 * 24 * 3600


@dataclass(frozen=True)
class View:
    """An assessment with its ladder, and the names of who it is about."""

    found: FoundAssessment
    sheet: Sheet
    names: Names

    @property
    def assessment(self) -> Assessment:
        return self.found.assessment

    @property
    def own(self) -> bool:
        return "subject" in self.found.who

    @property
    def member(self) -> str:
        return self.names.of(self.assessment.team_member_id)

    @property
    def title(self) -> str:
        if self.assessment.assessment_type == "self":
            return "Your self-assessment" if self.own else f"Self-assessment of {self.member}"
        if self.own:
            return "Your manager's assessment of you"
        whose = "Your" if "manager" in self.found.who else "The manager's"
        return f"{whose} assessment of {self.member}"

    @property
    def can_reopen(self) -> bool:
        return (
            self.assessment.status == "submitted"
            and self.assessment.withdrawn_at is None
            and self.found.plan.status == "active"
            and may("reopen_assessment", self.found.who, self.found.facts)
        )


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/assessments/{a}")
    somebody, assessments = Depends(caller_of(company)), company.assessments

    async def viewed(by: Caller, a: str) -> View:
        found = await assessments.read(by, a)
        ladder = await company.configs.ladder(found.plan)
        about = found.assessment
        people = [about.team_member_id, about.assessor_id, *(x.by for x in about.reopens or ())]
        sheet = Sheet(about, ladder, found.plan.require_all)
        return View(found, sheet, await names_of(company, people))

    def page(
        request: Request, by: Caller, view: View, template: str, **context: object
    ) -> Response:
        plan, about = view.found.plan, view.assessment
        given: dict[str, object] = {
            "view": view,
            "sheet": view.sheet,
            "here": paths.assessment_path(about.assessment_id),
            "due": due(plan.end_date, company.now(), company.options.zone),
            "own_path": "",
            "detail_html": detail_html,
            "line_html": line_html,
        }
        return shown(pages, request, f"ladders/{template}.html", by, **{**given, **context})

    async def form(
        request: Request, by: Caller, view: View, step: int | None, **context: object
    ) -> Response:
        """The form with what stands beside it; the browser remembers the step for next time."""
        beside = await read_beside(company, by, view.found)
        own_path = paths.assessment_path(beside.own_path_id) if beside.own_path_id else ""
        response = written(request, by, view, step, beside=beside, own_path=own_path, **context)
        if step is not None:
            response.set_cookie(
                _STEP,
                str(step),
                max_age=_STEP_SECS,
                path=paths.assessment_path(view.assessment.assessment_id),
                secure=company.runtime.settings.https,
                httponly=True,
                samesite="lax",
            )
        return response

    def written(
        request: Request, by: Caller, view: View, step: int | None, **context: object
    ) -> Response:
        """A step of the form; without one, where its author left off."""
        sheet = view.sheet
        at = sheet.first_open() if step is None else min(max(step, 1), sheet.last_step)
        template = "assessment_check" if at == sheet.last_step else "assessment"
        steps = sheet.steps(at)
        return page(
            request,
            by,
            view,
            template,
            step=steps[at - 1],
            steps=steps,
            back=steps[at - 2] if at > 1 else None,
            following=steps[at] if at < sheet.last_step else None,
            asked=sheet.asked(sheet.ladder.categories[at - 1]) if at < sheet.outlook_step else [],
            field_labels={name: each.label for name, each in answer_fields(sheet, at).items()},
            **context,
        )

    @routes.get("")
    async def assessment(
        request: Request, a: AssessmentId, step: int | None = None, by: Caller = somebody
    ) -> Response:
        view = await viewed(by, a)
        if view.found.writable:
            if step is None:
                step = _number(request.cookies.get(_STEP, ""), 0) or None
            return await form(request, by, view, step)
        return page(request, by, view, "assessment_read", report_path=_report_path(view))

    # --- saving ----------------------------------------------------------------------------------

    async def saved(by: Caller, view: View, step: int, values: Typed) -> Assessment:
        body = read_answers(view.sheet, step, values)
        try:
            return await assessments.save(by, view.assessment.assessment_id, body, seen(values))
        except Problem as problem:
            raise at_fields(problem, body, view.sheet, step) from None

    @routes.post("")
    async def save(request: Request, a: AssessmentId, by: Caller = somebody) -> Response:
        """A step, and on to another one."""
        values, view = await typed(request), await viewed(by, a)
        step = _number(values.get("step", ""), 1)
        try:
            await saved(by, view, step, values)
        except Problem as problem:
            if problem.status not in _BACK:
                raise
            fresh = await viewed(by, a)
            clash = problem.status == 412
            shows = None if clash else problem
            said = {"status": problem.status, "values": values, "clash": clash, "problem": shows}
            return await form(request, by, fresh, step, **said)
        then = _number(values.get("then", ""), step)
        return RedirectResponse(paths.assessment_path(a, then), 303)

    @routes.post("/autosave")
    async def autosave(request: Request, a: AssessmentId, by: Caller = somebody) -> Response:
        """Some fields of a step, for a page that stays open: what has become of them, as JSON."""
        values, view = await typed(request), await viewed(by, a)
        step = _number(values.get("step", ""), 1)
        try:
            await saved(by, view, step, values)
        except Problem as problem:
            if problem.status >= 500:
                raise
            return _not_saved(problem, await viewed(by, a), step)
        return _saved(await viewed(by, a))

    # --- the end of it ---------------------------------------------------------------------------

    @routes.post("/submit")
    async def submit(request: Request, a: AssessmentId, by: Caller = somebody) -> Response:
        values = await typed(request)
        try:
            done = await assessments.submit(by, a, seen(values))
        except Problem as problem:
            if problem.status not in _BACK:
                raise
            view = await viewed(by, a)
            if not view.found.writable:
                return pages.done(request, paths.assessment_path(a), problem.detail, tone="warning")
            return await form(request, by, view, view.sheet.last_step, problem=problem)
        late = " It came after the last day, and is marked as late." if done.late else ""
        message = f"It is submitted.{late}"
        return pages.done(request, paths.assessment_path(a), message)

    @routes.post("/reopen")
    async def reopen(request: Request, a: AssessmentId, by: Caller = somebody) -> Response:
        values = await typed(request)
        back = values.get("back", "")
        to = paths.report_path(back) if back else ""
        try:
            before = await assessments.reopen(by, a, _reason(values))
        except Problem as problem:
            if problem.status not in _BACK:
                raise
            if to:
                return pages.done(request, to, describe_problem(problem, OUTLOOK), tone="warning")
            view = await viewed(by, a)
            return page(
                request, by, view, "assessment_read", problem=problem, values=values, report_path=""
            )
        message = "It is open again. Its author is notified by email."
        return pages.done(request, to or _after_reopening(before, by), message)

    return routes


def _reason(values: Typed) -> str:
    """Return what its author reads."""
    return read_form(ReopenIn, {"reason": values.get("reason", "")}, REASON).reason


def _after_reopening(assessment: Assessment, by: Caller) -> str:
    """Where the caller can still be: what is open again may be another one's alone."""
    mine = assessment.assessor_id == by.user_id
    return paths.assessment_path(assessment.assessment_id) if mine else paths.HOME


def _report_path(view: View) -> str:
    """The report that it is part of, if there is one for these eyes."""
    report = view.found.report
    if report is None:
        return ""
    released = report.status in ("released", "acknowledged")
    sees = released or not view.own or "manager" in view.found.who
    return paths.report_path(report.report_id) if sees else ""


def _saved(view: View) -> Response:
    """What the page says then: the next revision, and how far it all is."""
    steps = view.sheet.steps(0)
    return JSONResponse(
        {
            "revision": view.assessment.revision,
            "answered": view.assessment.answered,
            "total": view.assessment.total,
            "missing": len(view.sheet.missing),
            "steps": [[each.done, each.of] for each in steps],
        }
    )


def _not_saved(problem: Problem, view: View, step: int) -> Response:
    problem = in_sentences(problem)
    fields = {**OUTLOOK, **answer_fields(view.sheet, step)}
    body = {
        "code": problem.code,
        "detail": describe_problem(problem, fields),
        "errors": [{"field": each.field, "message": each.message} for each in problem.errors],
        "revision": view.assessment.revision,
    }
    return JSONResponse(body, problem.status)


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else otherwise
