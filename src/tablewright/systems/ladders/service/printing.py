"""A report as it is printed: what stands in it, out of what it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.systems.ladders.entities import Assessment, Report
from tablewright.systems.ladders.fields import Category, Competency, Ladder
from tablewright.systems.ladders.press.printed import (
    PrintedAction,
    PrintedCategory,
    PrintedCompetency,
    PrintedRating,
    PrintedReport,
    PrintedSummary,
)
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.rules.report_rows import Row, rows_of


def printed(
    report: Report,
    own: Assessment,
    manager: Assessment,
    ladder: Ladder,
    *,
    plan: str,
    team: str,
    name: str,
    manager_name: str,
) -> PrintedReport:
    """Everything that may be seen is given; nothing is decided here."""
    rows = {(row.category, row.competency): row for row in rows_of(report, own, manager, ladder)}
    summary = report.summary
    return PrintedReport(
        name=name,
        team=team,
        plan=plan,
        season=report.season,
        ladder_version=report.config_version,
        generated=report.generated_at,
        levels=scores.level_count(ladder),
        own_level=report.self_assessed_level,
        final_level=report.final_level,
        goal_level=report.goal_level,
        flag_threshold=report.flag_threshold,
        summary=PrintedSummary(
            summary.matched, summary.flagged, float(summary.mean), float(summary.mean_absolute)
        ),
        categories=tuple(_category(report, each, rows) for each in ladder.categories),
        manager=manager_name,
        level_names=tuple(ladder.level_names),
        status=report.status,
        way_forward=report.way_forward or "",
        actions=tuple(_actions(report)),
        released=None if report.released_at is None else report.released_at.date(),
        acknowledged=None if report.acknowledged_at is None else report.acknowledged_at.date(),
        comment=report.ack_comment or "",
        calculated_level=report.calculated_level,
        override_reason=report.override_reason or "",
    )


def _category(
    report: Report, category: Category, rows: Mapping[tuple[str, str], Row]
) -> PrintedCategory:
    levels = report.category_levels.get(category.name)
    return PrintedCategory(
        category.name,
        tuple(_competency(each, rows[category.name, each.name]) for each in category.competencies),
        own_level=None if levels is None else levels.own,
        manager_level=None if levels is None else levels.manager,
    )


def _competency(competency: Competency, row: Row) -> PrintedCompetency:
    says = {each.level: each.description for each in competency.levels}
    return PrintedCompetency(
        competency.name,
        _rating(row.self_level, says, row.self_evidence, row.self_next_step),
        _rating(row.manager_level, says, row.manager_evidence, row.manager_next_step),
    )


def _rating(
    level: int | None, says: Mapping[int, str], evidence: str, next_step: str
) -> PrintedRating:
    description = "" if level is None else says.get(level, "")
    return PrintedRating(level, description, evidence, next_step)


def _actions(report: Report) -> Iterator[PrintedAction]:
    """The next one first."""
    for each in sorted(report.actions.values(), key=lambda action: action.due_at):
        yield PrintedAction(each.title, each.due_at.date(), each.status, each.note)
