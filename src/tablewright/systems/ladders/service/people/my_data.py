"""What there is about oneself, to take along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Report, Team, User
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class MyData:
    """A user, their teams, and the assessments and reports that they may read."""

    user: User
    teams: tuple[Team, ...]
    assessments: tuple[Assessment, ...]
    reports: tuple[Report, ...]


class Exporting:
    """One's own data."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def export(self, by: Caller) -> MyData:
        """All that is about the caller; what is not released yet comes later. [T4, A3, R3]"""
        by.require("read_me")
        reports = await self._my_reports(by)
        assessments = await self._my_assessments(by, reports)
        return MyData(
            by.user,
            await self._company.teams.mine(by),
            tuple(assessments),
            tuple(each for each in reports if self._may_read(by, each)),
        )

    # --- inside ----------------------------------------------------------------------------------

    async def _my_reports(self, by: Caller) -> list[Report]:
        db = self._company.db
        op = reads.reports_of_user(by.user_id)
        read = [await db.run(reads.report(each.report_id)) async for each in db.iterate(op)]
        return [each for each in read if each is not None]

    def _may_read(self, by: Caller, report: Report) -> bool:
        who = by.who(subject_id=report.team_member_id)
        return rights.may("read_report", who - {"admin"}, rights.report_facts(report.status))

    async def _my_assessments(self, by: Caller, reports: list[Report]) -> list[Assessment]:
        """One's own; and the manager's, where the report was released.

        What is made for a plan that is not active yet is not there yet.
        """
        db = self._company.db
        lines = [each async for each in db.iterate(reads.assessments_of_user(by.user_id))]
        plans = await db.run(reads.plans(sorted({each.plan_id for each in lines})))
        hidden = {each.plan_id for each in plans if each is not None and each.status == "draft"}
        released = {each.report_id for each in reports if self._may_read(by, each)}
        wanted = [
            each.assessment_id
            for each in lines
            if each.plan_id not in hidden
            and (
                each.assessment_type == "self"
                or ids.report_id(each.plan_id, each.team_member_id) in released
            )
        ]
        found = await db.run(reads.assessments(wanted))
        return [each for each in found if each is not None]
