"""What somebody has to do: assess, release, acknowledge, and what they agreed to do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.service.gathering import at_most
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Plan, Team
from tablewright.systems.ladders.fields import AssessmentStatus, AssessmentType
from tablewright.systems.ladders.reads import AssessmentLine, ReportLine
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.members import managers_of_members

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Of a team, about a member.
_Review: TypeAlias = tuple[str, str]
#: Members whose reviews are looked for at the same time.
_AT_ONCE = 16

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


@dataclass(frozen=True)
class _MovedIn:
    """Reviews of members that belong to teams they have left."""

    reviews: frozenset[_Review] = frozenset()
    plan_ids: frozenset[str] = frozenset()
    reports: tuple[ReportLine, ...] = ()


class Tasks:
    """What somebody has to do."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def of(self, by: Caller) -> list[Task]:
        """All of it, what is due first at the top; what is never due comes last."""
        teams = await self._teams(by.user.team_ids | by.user.managed_team_ids)
        led = [each for each in teams.values() if each.manager_id == by.user_id]
        moved = await self._moved_in(by, led)
        open_plans, listed = await asyncio.gather(
            self._open_plans(by, teams.values(), moved.plan_ids), self._reports(by, led)
        )
        # Who manages the team that they were in finds their own report twice.
        reports = list({each.report_id: each for each in (*listed, *moved.reports)}.values())
        teams |= await self._teams({each.team_id for each in open_plans} - teams.keys())
        mine = moved.reviews | await self._managed(by, led, open_plans, reports)
        assessments = await self._assessments(by, open_plans, mine)
        about = await self._about(open_plans, teams, assessments, reports)
        found = [
            *(_of_assessment(each, about) for each in assessments),
            *(task for each in reports for task in _of_report(each, by, mine, about)),
        ]
        return sorted(found, key=_urgency)

    # --- inside ----------------------------------------------------------------------------------

    async def _teams(self, team_ids: AbstractSet[str]) -> dict[str, Team]:
        wanted = sorted(team_ids)
        found = await self._company.db.run(reads.teams(wanted)) if wanted else []
        return {each.team_id: each for each in found if each is not None}

    async def _moved_in(self, by: Caller, led: Sequence[Team]) -> _MovedIn:
        """Find reviews that members brought along from other teams: one query for each member."""
        db, known = self._company.db, {each.team_id for each in led}
        members = sorted({each for team in led for each in team.member_ids} - {by.user_id})

        async def brought(member_id: str) -> list[AssessmentLine]:
            op = reads.assessments_of_user(member_id)
            return [each async for each in db.iterate(op) if each.team_id not in known]

        lines = [each for some in await at_most(_AT_ONCE, map(brought, members)) for each in some]
        if not lines:
            return _MovedIn()
        wanted = sorted({each.team_member_id for each in lines})
        users = await db.run(reads.users(wanted))
        teams = {each.user_id: each.team_ids for each in users if each is not None}
        mine = [
            each for each in lines if rights.has_moved(each.team_id, teams.get(each.team_member_id))
        ]
        ops = [reads.reports_of_user(each) for each in sorted({x.team_member_id for x in mine})]
        reviews = frozenset((each.team_id, each.team_member_id) for each in mine)
        reports = [
            each
            for op in ops
            async for each in db.iterate(op)
            if (each.team_id, each.team_member_id) in reviews
        ]
        waiting = {each.plan_id for each in mine if each.assessment_type == "manager"}
        return _MovedIn(reviews, frozenset(waiting), tuple(reports))

    async def _managed(
        self, by: Caller, led: Sequence[Team], plans: Sequence[Plan], reports: Sequence[ReportLine]
    ) -> frozenset[_Review]:
        """Tell which reviews of the caller's teams are theirs, and not of who has moved away."""
        found: set[_Review] = set()
        for team in led:
            members = {
                member
                for plan in plans
                if plan.team_id == team.team_id
                for member in plan.member_ids
            }
            members |= {each.team_member_id for each in reports if each.team_id == team.team_id}
            managers = await managers_of_members(self._company, team, members - {by.user_id})
            found |= {
                (team.team_id, member)
                for member, manager in managers.items()
                if manager == by.user_id
            }
        return frozenset(found)

    async def _open_plans(
        self, by: Caller, teams: Iterable[Team], more: AbstractSet[str]
    ) -> list[Plan]:
        """Of the caller's teams, and those that they take part in still without being in the team.

        Who leaves a team is withdrawn from a review by somebody, or goes on with it.
        """
        of_teams = {plan for each in teams for plan in each.open_plan_ids}
        wanted = sorted(of_teams | more | await self._begun(by))
        found = await self._company.db.run(reads.plans(wanted)) if wanted else []
        return [each for each in found if each is not None and each.status == "active"]

    async def _begun(self, by: Caller) -> set[str]:
        """Plans in which their own assessment is open, as far as the index knows."""
        lines = self._company.db.iterate(reads.assessments_of_user(by.user_id))
        return {
            each.plan_id async for each in lines if each.assessment_type == "self" and _waits(each)
        }

    async def _assessments(
        self, by: Caller, plans: Sequence[Plan], mine: AbstractSet[_Review]
    ) -> list[Assessment]:
        """Those that wait for the caller, by their computed ids."""
        wanted: list[str] = []
        for plan in plans:
            if by.user_id in plan.member_ids:
                wanted.append(ids.assessment_id(plan.plan_id, by.user_id, "self"))
            wanted += [
                ids.assessment_id(plan.plan_id, each, "manager")
                for each in sorted(plan.member_ids)
                if (plan.team_id, each) in mine
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
        return [each for some in found for each in some]

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


def _of_report(
    line: ReportLine, by: Caller, mine: AbstractSet[_Review], about: _About
) -> list[Task]:
    if line.plan_id not in about.plans:
        return []
    made: list[Task] = []

    def add(kind: Kind, due: datetime | None = None) -> None:
        made.append(about.task(kind, line.plan_id, line.team_member_id, line.report_id, due))

    if (line.team_id, line.team_member_id) in mine and line.status == "generated":
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
