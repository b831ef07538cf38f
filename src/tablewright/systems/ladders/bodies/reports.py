"""Reports, as programs send and get them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.ladders.bodies.common import lines
from tablewright.systems.ladders.bodies.growth import (
    ActionOut,
    CategoryLevelOut,
    action_out,
    category_levels_out,
)
from tablewright.systems.ladders.fields import AssessmentType, ReportStatus
from tablewright.systems.ladders.rules.report_rows import Matching
from tablewright.systems.ladders.rules.variance import Verdict, verdict

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import Report
    from tablewright.systems.ladders.fields import Summary
    from tablewright.systems.ladders.reads import ReportLine
    from tablewright.systems.ladders.service.reports import SideBySide


class AcknowledgeIn(BaseModel):
    """What the member has to say to it."""

    model_config = shown(comment="Thank you, I see it the same way.")

    comment: Annotated[str, *lines(2000)] | None = None


# --- what is answered ----------------------------------------------------------------------------


class DifferenceOut(BaseModel):
    """A competency that both sides gave a level."""

    category: str
    competency: str
    self_score: int
    manager_score: int
    difference: int = Field(description="The manager's less one's own.")
    verdict: Verdict


class UnmatchedOut(BaseModel):
    """A level that only one side gave."""

    category: str
    competency: str
    side: AssessmentType
    score: int


class SummaryOut(BaseModel):
    """What was compared."""

    matched: int
    flagged: int
    mean: float
    mean_absolute: float


class ReportLineOut(BaseModel):
    """A report as lists have it."""

    report_id: str
    plan_id: str
    team_id: str
    team_member_id: str
    self_assessment_id: str
    manager_assessment_id: str
    season: str
    config_version: str
    final_level: int
    self_assessed_level: int
    category_levels: dict[str, CategoryLevelOut]
    summary: SummaryOut
    status: ReportStatus
    generated_at: datetime
    released_at: datetime | None
    acknowledged_at: datetime | None
    exported_at: datetime | None
    open_actions: int
    next_action_due: datetime | None
    updated_at: datetime


class ReportOut(ReportLineOut):
    """A report."""

    variance: list[DifferenceOut]
    unmatched: list[UnmatchedOut]
    calculated_level: int | None = Field(
        description="What the manager's answers give, where the manager has set another level."
    )
    override_reason: str | None = Field(description="Why the manager has set another level.")
    flag_threshold: int
    goal_level: int
    way_forward: str | None
    ack_comment: str | None
    actions: list[ActionOut]
    created_at: datetime
    revision: int


class RowOut(BaseModel):
    """What both sides say about one competency."""

    category: str
    competency: str
    self_level: int | None
    manager_level: int | None
    difference: int | None
    matching: Matching
    self_evidence: str
    self_next_step: str
    manager_evidence: str
    manager_next_step: str


class SideBySideOut(ReportOut):
    """A report with what both sides say, for who is to read it elsewhere."""

    plan_name: str
    team_name: str
    member_name: str
    manager_name: str
    rows: list[RowOut]


def report_out(report: Report) -> ReportOut:
    return ReportOut(**_report(report))


def report_line_out(report: ReportLine) -> ReportLineOut:
    return ReportLineOut(**_line(report))


def side_by_side_out(both: SideBySide) -> SideBySideOut:
    found = both.found
    return SideBySideOut(
        **_report(found.report),
        plan_name=found.plan.plan_name,
        team_name=found.team.team_name,
        member_name=both.name(found.report.team_member_id),
        manager_name=both.manager_name,
        rows=[RowOut(**row._asdict()) for row in both.rows],
    )


# --- inside --------------------------------------------------------------------------------------


def _line(report: Report | ReportLine) -> dict[str, Any]:
    own = {name: getattr(report, name) for name in ReportLineOut.model_fields}
    return {
        **own,
        "category_levels": category_levels_out(report.category_levels),
        "summary": _summary(report.summary),
    }


def _report(report: Report) -> dict[str, Any]:
    return {
        **_line(report),
        "variance": list(_differences(report)),
        "unmatched": [UnmatchedOut(**each.model_dump()) for each in report.unmatched],
        "actions": [
            action_out(name, each)
            for name, each in sorted(report.actions.items(), key=lambda item: item[1].due_at)
        ],
        **{
            name: getattr(report, name)
            for name in (
                "calculated_level",
                "override_reason",
                "flag_threshold",
                "goal_level",
                "way_forward",
                "ack_comment",
                "created_at",
                "revision",
            )
        },
    }


def _differences(report: Report) -> list[DifferenceOut]:
    return [
        DifferenceOut(
            category=category,
            competency=competency,
            self_score=each.self_score,
            manager_score=each.manager_score,
            difference=each.difference,
            verdict=verdict(each.difference, report.flag_threshold),
        )
        for category, inside in report.variance.items()
        for competency, each in inside.items()
    ]


def _summary(summary: Summary) -> SummaryOut:
    return SummaryOut(
        matched=summary.matched,
        flagged=summary.flagged,
        mean=float(summary.mean),
        mean_absolute=float(summary.mean_absolute),
    )
