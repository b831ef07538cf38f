"""What somebody has to do, and the reviews that they are part of."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.due import Due, due
from tablewright.systems.ladders.pages.framing import shown
from tablewright.systems.ladders.pages.overview import read_overview
from tablewright.systems.ladders.reads import AssessmentLine, ReportLine
from tablewright.systems.ladders.rules.seasons import order
from tablewright.systems.ladders.service.assessments import ListedAssessment
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.tasks import Kind, Task

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Reviews that are listed; all of them are in one's history.
_LATEST = 6


@dataclass(frozen=True)
class _Words:
    """What a task is called; ``{}`` is who it is about."""

    title: str
    button: str
    icon: str


_WORDS: Final[Mapping[Kind, _Words]] = {
    "assess_self": _Words("Your self-assessment", "Go on", "pencil"),
    "assess_member": _Words("Assess {}", "Go on", "clipboard-check"),
    "release_report": _Words("Release the report of {}", "Look at it", "send"),
    "acknowledge": _Words("Read your report, and say so", "Read it", "report-analytics"),
    "action": _Words("A growth action is due", "Show it", "target"),
}


@dataclass(frozen=True)
class TaskLine:
    """Something to do, in words."""

    task: Task
    due: Due | None

    @property
    def title(self) -> str:
        return _WORDS[self.task.kind].title.format(self.task.member_name or "somebody")

    @property
    def icon(self) -> str:
        return _WORDS[self.task.kind].icon

    @property
    def button(self) -> str:
        begun = self.assesses and self.task.status == "not_started"
        return "Begin" if begun else _WORDS[self.task.kind].button

    @property
    def assesses(self) -> bool:
        return self.task.kind in ("assess_self", "assess_member")

    @property
    def path(self) -> str:
        if self.assesses:
            return paths.assessment_path(self.task.item_id)
        return paths.GROWTH if self.task.kind == "action" else paths.report_path(self.task.item_id)

    @property
    def tone(self) -> str:
        return "" if self.due is None else self.due.tone


@dataclass(frozen=True)
class Review:
    """A plan that somebody takes part in: their own assessment, and the report."""

    plan: Plan
    own: AssessmentLine
    report: ReportLine | None

    @property
    def path(self) -> str:
        if self.report is not None:
            return paths.report_path(self.report.report_id)
        return paths.assessment_path(self.own.assessment_id)

    @property
    def stage(self) -> int:
        """How far it is: assessed, released, acknowledged."""
        if self.report is not None:
            return 3 if self.report.status == "acknowledged" else 2
        return 1 if self.own.status == "submitted" else 0


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter()
    somebody = Depends(caller_of(company))

    def line(task: Task) -> TaskLine:
        until = task.due_at and due(task.due_at, company.now(), company.options.zone)
        return TaskLine(task, until or None)

    async def reviews(by: Caller) -> list[Review]:
        if by.operator:
            return []
        listed, reports = await asyncio.gather(
            company.assessments.of_member(by, by.user_id),
            company.reports.of_member(by, by.user_id),
        )
        made = {each.report_id: each for each in reports}
        found = [_review(each, made) for each in listed if _counts(each)]
        return sorted(found, key=lambda each: order(each.plan.season), reverse=True)[:_LATEST]

    @routes.get("/")
    async def home(request: Request, by: Caller = somebody) -> Response:
        tasks, mine, overview = await asyncio.gather(
            company.tasks.of(by), reviews(by), read_overview(company, by)
        )
        return shown(
            pages,
            request,
            "ladders/home.html",
            by,
            tasks=[line(each) for each in tasks],
            reviews=mine,
            overview=overview,
            first_name=by.user.name.split()[0],
            ladder_path=paths.LADDER,
            history_path=paths.HISTORY,
            teams_path=paths.TEAMS,
            all_teams_path=f"{paths.ADMIN}/teams" if "admin" in by.who() else "",
        )

    return routes


def _counts(listed: ListedAssessment) -> bool:
    return listed.line.assessment_type == "self" and listed.line.withdrawn_at is None


def _review(listed: ListedAssessment, reports: Mapping[str, ReportLine]) -> Review:
    line = listed.line
    report_id = ids.report_id(line.plan_id, line.team_member_id)
    return Review(listed.plan, line, reports.get(report_id))
