"""Who takes part in a review, once it is under way.

It began with those who were in the team. Who joins the team later is enrolled, and who leaves it is
withdrawn, each by a decision of who runs the review.
"""

from __future__ import annotations

from dataclasses import replace

from tablewright.model import Op, Put, together
from tablewright.service.conflicts import refused
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads, reviewing
from tablewright.systems.ladders.entities import MAX_MEMBERS, Assessment, Plan
from tablewright.systems.ladders.fields import Activation
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.plans.activating import new_assessment
from tablewright.systems.ladders.service.plans.looking import Looking, PlanView
from tablewright.systems.ladders.service.plans.refusals import (
    bad_state,
    not_in_team,
    own_review,
    plan_full,
)
from tablewright.systems.ladders.service.settling import renewed


class Roster(Looking):
    """Who takes part."""

    async def enrol(self, by: Caller, plan_id: str, user_id: str) -> PlanView:
        """A member of the team takes part, too.

        One transaction: the active plan with room gets the member; both assessments are new, or go
        on if the member was withdrawn; the audit entry; a message to the member. Who takes part
        already does so.
        """
        queued: list[Put[OutboxEntry]] = []

        async def think() -> Op[object] | None:
            found = await self._under_way(by, plan_id, user_id)
            if user_id in found.plan.member_ids:
                return None
            if user_id not in found.team.member_ids:
                raise not_in_team()
            if len(found.plan.member_ids) >= MAX_MEMBERS:
                raise plan_full()
            op = await self._enrolling(by, found, user_id)
            noted = self._noted(by, op, "plan.enrol", plan_id, user_id=user_id)
            queued[:] = [self._company.messages.your_review(found.plan, user_id)]
            return together(noted, *queued)

        await renewed(self._company.db, think, when=refused)
        return replace(await self.read(by, plan_id), messages=tuple(queued))

    async def withdraw(self, by: Caller, plan_id: str, user_id: str) -> PlanView:
        """Somebody takes part no more; what was written stays, and does not change.

        One transaction: the active plan, which has the member; both assessments; the audit entry.
        Who was withdrawn already stays so.
        """

        async def think() -> Op[object] | None:
            found = await self._under_way(by, plan_id, user_id)
            if user_id not in found.plan.member_ids:
                if await self._own(found.plan, user_id) is None:
                    raise not_found("member of the review")
                return None
            op = reviewing.withdraw_member(found.plan, user_id, self._company.now())
            return self._noted(by, op, "plan.withdraw", plan_id, user_id=user_id)

        await renewed(self._company.db, think, when=refused)
        return await self.read(by, plan_id)

    # --- inside ----------------------------------------------------------------------------------

    async def _under_way(self, by: Caller, plan_id: str, user_id: str) -> PlanView:
        """A plan whose roster the caller may change, unless it is about themselves."""
        found = await self.found(by, plan_id, "change_roster")
        if user_id == by.user_id:
            raise own_review()
        if found.plan.status != "active":
            raise bad_state(found.plan.status)
        return found

    async def _own(self, plan: Plan, user_id: str) -> Assessment | None:
        """What somebody wrote, or was to write, about themselves."""
        if not ids.is_uuid(user_id):
            return None
        wanted = ids.assessment_id(plan.plan_id, user_id, "self")
        return await self._company.db.run(reads.assessment(wanted))

    async def _enrolling(self, by: Caller, found: PlanView, user_id: str) -> Op[object]:
        plan, now = found.plan, self._company.now()
        if await self._own(plan, user_id) is not None:
            return reviewing.rejoin_member(plan, user_id, now)
        ladder = await self._company.configs.ladder(plan)
        manager, begun = found.team.manager_id or by.user_id, Activation(by=by.user_id, at=now)
        own, managers = (
            new_assessment(plan, ladder, user_id, kind, manager, begun)
            for kind in ids.ASSESSMENT_KINDS
        )
        return reviewing.enrol_member(plan, own, managers, now)
