"""A team at a glance: members by competencies, as one side sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Plan, Report, Team
from tablewright.systems.ladders.fields import AssessmentStatus, AssessmentType, Ladder
from tablewright.systems.ladders.rules import rights, scores
from tablewright.systems.ladders.rules.rights import Who
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.members import relations_in

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class HeatRow:
    """A member; without levels if the caller may not see them yet."""

    member_id: str
    name: str
    status: AssessmentStatus
    #: By category and competency; what is not answered is not in it.
    levels: Mapping[str, Mapping[str, int]]
    current_level: int | None


@dataclass(frozen=True)
class HeatMap:
    plan: Plan
    source: AssessmentType
    ladder: Ladder
    rows: list[HeatRow]


class HeatMaps:
    """Heat maps."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def heatmap(
        self, by: Caller, team_id: str, plan_id: str, source: AssessmentType
    ) -> HeatMap:
        """All who take part in a plan of the team, by name; for who manages it."""
        standing = await self._company.people.seen(by, team_id)
        standing.require("read_heatmap")
        plan = await self._company.db.run(reads.plan(plan_id)) if ids.is_uuid(plan_id) else None
        if plan is None or plan.team_id != team_id:
            raise not_found("plan of this team")
        ladder = await self._company.configs.ladder(plan)
        if plan.status == "draft":
            return HeatMap(plan, source, ladder, [])
        return HeatMap(plan, source, ladder, await self._rows(by, standing.team, plan, source))

    async def _rows(
        self, by: Caller, team: Team, plan: Plan, source: AssessmentType
    ) -> list[HeatRow]:
        roster = sorted(plan.member_ids)
        wanted = [ids.assessment_id(plan.plan_id, each, source) for each in roster]
        found, names, who, report = await asyncio.gather(
            self._company.db.run(reads.assessments(wanted)),
            self._names(roster),
            relations_in(self._company, by, team, roster),
            self._own_report(by, plan),
        )
        rows = [
            _row(each, names, who[each.team_member_id], report)
            for each in found
            if each is not None
        ]
        return sorted(rows, key=lambda row: (row.name.casefold(), row.member_id))

    async def _own_report(self, by: Caller, plan: Plan) -> Report | None:
        """The caller's own, which decides what they see of the manager's assessment of them."""
        if by.user_id not in plan.member_ids:
            return None
        return await self._company.db.run(reads.report(ids.report_id(plan.plan_id, by.user_id)))

    async def _names(self, user_ids: Iterable[str]) -> dict[str, str]:
        found = await self._company.db.run(reads.users(user_ids))
        return {each.user_id: each.name for each in found if each is not None}


def _row(
    assessment: Assessment, names: Mapping[str, str], who: frozenset[Who], own: Report | None
) -> HeatRow:
    about_caller = own is not None and own.team_member_id == assessment.team_member_id
    status = own.status if own is not None and about_caller else None
    facts = rights.assessment_facts(assessment.status, status)
    seen = rights.may(f"read_{assessment.assessment_type}_assessment", who, facts)
    levels = assessment.selections if seen else {}
    current = scores.current_level(assessment) if seen else None
    return HeatRow(
        assessment.team_member_id,
        names.get(assessment.team_member_id, ""),
        assessment.status,
        levels,
        current,
    )
