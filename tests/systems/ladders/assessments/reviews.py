"""A review of one member by themselves and by the manager, for tests to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.systems.ladders.support import Crew, assessment_of, crew_made, plan_made

from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.assessments import SaveIn
from tablewright.systems.ladders.demo_items import COMPETENCIES
from tablewright.systems.ladders.fields import AssessmentType
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company

EVERYTHING = [(category, name) for category, inside in COMPETENCIES.items() for name in inside]


def change(category: str, competency: str, level: int | None = 3, **said: Any) -> dict[str, Any]:
    return {"category": category, "competency": competency, "level": level, **said}


def saving(*changes: Mapping[str, Any], **more: Any) -> SaveIn:
    return SaveIn.model_validate({"changes": list(changes), **more})


def all_at(level: int, **levels: int) -> SaveIn:
    """Every competency with evidence, at a level or at one of its own."""
    return saving(
        *(
            change(category, name, levels.get(name, level), evidence=f"Did {name} at work.")
            for category, name in EVERYTHING
        )
    )


@dataclass(frozen=True)
class Review:
    """A plan that is under way, of a team with some members."""

    company: Company
    crew: Crew
    plan: m.Plan

    @property
    def member(self) -> Caller:
        return self.crew.members[0]

    @property
    def manager(self) -> Caller:
        return self.crew.manager

    @property
    def report_id(self) -> str:
        return ids.report_id(self.plan.plan_id, self.member.user_id)

    def id(self, kind: AssessmentType = "self", member: Caller | None = None) -> str:
        return ids.assessment_id(self.plan.plan_id, (member or self.member).user_id, kind)

    def author(self, kind: AssessmentType) -> Caller:
        return self.member if kind == "self" else self.manager

    async def now(self, kind: AssessmentType = "self") -> m.Assessment:
        return await assessment_of(self.company, self.plan, self.member, kind)

    async def report(self) -> m.Report:
        return await self.company.db.require(m.report(self.report_id))

    async def save(
        self, body: SaveIn, kind: AssessmentType = "self", by: Caller | None = None
    ) -> m.Assessment:
        seen = Precondition.seen((await self.now(kind)).revision)
        who = by or self.author(kind)
        return await self.company.assessments.save(who, self.id(kind), body, seen)

    async def submitted(self, kind: AssessmentType, level: int = 3, **levels: int) -> m.Assessment:
        """All answered, and submitted by its author."""
        await self.save(all_at(level, **levels), kind)
        return await self.company.assessments.submit(self.author(kind), self.id(kind))

    async def both(self, own: int = 3, manager: int = 4) -> m.Report:
        """Both sides submitted, and the report of them."""
        await self.submitted("self", own)
        await self.submitted("manager", manager)
        assert await self.company.reports.build_ready(self.plan.plan_id, self.member.user_id)
        return await self.report()

    async def released(self) -> m.Report:
        await self.both()
        return (await self.company.reports.release(self.manager, self.report_id)).report


async def review_made(company: Company, size: int = 1, **plan: Any) -> Review:
    crew = await crew_made(company, size)
    return Review(company, crew, await plan_made(company, crew.team, **plan))
