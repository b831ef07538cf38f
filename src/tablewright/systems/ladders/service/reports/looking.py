"""Finding reports, who may see them, and both sides next to each other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tablewright.model import Check
from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Plan, Report, Team, User
from tablewright.systems.ladders.fields import AssessmentType, Ladder
from tablewright.systems.ladders.oversight import oversight_checks
from tablewright.systems.ladders.reads import ReportLine
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.report_rows import Row, rows_of
from tablewright.systems.ladders.rules.rights import Fact, Who
from tablewright.systems.ladders.rules.seasons import order
from tablewright.systems.ladders.service.assessments.refusals import not_released
from tablewright.systems.ladders.service.callers import Caller, check
from tablewright.systems.ladders.service.members import (
    Relation,
    known_member,
    relation_to,
    relations_in,
)

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_WHAT: Final = "report"
_RELEASED: Final[frozenset[Fact]] = frozenset(("released",))


@dataclass(frozen=True)
class FoundReport:
    """A report with what it belongs to, and what the caller is to it."""

    report: Report
    plan: Plan
    team: Team
    who: frozenset[Who]
    relation: Relation = field(default_factory=lambda: Relation(frozenset()))

    @property
    def facts(self) -> frozenset[Fact]:
        return rights.report_facts(self.report.status)

    def may(self, action: str) -> bool:
        return rights.may(action, self.who, self.facts)

    def checks(self, action: str) -> tuple[Check[Team] | Check[User], ...]:
        """Make what a write as the manager checks once more, to join its transaction."""
        return oversight_checks(self.relation.needed_oversight(action, self.facts))

    def require(self, action: str) -> None:
        """A problem 404, or 403 that says what is missing."""
        released: frozenset[Fact] = self.facts | _RELEASED
        if not self.may(action) and rights.may(action, self.who, released):
            raise not_released()
        check(action, self.who, self.facts, what=_WHAT)


@dataclass(frozen=True)
class SideBySide:
    """A report with what both sides say, as far as the caller may read it."""

    found: FoundReport
    own: Assessment
    manager: Assessment
    ladder: Ladder
    rows: list[Row]
    #: Of the member, the manager and who assessed, by id; who is gone has none.
    names: Mapping[str, str]

    @property
    def report(self) -> Report:
        return self.found.report

    def name(self, user_id: str | None) -> str:
        return self.names.get(user_id or "", "")

    @property
    def manager_name(self) -> str:
        """Name whoever assessed the member, who may manage somebody else by now."""
        return self.name(self.manager.assessor_id) or self.name(self.found.team.manager_id)


class Looking:
    """Reading reports."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def read(self, by: Caller, report_id: str) -> FoundReport:
        """One report; 403 ``REPORT_NOT_RELEASED`` for the member until it is released."""
        return await self.found(by, report_id, "read_report")

    async def side_by_side(
        self, by: Caller, report_id: str, action: str = "read_report"
    ) -> SideBySide:
        """A report with what both sides say to each competency, in the order of the ladder.

        While one of them is worked on again, its texts are its author's alone.
        """
        found = await self.found(by, report_id, action)
        pair, ladder = await asyncio.gather(
            self._pair(found.plan.plan_id, found.report.team_member_id),
            self._company.configs.ladder(found.plan),
        )
        if pair is None:
            raise not_found(_WHAT)
        names = await self._names(found, pair[1].assessor_id)
        own, manager = (_readable(each, found) for each in pair)
        rows = rows_of(found.report, own, manager, ladder)
        return SideBySide(found, own, manager, ladder, rows, names)

    async def of_plan(self, by: Caller, plan_id: str) -> list[ReportLine]:
        """All of a plan that the caller may read, by member; for who runs it."""
        plan = await self._company.db.run(reads.plan(plan_id)) if ids.is_uuid(plan_id) else None
        if plan is None:
            raise not_found("plan")
        standing = await self._company.people.seen(by, plan.team_id, what="plan")
        standing.require("list_reports", what="plan")
        lines = [each async for each in self._company.db.iterate(reads.reports_of_plan(plan_id))]
        members = {each.team_member_id for each in lines}
        who = await relations_in(self._company, by, standing.team, members)
        seen = [each for each in lines if _readable_line(each, who[each.team_member_id])]
        return sorted(seen, key=lambda each: each.team_member_id)

    async def of_member(self, by: Caller, member_id: str) -> list[ReportLine]:
        """All about somebody that the caller may read, the latest season first."""
        member = await known_member(self._company, member_id)
        op = reads.reports_of_user(member_id)
        lines = [each async for each in self._company.db.iterate(op)]
        member.require(by, "list_reports_of", [each.team_id for each in lines])
        seen = [each for each in lines if _readable_line(each, member.who(by, each.team_id))]
        return sorted(seen, key=lambda each: order(each.season), reverse=True)

    async def found(self, by: Caller, report_id: str, action: str) -> FoundReport:
        """A report as it is now, for who may do this to it."""
        db = self._company.db
        report = await db.run(reads.report(report_id)) if ids.is_uuid(report_id) else None
        if report is None:
            raise not_found(_WHAT)
        plan, team = await asyncio.gather(
            db.run(reads.plan(report.plan_id)), db.run(reads.team(report.team_id))
        )
        if plan is None or team is None:
            raise not_found(_WHAT)
        relation = await relation_to(self._company, by, team, report.team_member_id)
        found = FoundReport(report, plan, team, relation.who, relation)
        found.require(action)
        return found

    # --- inside ----------------------------------------------------------------------------------

    async def _pair(self, plan_id: str, member_id: str) -> tuple[Assessment, Assessment] | None:
        own, manager = await self._company.db.run(reads.assessment_pair(plan_id, member_id))
        return None if own is None or manager is None else (own, manager)

    async def _names(self, found: FoundReport, *assessors: str) -> dict[str, str]:
        wanted = {found.report.team_member_id, found.team.manager_id, *assessors} - {None}
        users = await self._company.db.run(reads.users(sorted(map(str, wanted))))
        return {each.user_id: each.name for each in users if each is not None}


def _readable_line(line: ReportLine, who: frozenset[Who]) -> bool:
    return rights.may("read_report", who, rights.report_facts(line.status))


def _readable(assessment: Assessment, found: FoundReport) -> Assessment:
    """With its texts, or without them for who may not read it as it is now."""
    facts = rights.assessment_facts(assessment.status, found.report.status)
    action = _READING[assessment.assessment_type]
    if rights.may(action, found.who, facts):
        return assessment
    return assessment.model_copy(
        update={"feedback": {}, "way_forward": None, "overall_reason": None}
    )


_READING: Final[Mapping[AssessmentType, str]] = {
    "self": "read_self_assessment",
    "manager": "read_manager_assessment",
}
