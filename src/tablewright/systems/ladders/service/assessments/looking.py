"""Finding assessments, and who may see what of them.

An assessment is looked at as what the caller is to its team and to who it is about. Until its plan
is active it is not there. What is in it is for its author until it is submitted; what the manager
says is for the member once the report is released.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Plan, Report, Team
from tablewright.systems.ladders.fields import AssessmentType
from tablewright.systems.ladders.oversight import Oversight
from tablewright.systems.ladders.reads import AssessmentLine
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.rights import Fact, Who
from tablewright.systems.ladders.service.assessments.refusals import (
    not_released,
    not_submitted_yet,
)
from tablewright.systems.ladders.service.callers import Caller, check
from tablewright.systems.ladders.service.members import (
    Relation,
    known_member,
    relation_to,
    relations_in,
)

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_WHAT: Final = "assessment"
#: Who knows that there is an assessment.
_CLOSE: Final[frozenset[Who]] = frozenset(("subject", "manager", "admin"))
#: More than anybody ever has; the latest are shown.
_MOST = 500
_UNSEEN: Final[Mapping[str, object]] = {
    "selections": {},
    "feedback": {},
    "current_level": None,
    "goal_level": None,
    "way_forward": None,
    "overall_level": None,
    "overall_reason": None,
}


@dataclass(frozen=True)
class FoundAssessment:
    """An assessment with what it belongs to, and what the caller is to it."""

    assessment: Assessment
    plan: Plan
    team: Team
    who: frozenset[Who]
    #: None if there is none, or if it was not asked for.
    report: Report | None = None
    relation: Relation = field(default_factory=lambda: Relation(frozenset()))

    @property
    def facts(self) -> frozenset[Fact]:
        report = None if self.report is None else self.report.status
        return rights.assessment_facts(self.assessment.status, report)

    def may(self, verb: str) -> bool:
        """Whether the caller may ``read``, ``write`` or ``submit`` it."""
        action = _action(verb, self.assessment.assessment_type)
        return rights.may(action, self.who, self.facts)

    @property
    def writable(self) -> bool:
        """Whether the caller can save and submit it now."""
        is_open = self.assessment.status != "submitted" and self.assessment.withdrawn_at is None
        return is_open and self.plan.status == "active" and self.may("write")

    @property
    def shown(self) -> Assessment:
        """Without what is answered, for who may not read it as it is now."""
        if self.may("read"):
            return self.assessment
        return self.assessment.model_copy(update=_UNSEEN)

    def require(self, verb: str) -> None:
        check(_action(verb, self.assessment.assessment_type), self.who, self.facts, what=_WHAT)


@dataclass(frozen=True)
class ListedAssessment:
    """An assessment as lists have it; the level is None for who may not know it."""

    line: AssessmentLine
    plan: Plan


class Looking:
    """Reading assessments."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def read(self, by: Caller, assessment_id: str) -> FoundAssessment:
        """One assessment; 403 while it is not for the caller's eyes."""
        found = await self._found(by, assessment_id, with_report=True)
        if not found.may("read") and "subject" in found.who:
            raise not_released()
        if not found.may("read") and not found.who.isdisjoint(("manager", "admin")):
            raise not_submitted_yet()
        found.require("read")
        return found

    async def of_plan(self, by: Caller, plan_id: str) -> list[ListedAssessment]:
        """All of a plan, by member; for who runs it."""
        plan = await self._plan(plan_id)
        standing = await self._company.people.seen(by, plan.team_id, what="plan")
        standing.require("list_assessments", what="plan")
        if plan.status == "draft":
            return []
        found = [each async for each in self._company.db.iterate(reads.board(plan_id))]
        found.sort(key=lambda each: (each.team_member_id, each.assessment_type))
        members = {each.team_member_id for each in found}
        who = await relations_in(self._company, by, standing.team, members)
        return [ListedAssessment(_shown(each, who[each.team_member_id]), plan) for each in found]

    async def of_member(self, by: Caller, member_id: str) -> list[ListedAssessment]:
        """All about somebody, the latest first; for themselves, admins, and who manages the team.

        A manager sees those of the teams that are theirs now.
        """
        member = await known_member(self._company, member_id)
        lines = [each async for each in self._lines(member_id)]
        member.require(by, "list_assessments_of", [each.team_id for each in lines])
        mine = [each for each in lines if member.who(by, each.team_id) & _CLOSE]
        plans = await self._plans_of(mine)
        shown = [
            ListedAssessment(_shown(each, member.who(by, each.team_id)), plans[each.plan_id])
            for each in mine
            if each.plan_id in plans
        ]
        return sorted(shown, key=lambda each: each.line.updated_at, reverse=True)

    # --- inside ----------------------------------------------------------------------------------

    async def _found(
        self, by: Caller, assessment_id: str, *, with_report: bool = False
    ) -> FoundAssessment:
        """The assessment as it is now, for who may know of it; 404 for all others."""
        db = self._company.db
        known = ids.is_uuid(assessment_id)
        assessment = await db.run(reads.assessment(assessment_id)) if known else None
        if assessment is None:
            raise not_found(_WHAT)
        plan, team, report = await asyncio.gather(
            db.run(reads.plan(assessment.plan_id)),
            db.run(reads.team(assessment.team_id)),
            self._report(assessment, wanted=with_report),
        )
        if plan is None or team is None or plan.status == "draft":
            raise not_found(_WHAT)
        relation = await relation_to(self._company, by, team, assessment.team_member_id)
        if not relation.who & _CLOSE:
            raise not_found(_WHAT)
        return FoundAssessment(assessment, plan, team, relation.who, report, relation)

    def _needed_oversight(self, found: FoundAssessment, action: str) -> Oversight | None:
        """What a write as a manager checks once more."""
        return found.relation.needed_oversight(action, found.facts)

    async def _report(self, assessment: Assessment, *, wanted: bool) -> Report | None:
        if not wanted:
            return None
        found = ids.report_id(assessment.plan_id, assessment.team_member_id)
        return await self._company.db.run(reads.report(found))

    async def _plan(self, plan_id: str) -> Plan:
        found = await self._company.db.run(reads.plan(plan_id)) if ids.is_uuid(plan_id) else None
        if found is None:
            raise not_found("plan")
        return found

    async def _lines(self, member_id: str) -> AsyncIterator[AssessmentLine]:
        left = _MOST
        async for each in self._company.db.iterate(reads.assessments_of_user(member_id)):
            yield each
            left -= 1
            if not left:
                return

    async def _plans_of(self, lines: list[AssessmentLine]) -> Mapping[str, Plan]:
        """The plans that can be seen, by id."""
        wanted = sorted({each.plan_id for each in lines})
        found = await self._company.db.run(reads.plans(wanted)) if wanted else []
        return {each.plan_id: each for each in found if each and each.status != "draft"}


def _action(verb: str, kind: AssessmentType) -> str:
    return f"{verb}_{kind}_assessment"


def _shown(line: AssessmentLine, who: frozenset[Who]) -> AssessmentLine:
    """Without the level, if it is not for these eyes; whether it is released is not looked at."""
    facts = rights.assessment_facts(line.status, None)
    if rights.may(_action("read", line.assessment_type), who, facts):
        return line
    return line.model_copy(update={"current_level": None})
