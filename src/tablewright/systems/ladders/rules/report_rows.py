"""A report as a table: one row for each competency of the ladder, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from tablewright.service.csv_cells import lines
from tablewright.systems.ladders.entities import Assessment, Report
from tablewright.systems.ladders.fields import Feedback, Ladder
from tablewright.systems.ladders.rules.variance import Verdict, verdict

#: One side only, or none.
Matching: TypeAlias = Verdict | Literal["unmatched", "unanswered"]

_NOTHING = Feedback()


class Row(NamedTuple):
    """What both sides say about one competency."""

    category: str
    competency: str
    self_level: int | None
    manager_level: int | None
    #: The manager's less one's own.
    difference: int | None
    matching: Matching
    self_evidence: str
    self_next_step: str
    manager_evidence: str
    manager_next_step: str


#: What a file of one report has in front of each row, so that several can be put together.
HEAD = (
    *("season", "config_version", "team_member_id", "team_member", "final_level"),
    *("calculated_level", "override_reason", "self_level", "goal_level"),
)
COLUMNS = (*(f"report_{each}" for each in HEAD), *Row._fields)


def rows_of(report: Report, own: Assessment, manager: Assessment, ladder: Ladder) -> list[Row]:
    """All rows; the levels are those that were compared, also if one side has changed since."""
    return [
        _row(report, own, manager, category.name, competency.name)
        for category in ladder.categories
        for competency in category.competencies
    ]


def csv_of(
    report: Report, own: Assessment, manager: Assessment, ladder: Ladder, member: str = ""
) -> bytes:
    """Write the same as a file; nothing in it is a formula. ``member`` is the person's name."""
    return lines((COLUMNS, *_cells(report, member, rows_of(report, own, manager, ladder))))


def _cells(report: Report, member: str, rows: list[Row]) -> Iterator[tuple[object, ...]]:
    head = (
        report.season,
        report.config_version,
        report.team_member_id,
        member,
        report.final_level,
        report.calculated_level,
        report.override_reason,
        report.self_assessed_level,
        report.goal_level,
    )
    for row in rows:
        yield (*head, *row)


def _row(
    report: Report, own: Assessment, manager: Assessment, category: str, competency: str
) -> Row:
    mine, theirs = _levels(report, category, competency)
    difference = None if mine is None or theirs is None else theirs - mine
    said = _said(own, category, competency, mine)
    answered = _said(manager, category, competency, theirs)
    return Row(
        category,
        competency,
        mine,
        theirs,
        difference,
        _matching(mine, theirs, report.flag_threshold),
        said.evidence,
        said.next_level_feedback,
        answered.evidence,
        answered.next_level_feedback,
    )


def _levels(report: Report, category: str, competency: str) -> tuple[int | None, int | None]:
    both = report.variance.get(category, {}).get(competency)
    if both is not None:
        return both.self_score, both.manager_score
    sides = {
        each.side: each.score
        for each in report.unmatched
        if (each.category, each.competency) == (category, competency)
    }
    return sides.get("self"), sides.get("manager")


def _matching(own: int | None, manager: int | None, threshold: int) -> Matching:
    if own is None and manager is None:
        return "unanswered"
    if own is None or manager is None:
        return "unmatched"
    return verdict(manager - own, threshold)


def _said(assessment: Assessment, category: str, competency: str, level: int | None) -> Feedback:
    inside = assessment.feedback.get(category, {}).get(competency, {})
    return inside.get(str(level), _NOTHING)
