"""Completing, archiving, reopening. Whoever repeats one of them finds it done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from tablewright.model import Op
from tablewright.service.conflicts import refused
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import reviewing
from tablewright.systems.ladders.entities import MAX_OPEN_PLANS
from tablewright.systems.ladders.fields import PlanStatus
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.plans.looking import Looking, PlanView
from tablewright.systems.ladders.service.plans.refusals import (
    bad_state,
    open_assessments,
    team_closed,
    too_many_open,
)
from tablewright.systems.ladders.service.revisions import check_if_given
from tablewright.systems.ladders.service.settling import renewed

#: The write that turns a plan as it is now.
Turn: TypeAlias = Callable[[PlanView], Awaitable[Op[object]]]


class Turning(Looking):
    """Completing, archiving, reopening."""

    async def complete(
        self, by: Caller, plan_id: str, *, force: bool = False, said: Precondition = UNSAID
    ) -> PlanView:
        """Nothing more is to be done in it; with ``force`` even if something is open.

        One transaction: the plan, active and at the revision that was read; the team without it;
        the audit entry. What is open is counted by consistent reads before.
        """

        async def turn(found: PlanView) -> Op[object]:
            plan = found.plan
            open_now = await self._open_in(plan, plan.member_ids)
            if open_now and not force:
                raise open_assessments(open_now)
            op = reviewing.complete_plan(plan, self._company.now())
            return self._noted(by, op, "plan.complete", plan_id, open=open_now)

        return await self._turned(by, plan_id, "run_plan", ("active", "completed"), turn, said)

    async def archive(self, by: Caller, plan_id: str, *, said: Precondition = UNSAID) -> PlanView:
        """Out of sight. One transaction: the plan, completed and at the revision that was read;
        the audit entry.
        """

        async def turn(found: PlanView) -> Op[object]:
            op = reviewing.archive_plan(found.plan, self._company.now())
            return self._noted(by, op, "plan.archive", plan_id)

        return await self._turned(by, plan_id, "run_plan", ("completed", "archived"), turn, said)

    async def reopen(
        self, by: Caller, plan_id: str, reason: str, *, said: Precondition = UNSAID
    ) -> PlanView:
        """An admin has a reason to go on with it, which the audit log keeps.

        One transaction: the plan, completed and at the revision that was read; the team, active and
        with room for a plan, has it again; the audit entry.
        """

        async def turn(found: PlanView) -> Op[object]:
            if not found.team.is_active:
                raise team_closed()
            if len(found.team.open_plan_ids) >= MAX_OPEN_PLANS:
                raise too_many_open()
            op = reviewing.reopen_plan(found.plan, self._company.now())
            return self._noted(by, op, "plan.reopen", plan_id, reason=reason)

        return await self._turned(by, plan_id, "reopen_plan", ("completed", "active"), turn, said)

    async def _turned(
        self,
        by: Caller,
        plan_id: str,
        action: str,
        states: tuple[PlanStatus, PlanStatus],
        turn: Turn,
        said: Precondition,
    ) -> PlanView:
        before, after = states

        async def think() -> Op[object] | None:
            found = await self.found(by, plan_id, action)
            if found.plan.status == after:
                return None
            if found.plan.status != before:
                raise bad_state(found.plan.status)
            check_if_given(said, found.plan.revision)
            return await turn(found)

        await renewed(self._company.db, think, when=refused)
        return await self.read(by, plan_id)
