"""Routes: reports, releases, exports, growth actions, history and heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Response

from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.ladders.api.callers import (
    ActionId,
    PlanId,
    ReportId,
    TeamId,
    UserId,
    caller_of,
)
from tablewright.systems.ladders.api.keyed import keyed, reads_only
from tablewright.systems.ladders.bodies.growth import (
    ActionChange,
    ActionIn,
    ActionOut,
    HeatMapOut,
    HistoryOut,
    action_out,
    heatmap_out,
    history_out,
)
from tablewright.systems.ladders.bodies.reports import (
    AcknowledgeIn,
    ReportLineOut,
    ReportOut,
    SideBySideOut,
    report_line_out,
    report_out,
)
from tablewright.systems.ladders.fields import AssessmentType
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.exports import Format
from tablewright.systems.ladders.service.growth import ChangedAction
from tablewright.systems.ladders.service.reports import FoundReport

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_ONE = "/reports/{report_id}"
#: Of one caller: printing takes a moment.
_PRINTS = Rate(30)
_UNRELEASED = "`REPORT_NOT_RELEASED`: it is not released. `FORBIDDEN`."
_STALE = "`REVISION_CONFLICT`: somebody has changed it since you read it."
_BUSY = "`CONFLICT`: others change it all the time."
_GONE = "`USER_ERASED`: nothing more is written about them."
_READ: Responses = {200: {"headers": ETAG}, **refusals(404, {403: _UNRELEASED})}
_TURNED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404, {403: _UNRELEASED, 409: f"`BAD_STATE`: it cannot become that. {_BUSY}", 412: _STALE}
    ),
}
_BUILT: Responses = {
    200: {"headers": ETAG},
    **refusals(404, {409: f"`NOT_SUBMITTED`: a side is missing. {_BUSY}"}),
}
_ADDED: Responses = {
    201: {"headers": ETAG},
    **refusals(404, {403: _UNRELEASED, 409: f"`TOO_MANY`: it has twenty. {_GONE} {_BUSY}"}),
}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(404, {403: _UNRELEASED, 409: f"{_GONE} {_BUSY}", 412: _STALE}),
}
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_FILE: Responses = {
    200: {
        "description": "The file.",
        "model": SideBySideOut,
        "content": {"application/pdf": _BINARY, "text/csv": _BINARY},
    },
    **refusals(404, {403: _UNRELEASED, 409: f"`CANNOT_PRINT`: it is too long. {_BUSY}"}),
}


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Reports"], route_class=keyed(company))
    _lists(routes, company)
    _one(routes, company)
    _turning(routes, company)
    _actions(routes, company)
    return routes


def _answered(response: Response, found: FoundReport) -> ReportOut:
    response.headers["ETag"] = etag(found.report.revision)
    return report_out(found.report)


def _plan_asked_for(
    plan_id: Annotated[str | None, Query(description="A plan of the team; it is needed.")] = None,
    also: Annotated[str | None, Query(alias="planId", include_in_schema=False)] = None,
) -> str:
    """By the name that all ids have here, or as it is written elsewhere."""
    found = also if plan_id is None else plan_id
    if found is None:
        raise invalid(FieldError("query.plan_id", "is needed"))
    return found


def _lists(routes: APIRouter, company: Company) -> None:
    caller = Depends(caller_of(company))

    @routes.get("/plans/{plan_id}/reports", responses=refusals(404))
    async def list_reports(plan_id: PlanId, by: Caller = caller) -> PageBody[ReportLineOut]:
        """All of a plan."""
        found = await company.reports.of_plan(by, plan_id)
        return PageBody(items=[report_line_out(each) for each in found])

    @routes.get("/members/{user_id}/reports", responses=refusals(404))
    async def list_reports_of_member(
        user_id: UserId, by: Caller = caller
    ) -> PageBody[ReportLineOut]:
        """All about somebody that you may read, the latest season first."""
        found = await company.reports.of_member(by, user_id)
        return PageBody(items=[report_line_out(each) for each in found])

    @routes.get("/members/{user_id}/history", responses=refusals(404))
    async def get_history(user_id: UserId, by: Caller = caller) -> PageBody[HistoryOut]:
        """Somebody's levels over the seasons, the earliest first."""
        found = await company.growth.history(by, user_id)
        return PageBody(items=[history_out(each) for each in found])

    @routes.get("/teams/{team_id}/heatmap", responses=refusals(404))
    async def get_heatmap(
        team_id: TeamId,
        plan_id: str = Depends(_plan_asked_for),
        source: Annotated[AssessmentType, Query(description="Whose levels.")] = "manager",
        by: Caller = caller,
    ) -> HeatMapOut:
        """Members by competencies. Levels that you may not see yet are not in it."""
        return heatmap_out(await company.growth.heatmap(by, team_id, plan_id, source))


def _one(routes: APIRouter, company: Company) -> None:
    caller, reports = Depends(caller_of(company)), company.reports

    @routes.post("/plans/{plan_id}/reports/{user_id}", responses=_BUILT)
    async def build_report(
        plan_id: PlanId, user_id: UserId, response: Response, by: Caller = caller
    ) -> ReportOut:
        """Make the report of a member, once both sides are submitted; it is made by itself, too.

        One that is there and up to date stays as it is. Growth actions are kept.
        """
        return _answered(response, await reports.build(by, plan_id, user_id))

    @routes.get(_ONE, responses=_READ)
    async def get_report(report_id: ReportId, response: Response, by: Caller = caller) -> ReportOut:
        """One report. Its member reads it once it is released."""
        return _answered(response, await reports.read(by, report_id))

    @reads_only(routes, f"{_ONE}/export", response_class=Response, responses=_FILE)
    async def export_report(
        report_id: ReportId,
        format: Annotated[Format, Query(description="What kind of file.")] = "pdf",
        by: Caller = caller,
    ) -> Response:
        """The report with what both sides say, as a file."""
        await company.runtime.limits.check("report-prints", by.principal.id, _PRINTS)
        made = await company.exports.export(by, report_id, format)
        head = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
        return Response(made.content, 200, head, made.media_type)


def _turning(routes: APIRouter, company: Company) -> None:
    caller, reports = Depends(caller_of(company)), company.reports

    @routes.post(f"{_ONE}/release", responses=_TURNED)
    async def release_report(
        report_id: ReportId, said: Said, response: Response, by: Caller = caller
    ) -> ReportOut:
        """Let the member read it. Done again, it changes nothing."""
        return _answered(response, await reports.release(by, report_id, said))

    @routes.post(f"{_ONE}/withdraw", responses=_TURNED)
    async def withdraw_report(
        report_id: ReportId, said: Said, response: Response, by: Caller = caller
    ) -> ReportOut:
        """Take it back, unless the member has acknowledged it."""
        return _answered(response, await reports.withdraw(by, report_id, said))

    @routes.post(f"{_ONE}/acknowledge", responses=_TURNED)
    async def acknowledge_report(
        report_id: ReportId,
        said: Said,
        response: Response,
        body: AcknowledgeIn | None = None,
        by: Caller = caller,
    ) -> ReportOut:
        """Say that you have read it. Done again, it changes nothing."""
        comment = None if body is None else body.comment
        return _answered(response, await reports.acknowledge(by, report_id, comment, said))


def _actions(routes: APIRouter, company: Company) -> None:
    caller, growth = Depends(caller_of(company)), company.growth

    def answered(response: Response, changed: ChangedAction) -> ActionOut:
        response.headers["ETag"] = etag(changed.report.revision)
        return action_out(changed.action_id, changed.action)

    @routes.post(f"{_ONE}/actions", status_code=201, responses=_ADDED)
    async def add_action(
        report_id: ReportId, body: ActionIn, response: Response, by: Caller = caller
    ) -> ActionOut:
        """Another growth action. The ETag is the report's."""
        return answered(response, await growth.add_action(by, report_id, body))

    @routes.patch(f"{_ONE}/actions/{{action_id}}", responses=_CHANGED)
    async def change_action(
        report_id: ReportId,
        action_id: ActionId,
        body: ActionChange,
        said: Said,
        response: Response,
        by: Caller = caller,
    ) -> ActionOut:
        """Change a growth action; say `done` or `dropped`. If-Match is heeded, and not needed."""
        changed = await growth.change_action(by, report_id, action_id, body, said)
        return answered(response, changed)

    @routes.delete(
        f"{_ONE}/actions/{{action_id}}",
        status_code=204,
        responses=refusals(404, {403: _UNRELEASED, 409: f"{_GONE} {_BUSY}", 412: _STALE}),
    )
    async def drop_action(
        report_id: ReportId, action_id: ActionId, said: Said, by: Caller = caller
    ) -> None:
        """Take a growth action away that was a mistake."""
        await growth.drop_action(by, report_id, action_id, said)
