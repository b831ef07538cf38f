"""Finding plans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.model import Op, Put, together
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Plan, Team
from tablewright.systems.ladders.fields import PlanStatus
from tablewright.systems.ladders.rules import rights, seasons
from tablewright.systems.ladders.rules.rights import Who
from tablewright.systems.ladders.service.callers import Caller, check
from tablewright.systems.ladders.service.plans.refusals import own_review

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


_ADMIN: Final[frozenset[Who]] = frozenset(("admin",))
#: What decides about everybody's review, one's own among them.
_STEERING: Final = frozenset(("edit_plan", "run_plan", "reopen_plan"))


@dataclass(frozen=True)
class PlanView:
    """A plan, and what the caller is to it."""

    plan: Plan
    team: Team
    who: frozenset[Who]
    #: The caller.
    by_id: str
    #: What was queued by what the caller has just done.
    messages: tuple[Put[OutboxEntry], ...] = ()

    def may(self, action: str) -> bool:
        """Whether the caller may do this to the plan, as far as rights go."""
        return rights.may(action, self._who_for(action))

    @property
    def is_own_review(self) -> bool:
        """Whether the caller takes part in a review that has begun."""
        return self.plan.status != "draft" and self.by_id in self.plan.member_ids

    def require(self, action: str) -> None:
        """Raise a problem 404 or 403; 403 ``OWN_REVIEW`` for admins who take part themselves."""
        check(action, self.who, what="plan")
        if not self.may(action):
            raise own_review()

    def _who_for(self, action: str) -> frozenset[Who]:
        """Leave out the role of an admin, where it would steer their own review."""
        if action in _STEERING and self.is_own_review:
            return self.who - _ADMIN
        return self.who


class Looking:
    """Finding plans."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def read(self, by: Caller, plan_id: str) -> PlanView:
        """A plan, for who belongs to its team, manages it, or is an admin. [P1]"""
        return await self.found(by, plan_id, "read_plan")

    async def found(self, by: Caller, plan_id: str, action: str) -> PlanView:
        """A plan to which the caller may do this; problems 404 and 403. Two consistent reads."""
        db = self._company.db
        plan = await db.run(reads.plan(plan_id)) if ids.is_uuid(plan_id) else None
        if plan is None:
            raise not_found("plan")
        standing = await self._company.people.seen(by, plan.team_id, what="plan")
        found = PlanView(plan, standing.team, standing.who, by.user_id)
        found.require(action)
        return found

    async def list(
        self,
        by: Caller,
        status: PlanStatus = "active",
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Plan]:
        """All plans in one state, in no order, for admins. [P3, P4, P5]"""
        by.require("list_plans")
        op = reads.plans_by_status(status)
        return await self._company.db.run(op, limit=limit, cursor=cursor)

    async def of_team(self, by: Caller, team_id: str) -> tuple[Plan, ...]:
        """The plans of a team, the latest season first. [P2]"""
        standing = await self._company.people.seen(by, team_id)
        standing.require("read_team")
        found = [each async for each in self._company.db.iterate(reads.plans_of_team(team_id))]
        return tuple(sorted(found, key=lambda each: seasons.order(each.season), reverse=True))

    async def active(self, by: Caller) -> tuple[Plan, ...]:
        """The reviews under way in the caller's teams, the one that ends first before others. [P7]

        Read consistently: what was activated a moment ago is there, and nothing half-way.
        """
        by.require("read_own_plans")
        teams = await self._company.teams.mine(by)
        wanted = sorted({plan for team in teams for plan in team.open_plan_ids})
        found = await self._company.db.run(reads.plans(wanted)) if wanted else ()
        plans = [each for each in found if each is not None and each.status == "active"]
        return tuple(sorted(plans, key=lambda each: (each.end_date, each.plan_id)))

    # --- inside ----------------------------------------------------------------------------------

    def _noted(
        self, by: Caller, op: Op[object], action: str, plan_id: str, **detail: object
    ) -> Op[object]:
        noted = self._company.auditing.noted(by, action, f"plan/{plan_id}", **detail)
        return together(op, noted)

    async def _open_in(self, plan: Plan, member_ids: Iterable[str]) -> int:
        """How many assessments of these are not submitted, read consistently. [A7]"""
        wanted = [
            ids.assessment_id(plan.plan_id, member, kind)
            for member in sorted(member_ids)
            for kind in ids.ASSESSMENT_KINDS
        ]
        found = await self._company.db.run(reads.assessments(wanted)) if wanted else ()
        there = [each for each in found if each is not None and each.withdrawn_at is None]
        return sum(each.status != "submitted" for each in there)
