"""From a draft to a review that is under way, step by step.

A roster may be larger than a transaction. So the plan and its team are prepared in one transaction;
then two assessments are made for each member, each on condition that it is not there; then the plan
is opened in another transaction. Until then it is a draft to everybody. At last each member is
notified, once: some messages in a transaction, with a note of whom they are for. Whoever finds it
half-way goes on: the caller who tries again, or the worker. Two may do so at the same time, since
each step is done once whoever does it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from tablewright.model import Op, Put, together
from tablewright.model.errors import AlreadyExists, ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused
from tablewright.service.gathering import at_most
from tablewright.service.in_turn import in_turn
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import ids, reads, reviewing
from tablewright.systems.ladders.entities import MAX_OPEN_PLANS, Assessment, Plan, Team
from tablewright.systems.ladders.fields import Activation, AssessmentType, Ladder, PlanStatus
from tablewright.systems.ladders.rules.reminders import Reminder
from tablewright.systems.ladders.service.auditing import UserActor
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.plans.looking import Looking, PlanView
from tablewright.systems.ladders.service.plans.refusals import (
    already_ended,
    bad_state,
    nobody_there,
    not_begun,
    not_managed,
    team_closed,
    too_many_open,
)
from tablewright.systems.ladders.service.revisions import check_if_given
from tablewright.systems.ladders.service.settling import renewed, settled

#: Assessments that are written side by side.
_SIDE_BY_SIDE: Final = 16
#: Plans that may be half-way.
_UNFINISHED: Final[tuple[PlanStatus, ...]] = ("draft", "active")
#: An activation that is older was left by who began it.
_ABANDONED: Final = timedelta(seconds=30)


class Activating(Looking):
    """From a draft to a review that is under way."""

    async def activate(
        self,
        by: Caller,
        plan_id: str,
        said: Precondition = UNSAID,
        *,
        after_end: bool = False,
    ) -> PlanView:
        """Begin a review with those who are in the team now, on its first day or later.

        After its last day only if ``after_end`` says so. First one transaction: the draft at the
        revision that was read gets the roster; the team, active, managed, with exactly these
        members and room for a plan, gets the plan; its ladder exists. Then each assessment, if it
        is not there. Then one transaction: the plan is active, if it was on its way; the audit
        entry; the message to the manager. Then the messages to members, and one write that says
        that this is done. What is active already stays as it is. The answer has the messages that
        were queued.
        """

        async def think() -> Op[object] | None:
            found = await self.found(by, plan_id, "run_plan")
            if found.plan.status not in ("draft", "active"):
                raise bad_state(found.plan.status)
            if found.plan.status == "active" or found.plan.activation is not None:
                return None
            check_if_given(said, found.plan.revision)
            _check_ready(found.team)
            self._check_dates(found.plan, after_end=after_end)
            begun = Activation(by=by.user_id, at=self._company.now())
            return reviewing.begin_activation(found.plan, found.team, begun)

        await renewed(self._company.db, think, when=refused)
        queued = await self._resumed(plan_id)
        return replace(await self.read(by, plan_id), messages=tuple(queued or ()))

    async def resume(self, plan_id: str) -> bool:
        """Go on with a plan that is half-way; whether it was, and is not any more."""
        return await self._resumed(plan_id) is not None

    async def resume_abandoned(self) -> list[str]:
        """Go on with what others have left half-way; which plans are not so any more. [P5]"""
        left = self._company.now() - _ABANDONED
        found = [
            each.plan_id
            for status in _UNFINISHED
            async for each in self._company.db.iterate(reads.unfinished_activations(status))
            if each.activation is not None and each.activation.at <= left
        ]
        done = await in_turn(found, self.resume, lambda each: f"the activation of plan {each}")
        return [plan_id for plan_id, ended in zip(found, done, strict=True) if ended]

    # --- inside ----------------------------------------------------------------------------------

    def _check_dates(self, plan: Plan, *, after_end: bool) -> None:
        now, zone = self._company.now(), self._company.options.zone
        if now < plan.start_date:
            raise not_begun(plan.start_date, zone)
        if now > plan.end_date and not after_end:
            raise already_ended(plan.end_date, zone)

    async def _resumed(self, plan_id: str) -> list[Put[OutboxEntry]] | None:
        """Go on with an activation; return what was queued, or None if there was nothing to do."""
        plan = await self._company.db.run(reads.plan(plan_id))
        if plan is None or plan.activation is None or plan.status not in _UNFINISHED:
            return None
        queued: list[Put[OutboxEntry]] = []
        if plan.status == "draft":
            await self._make_assessments(plan, plan.activation)
            to_manager = await self._open(plan, plan.activation)
            if to_manager is None:
                return None
            queued.append(to_manager)
        queued += await self._notify(plan, plan.activation)
        return queued

    async def _notify(self, plan: Plan, begun: Activation) -> list[Put[OutboxEntry]]:
        """Queue a message to each member who was not notified yet, and end the activation."""
        company = self._company
        letters = {
            each: company.messages.your_review(plan, each) for each in sorted(plan.member_ids)
        }
        opened = Reminder("opened", begun.at, plan.end_date)
        notified = await company.reminders.send_once(plan, opened, letters, begun.by)
        with suppress(ConditionFailed):  # somebody else has gone on with it, too
            await settled(company.db, reviewing.end_activation(plan, company.now()))
        return [letters[each] for each in notified]

    async def _make_assessments(self, plan: Plan, begun: Activation) -> None:
        team = await self._company.db.require(reads.team(plan.team_id))
        ladder = await self._company.configs.ladder(plan)
        manager = team.manager_id or begun.by
        made = (
            new_assessment(plan, ladder, member, kind, manager, begun)
            for member in sorted(plan.member_ids)
            for kind in ids.ASSESSMENT_KINDS
        )
        await at_most(_SIDE_BY_SIDE, (self._make(each) for each in made))

    async def _make(self, assessment: Assessment) -> None:
        """One put, on condition that it is not there; else it is done."""
        try:
            await settled(self._company.db, reviewing.start_assessment(assessment))
        except AlreadyExists:
            return

    async def _open(self, plan: Plan, begun: Activation) -> Put[OutboxEntry] | None:
        """Open the plan; return the message to the manager, or None if somebody was quicker."""
        company = self._company
        to_manager = company.messages.opened(plan)
        op = reviewing.finish_activation(plan, company.now())
        noted = company.auditing.noted(
            UserActor(begun.by, "user"),
            "plan.activate",
            f"plan/{plan.plan_id}",
            members=len(plan.member_ids),
        )
        try:
            await settled(company.db, together(op, noted, to_manager))
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            # Somebody else has gone on with it, too, and was quicker.
            return None
        return to_manager


def _check_ready(team: Team) -> None:
    if not team.is_active:
        raise team_closed()
    if team.manager_id is None:
        raise not_managed()
    if not team.member_ids:
        raise nobody_there()
    if len(team.open_plan_ids) >= MAX_OPEN_PLANS:
        raise too_many_open()


def new_assessment(
    plan: Plan,
    ladder: Ladder,
    member: str,
    kind: AssessmentType,
    manager: str,
    begun: Activation,
) -> Assessment:
    """An assessment that nobody has begun, with all the maps that changes need."""
    inside = {each.name: [one.name for one in each.competencies] for each in ladder.categories}
    return Assessment(
        plan_id=plan.plan_id,
        team_member_id=member,
        assessment_type=kind,
        team_id=plan.team_id,
        assessor_id=member if kind == "self" else manager,
        selections={name: {} for name in inside},
        feedback={name: {each: {} for each in found} for name, found in inside.items()},
        total=sum(map(len, inside.values())),
        created_by=begun.by,
        created_at=begun.at,
        updated_at=begun.at,
    )
