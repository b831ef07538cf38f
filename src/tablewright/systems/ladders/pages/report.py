"""A report: both sides next to each other, released, talked about, acknowledged, taken along."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders.api.callers import ReportId, caller_of
from tablewright.systems.ladders.bodies.reports import AcknowledgeIn
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.form_fields import REPORT, describe_problem, read_form
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.rendered import line_html
from tablewright.systems.ladders.pages.report_parts import ReportView
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.exports import Format

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: What a report can be taken along as.
FORMATS: Final[dict[Format, str]] = {"pdf": "PDF", "csv": "CSV", "json": "JSON"}


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/reports/{r}")
    somebody, reports = Depends(caller_of(company)), company.reports

    async def page(request: Request, by: Caller, r: str, **context: object) -> Response:
        both = await reports.side_by_side(by, r)
        view = ReportView(both, company.now(), company.options.zone)
        given: dict[str, object] = {
            "view": view,
            "here": paths.report_path(r),
            "plan_path": paths.plan_path(view.report.plan_id),
            "board_path": paths.board_path(view.report.plan_id),
            "history_path": paths.history_path(view.report.team_member_id),
            "formats": FORMATS,
            "line_html": line_html,
            "today": company.now().date().isoformat(),
        }
        return shown(pages, request, "ladders/report.html", by, **{**given, **context})

    async def acted(
        request: Request, r: str, act: Callable[[Precondition], Awaitable[object]], said: str
    ) -> Response:
        """Something with a button; what is in its way is said on the page."""
        values = await typed(request)
        revision = values.get("revision", "")
        seen = Precondition(if_match=f'"{revision}"') if revision else Precondition()
        try:
            await act(seen)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.report_path(r), describe_problem(problem, REPORT), tone="warning"
            )
        return pages.done(request, paths.report_path(r), said)

    @routes.get("")
    async def report(request: Request, r: ReportId, by: Caller = somebody) -> Response:
        return await page(request, by, r)

    @routes.post("/release")
    async def release(request: Request, r: ReportId, by: Caller = somebody) -> Response:
        said = "The report is released. The member is notified by email."
        return await acted(request, r, lambda seen: reports.release(by, r, seen), said)

    @routes.post("/withdraw")
    async def withdraw(request: Request, r: ReportId, by: Caller = somebody) -> Response:
        said = "It is withdrawn. They cannot read it any more."
        return await acted(request, r, lambda seen: reports.withdraw(by, r, seen), said)

    @routes.post("/rebuild")
    async def rebuild(request: Request, r: ReportId, by: Caller = somebody) -> Response:
        """Of both assessments as they are now."""
        found = (await reports.found(by, r, "build_report")).report

        async def act(_: Precondition) -> object:
            return await reports.build(by, found.plan_id, found.team_member_id)

        return await acted(request, r, act, "The report is made anew.")

    @routes.post("/acknowledge")
    async def acknowledge(request: Request, r: ReportId, by: Caller = somebody) -> Response:
        values = await typed(request)
        try:
            given = {"comment": values.get("comment") or None}
            body = read_form(AcknowledgeIn, given, REPORT)
            await reports.acknowledge(by, r, body.comment)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await page(request, by, r, problem=problem, values=values)
        message = "Thank you. Your manager is notified that you have read it."
        return pages.done(request, paths.report_path(r), message)

    @routes.post("/export/{kind}")
    async def export(
        request: Request, r: ReportId, kind: Format, by: Caller = somebody
    ) -> Response:
        try:
            made = await company.exports.export(by, r, kind)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, paths.report_path(r), problem.detail, tone="warning")
        headers = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
        return Response(made.content, media_type=made.media_type, headers=headers)

    return routes
