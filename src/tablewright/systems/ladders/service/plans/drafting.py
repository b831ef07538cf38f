"""New plans, and what may change in one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tablewright.model import Op
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import outdated, refused, refused_at
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import reviewing
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.fields import Season
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.plans.looking import Looking, PlanView
from tablewright.systems.ladders.service.plans.refusals import (
    ends_too_early,
    no_ladder,
    not_draft,
    only_later,
    season_taken,
    team_closed,
    unknown_version,
)
from tablewright.systems.ladders.service.revisions import (
    check_if_given,
    check_seen,
    revision_conflict,
)
from tablewright.systems.ladders.service.settling import renewed, settled


@dataclass(frozen=True)
class Draft:
    """A review that is to be."""

    season: Season
    plan_name: str
    start_date: datetime
    end_date: datetime
    description: str | None = None
    #: None is the active one.
    config_version: str | None = None
    flag_threshold: int = 2
    require_all: bool = True


@dataclass(frozen=True)
class PlanEdit:
    """A plan as it is to be. None leaves it as it was, except for the description."""

    plan_name: str
    end_date: datetime
    description: str | None = None
    start_date: datetime | None = None
    config_version: str | None = None
    flag_threshold: int | None = None
    require_all: bool | None = None

    def keeps(self, plan: Plan) -> bool:
        """Whether it leaves alone what is settled once a plan is under way."""
        wanted = (self.start_date, self.config_version, self.flag_threshold, self.require_all)
        there = (plan.start_date, plan.config_version, plan.flag_threshold, plan.require_all)
        return all(new in (None, old) for new, old in zip(wanted, there, strict=True))


class Drafting(Looking):
    """New plans, and what may change in one."""

    async def draft(self, by: Caller, team_id: str, draft: Draft) -> PlanView:
        """A plan for a season that the team has none for.

        One transaction: the plan, which is new; that the team is active; the audit entry.
        """
        standing = await self._company.people.seen(by, team_id)
        standing.require("create_plan")
        if not standing.team.is_active:
            raise team_closed()
        plan = await self._drafted(by, team_id, draft)
        op = self._noted(by, reviewing.draft_plan(plan), "plan.draft", plan.plan_id)
        try:
            await settled(self._company.db, op)
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            raise (season_taken() if refused_at(cancelled, Plan) else team_closed()) from None
        return await self.read(by, plan.plan_id)

    async def edit(self, by: Caller, plan_id: str, edit: PlanEdit, said: Precondition) -> PlanView:
        """A draft, or what may still change in a plan that is under way.

        One transaction: the plan at the revision that was read, not being activated (or active, and
        its end not later than the new one); the audit entry.
        """
        plan = (await self.found(by, plan_id, "edit_plan")).plan
        check_seen(said, plan.revision)
        if plan.status == "draft" and plan.activation is None:
            op: Op[object] = reviewing.edit_draft(await self._edited(plan, edit))
        elif plan.status == "active":
            op = self._still(plan, edit)
        else:
            raise not_draft()
        await self._write(self._noted(by, op, "plan.edit", plan_id))
        return await self.read(by, plan_id)

    async def delete(self, by: Caller, plan_id: str, said: Precondition = UNSAID) -> None:
        """A draft that is not wanted.

        One transaction: the draft at the revision that was read, not being activated; the audit
        entry. Made anew if the draft has changed. Nothing else is ever deleted.
        """

        async def think() -> Op[object]:
            plan = (await self.found(by, plan_id, "edit_plan")).plan
            check_if_given(said, plan.revision)
            if plan.status != "draft" or plan.activation is not None:
                raise not_draft()
            return self._noted(by, reviewing.delete_draft(plan), "plan.delete", plan_id)

        await renewed(self._company.db, think, when=refused)

    # --- inside ----------------------------------------------------------------------------------

    async def _drafted(self, by: Caller, team_id: str, draft: Draft) -> Plan:
        if draft.end_date <= draft.start_date:
            raise ends_too_early()
        config_id, version = await self._config(draft.config_version)
        now = self._company.now()
        return Plan(
            team_id=team_id,
            season=draft.season,
            plan_name=draft.plan_name,
            description=draft.description,
            start_date=draft.start_date,
            end_date=draft.end_date,
            config_id=config_id,
            config_version=version,
            flag_threshold=draft.flag_threshold,
            require_all=draft.require_all,
            created_by=by.user_id,
            created_at=now,
            updated_at=now,
        )

    async def _edited(self, plan: Plan, edit: PlanEdit) -> Plan:
        start = edit.start_date or plan.start_date
        if edit.end_date <= start:
            raise ends_too_early()
        config_id, version = await self._config(edit.config_version or plan.config_version)
        kept = plan.require_all if edit.require_all is None else edit.require_all
        changed = {
            "plan_name": edit.plan_name,
            "description": edit.description,
            "start_date": start,
            "end_date": edit.end_date,
            "config_id": config_id,
            "config_version": version,
            "flag_threshold": edit.flag_threshold or plan.flag_threshold,
            "require_all": kept,
            "updated_at": self._company.now(),
        }
        return plan.model_copy(update=changed)

    def _still(self, plan: Plan, edit: PlanEdit) -> Op[object]:
        if not edit.keeps(plan) or edit.end_date < plan.end_date:
            raise only_later()
        return reviewing.edit_active_plan(
            plan, edit.plan_name, edit.description, edit.end_date, self._company.now()
        )

    async def _config(self, version: str | None) -> tuple[str, str]:
        """Id and number of a version; of the active one, if none is named."""
        if version is None:
            pointer = await self._company.configs.pointer()
            if pointer is None:
                raise no_ladder()
            return pointer.active_config_id, pointer.version
        found = await self._company.configs.by_version(version)
        if found is None:
            raise unknown_version()
        return found.config_id, found.version

    async def _write(self, op: Op[object]) -> None:
        try:
            await settled(self._company.db, op)
        except (TransactionCancelled, ConditionFailed) as error:
            if outdated(error):
                raise revision_conflict() from None
            raise (not_draft() if refused(error) else error) from None
