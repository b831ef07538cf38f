"""What the page of a report shows: both sides next to each other, and what is to be done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

from tablewright.systems.ladders.entities import Assessment, Report
from tablewright.systems.ladders.fields import GrowthAction
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.assessment_parts import level_name
from tablewright.systems.ladders.pages.due import Due, due
from tablewright.systems.ladders.rules import rights, scores
from tablewright.systems.ladders.rules.report_rows import Row
from tablewright.systems.ladders.service.reports import SideBySide

#: A radar needs three axes to be one.
_AXES: Final = 3
#: What is flagged is shown with its words, if it is not more than this.
_OPEN: Final = 3


@dataclass(frozen=True)
class ActionLine:
    """A growth action, and how long there is."""

    action_id: str
    action: GrowthAction
    due: Due

    @property
    def is_open(self) -> bool:
        return self.action.status == "open"


@dataclass(frozen=True)
class Side:
    """One of the two assessments, for who may reopen it."""

    title: str
    assessment: Assessment

    @property
    def path(self) -> str:
        return paths.assessment_path(self.assessment.assessment_id)


@dataclass(frozen=True)
class ReportView:
    """A report, in words."""

    both: SideBySide
    now: datetime
    zone: str

    @property
    def report(self) -> Report:
        return self.both.report

    @property
    def own(self) -> bool:
        return "subject" in self.both.found.who

    @property
    def leads(self) -> bool:
        return "manager" in self.both.found.who

    @property
    def member(self) -> str:
        return self.both.name(self.report.team_member_id) or "somebody"

    @property
    def manager(self) -> str:
        return self.both.manager_name or "The manager"

    @property
    def title(self) -> str:
        return "Your report" if self.own else f"Report of {self.member}"

    def may(self, action: str) -> bool:
        return self.both.found.may(action)

    # --- levels ----------------------------------------------------------------------------------

    @property
    def most(self) -> int:
        return scores.level_count(self.both.ladder)

    def level_name(self, level: int | None) -> str:
        return level_name(self.both.ladder, level)

    @property
    def categories(self) -> list[tuple[str, list[Row]]]:
        """All rows, in the order of the ladder."""
        found = groupby(self.both.rows, key=lambda row: row.category)
        return [(name, list(rows)) for name, rows in found]

    @property
    def flagged(self) -> list[Row]:
        return [row for row in self.both.rows if row.matching == "flag"]

    @property
    def few_flags(self) -> bool:
        """So few that all of them are read at once."""
        return len(self.flagged) <= _OPEN

    @property
    def unmatched(self) -> list[Row]:
        return [row for row in self.both.rows if row.matching == "unmatched"]

    @property
    def is_round(self) -> bool:
        return len(self.names) >= _AXES

    @property
    def names(self) -> list[str]:
        known = self.report.category_levels
        return [each.name for each in self.both.ladder.categories if each.name in known]

    @property
    def series(self) -> list[dict[str, object]]:
        """Both sides by category, for a chart; the manager's is the one that counts."""
        levels = [self.report.category_levels[name] for name in self.names]
        return [
            {"name": "Manager", "values": [each.manager or 0 for each in levels]},
            {"name": "Self", "values": [each.own or 0 for each in levels]},
        ]

    # --- what is to be done ----------------------------------------------------------------------

    @property
    def actions(self) -> list[ActionLine]:
        return action_lines(self.report, self.now, self.zone)

    @property
    def can_release(self) -> bool:
        return self.report.status == "generated" and self.may("release_report")

    @property
    def can_withdraw(self) -> bool:
        return self.report.status == "released" and self.may("release_report")

    @property
    def can_acknowledge(self) -> bool:
        return self.report.status == "released" and self.may("acknowledge_report")

    @property
    def can_rebuild(self) -> bool:
        done = all(each.assessment.status == "submitted" for each in self._sides())
        return self.report.status == "stale" and done and self.may("build_report")

    @property
    def can_act(self) -> bool:
        return self.may("change_actions")

    @property
    def reopenable(self) -> list[Side]:
        """What may be worked on again, while the review goes on."""
        if self.both.found.plan.status != "active":
            return []
        return [each for each in self._sides() if self._may_reopen(each.assessment)]

    @property
    def readable(self) -> list[Side]:
        return [each for each in self._sides() if each.assessment.status == "submitted"]

    def _sides(self) -> Iterator[Side]:
        mine = "Your" if self.own else f"{self.member}'s"
        theirs = "Your manager's" if self.own else "Your" if self.leads else "The manager's"
        yield Side(f"{mine} self-assessment", self.both.own)
        yield Side(f"{theirs} assessment", self.both.manager)

    def _may_reopen(self, assessment: Assessment) -> bool:
        if assessment.status != "submitted" or assessment.withdrawn_at is not None:
            return False
        facts = rights.assessment_facts(assessment.status, self.report.status)
        return rights.may("reopen_assessment", self.both.found.who, facts)


_ORDER: Final = {"open": 0, "done": 1, "dropped": 2}


def action_lines(report: Report, now: datetime, zone: str) -> list[ActionLine]:
    """What is open first, by the day it is due."""
    found = [
        ActionLine(action_id, each, due(each.due_at, now, zone))
        for action_id, each in report.actions.items()
    ]
    return sorted(found, key=lambda line: (_ORDER[line.action.status], line.action.due_at))
