"""What somebody has to do: assess, release, acknowledge, and what they agreed to do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Plan, Team
from tablewright.systems.ladders.fields import AssessmentStatus, AssessmentType
from tablewright.systems.ladders.reads import AssessmentLine, ReportLine
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

Kind: TypeAlias = Literal["assess_self", "assess_member", "release_report", "acknowledge", "action"]


@dataclass(frozen=True)
class Task:
    """Something to do, and where."""

    kind: Kind
    #: None if it is not due at any time.
    due_at: datetime | None
    plan_id: str
    plan_name: str
    season: str
    team_id: str
    team_name: str
    member_id: str
    member_name: str
    #: Of the assessment or the report that it is done with.
    item_id: str
    status: AssessmentStatus | None = None
    answered: int = 0
    total: int = 0
    overdue: bool = False


@dataclass(frozen=True)
class _About:
    """What tasks are told with."""

    now: datetime
    plans: Mapping[str, Plan]
    teams: Mapping[str, Team]
    names: Mapping[str, str]

    def task(
        self, kind: Kind, plan_id: str, member_id: str, item_id: str, due: datetime | None
    ) -> Task:
        plan = self.plans[plan_id]
        team = self.teams.get(plan.team_id)
        return Task(
            kind,
            due,
            plan_id,
            plan.plan_name,
            plan.season,
            plan.team_id,
            "" if team is None else team.team_name,
            member_id,
            self.names.get(member_id, ""),
            item_id,
            overdue=due is not None and due < self.now,
        )


class Tasks:
    """What somebody has to do."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def of(self, by: Caller) -> list[Task]:
        """All of it, what is due first at the top; what is never due comes last."""
        teams = await self._teams(by.user.team_ids | by.user.managed_team_ids)
        led = [each for each in teams.values() if each.manager_id == by.user_id]
        open_plans, reports = await asyncio.gather(
            self._open_plans(by, teams.values()), self._reports(by, led)
        )
        teams |= await self._teams({each.team_id for each in open_plans} - teams.keys())
        assessments = await self._assessments(by, open_plans, teams)
        about = await self._about(open_plans, teams, assessments, reports)
        found = [
            *(_of_assessment(each, about) for each in assessments),
            *(task for each in reports for task in _of_report(each, by, about)),
        ]
        return sorted(found, key=_urgency)

    # --- inside ----------------------------------------------------------------------------------

    async def _teams(self, team_ids: AbstractSet[str]) -> dict[str, Team]:
        wanted = sorted(team_ids)
        found = await self._company.db.run(reads.teams(wanted)) if wanted else []
        return {each.team_id: each for each in found if each is not None}

    async def _open_plans(self, by: Caller, teams: Iterable[Team]) -> list[Plan]:
        """Of the caller's teams, and those that they take part in still without being in the team.

        Who leaves a team is withdrawn from a review by somebody, or goes on with it.
        """
        of_teams = {plan for each in teams for plan in each.open_plan_ids}
        wanted = sorted(of_teams | await self._begun(by))
        found = await self._company.db.run(reads.plans(wanted)) if wanted else []
        return [each for each in found if each is not None and each.status == "active"]

    async def _begun(self, by: Caller) -> set[str]:
        """Plans in which their own assessment is open, as far as the index knows."""
        lines = self._company.db.iterate(reads.assessments_of_user(by.user_id))
        return {
            each.plan_id async for each in lines if each.assessment_type == "self" and _waits(each)
        }

    async def _assessments(
        self, by: Caller, plans: Sequence[Plan], teams: Mapping[str, Team]
    ) -> list[Assessment]:
        """Those that wait for the caller, by their computed ids."""
        wanted: list[str] = []
        for plan in plans:
            if by.user_id in plan.member_ids:
                wanted.append(ids.assessment_id(plan.plan_id, by.user_id, "self"))
            if teams[plan.team_id].manager_id == by.user_id:
                wanted += [
                    ids.assessment_id(plan.plan_id, each, "manager")
                    for each in sorted(plan.member_ids - {by.user_id})
                ]
        found = await self._company.db.run(reads.assessments(wanted)) if wanted else []
        return [each for each in found if each is not None and _waits(each)]

    async def _reports(self, by: Caller, led: Sequence[Team]) -> list[ReportLine]:
        """The caller's own, and those of the plans of teams that they manage."""
        plans = await asyncio.gather(*(self._plans_of(each.team_id) for each in led))
        of_plans = (reads.reports_of_plan(each) for some in plans for each in some)
        ops = [reads.reports_of_user(by.user_id), *of_plans]
        db = self._company.db

        async def lines(place: int) -> list[ReportLine]:
            return [each async for each in db.iterate(ops[place])]

        found = await asyncio.gather(*map(lines, range(len(ops))))
        # Who manages the team that they were in finds their own report twice.
        return list({each.report_id: each for some in found for each in some}.values())

    async def _plans_of(self, team_id: str) -> list[str]:
        """Reports are released after a plan is complete, too."""
        op = reads.plans_of_team(team_id)
        found = [each async for each in self._company.db.iterate(op)]
        return [each.plan_id for each in found if each.status in ("active", "completed")]

    async def _about(
        self,
        plans: Sequence[Plan],
        teams: Mapping[str, Team],
        assessments: Sequence[Assessment],
        reports: Sequence[ReportLine],
    ) -> _About:
        known = {each.plan_id: each for each in plans}
        more = sorted({each.plan_id for each in reports} - known.keys())
        people = {each.team_member_id for each in assessments}
        people |= {each.team_member_id for each in reports}
        db = self._company.db
        others = await db.run(reads.plans(more)) if more else []
        users = await db.run(reads.users(sorted(people))) if people else []
        known |= {each.plan_id: each for each in others if each is not None}
        names = {each.user_id: each.name for each in users if each is not None}
        return _About(self._company.now(), known, teams, names)


def _waits(assessment: Assessment | AssessmentLine) -> bool:
    return assessment.status != "submitted" and assessment.withdrawn_at is None


_ASSESSING: dict[AssessmentType, Kind] = {"self": "assess_self", "manager": "assess_member"}


def _of_assessment(assessment: Assessment, about: _About) -> Task:
    task = about.task(
        _ASSESSING[assessment.assessment_type],
        assessment.plan_id,
        assessment.team_member_id,
        assessment.assessment_id,
        about.plans[assessment.plan_id].end_date,
    )
    return replace(
        task,
        status=assessment.status,
        answered=assessment.answered,
        total=assessment.total,
    )


def _of_report(line: ReportLine, by: Caller, about: _About) -> list[Task]:
    if line.plan_id not in about.plans:
        return []
    made: list[Task] = []

    def add(kind: Kind, due: datetime | None = None) -> None:
        made.append(about.task(kind, line.plan_id, line.team_member_id, line.report_id, due))

    team = about.teams.get(line.team_id)
    if team is not None and team.manager_id == by.user_id and line.status == "generated":
        add("release_report")
    if line.team_member_id == by.user_id:
        if line.status == "released":
            add("acknowledge")
        if line.next_action_due is not None and line.status in ("released", "acknowledged"):
            add("action", line.next_action_due)
    return made


def _urgency(task: Task) -> tuple[bool, float, str, str]:
    due = task.due_at
    return due is None, 0.0 if due is None else due.timestamp(), task.member_name, task.item_id
