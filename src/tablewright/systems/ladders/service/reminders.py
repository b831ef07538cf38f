"""Reminders: when they are due, or when somebody asks; nobody twice of the same.

Who was told is kept beside the plan, and is written with the messages in one transaction. So it
does not matter how often the worker runs, whether two run at the same time, whether one dies on the
way, or how long the mail server is away: a message that was written is sent, and no other is
written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from tablewright.model import Op, Put, together
from tablewright.service.conflicts import refused
from tablewright.service.in_turn import in_turn
from tablewright.service.kit.entities import OutboxEntry
from tablewright.systems.ladders import ids, reads, reminding
from tablewright.systems.ladders.entities import Plan, Team
from tablewright.systems.ladders.fields import PlanStatus, ReportStatus
from tablewright.systems.ladders.reminding import Reminded
from tablewright.systems.ladders.rules import reminders
from tablewright.systems.ladders.rules.reminders import BEFORE_ACTION, Reminder
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.members import managers_of_members
from tablewright.systems.ladders.service.plans.refusals import bad_state
from tablewright.systems.ladders.service.settling import renewed

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Messages of one transaction, beside the note of who was told.
TOGETHER: Final = 50
#: A growth action outlives the review that it came from.
_WITH_ACTIONS: Final[tuple[PlanStatus, ...]] = ("active", "completed", "archived")
#: What the member may read.
_SHARED: Final[tuple[ReportStatus, ...]] = ("released", "acknowledged")
_WORKER: Final = ids.operator_id("ladders/reminders")

#: By user.
Letters: TypeAlias = Mapping[str, Put[OutboxEntry]]


@dataclass(frozen=True)
class Reminding:
    """What came of asking."""

    #: How many were told now.
    told: int
    #: How many have something open, told today or now.
    open: int


class Reminders:
    """Reminders: due ones, and those that somebody asks for."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def ask(
        self, by: Caller, plan_id: str, user_ids: Sequence[str] | None = None
    ) -> Reminding:
        """Ask those who have not submitted, or only some of them; each once a day.

        Transactions of some messages each, with the note of who was told, at the revision that was
        read.
        """
        found = await self._company.plans.found(by, plan_id, "remind")
        plan = found.plan
        if plan.status != "active":
            raise bad_state(plan.status)
        reminder = reminders.asked(plan.end_date, self._company.now())
        letters = await self._letters(plan, found.team, reminder)
        wanted = {
            each: letter for each, letter in letters.items() if user_ids is None or each in user_ids
        }
        told = await self.send_once(plan, reminder, wanted, by.user_id)
        return Reminding(len(told), len(wanted))

    async def send_due(self) -> int:
        """All reminders that are due and were not sent; how many."""
        return await self._of_reviews() + await self._of_actions()

    # --- reviews ---------------------------------------------------------------------------------

    async def _of_reviews(self) -> int:
        now = self._company.now()
        found = [
            each.plan_id
            async for each in self._company.db.iterate(reads.plans_by_status("active"))
            if reminders.of_plan(each.end_date, now) is not None
        ]
        told = await in_turn(found, self._of_review, lambda each: f"reminding plan {each}")
        return sum(told)

    async def _of_review(self, plan_id: str) -> int:
        """Read anew: the list may be behind, and a review that has ended is nobody's task."""
        plan = await self._company.db.run(reads.plan(plan_id))
        if plan is None or plan.status != "active":
            return 0
        reminder = reminders.of_plan(plan.end_date, self._company.now())
        if reminder is None:
            return 0
        team = await self._company.db.run(reads.team(plan.team_id))
        if team is None:
            return 0
        letters = await self._letters(plan, team, reminder)
        return len(await self.send_once(plan, reminder, letters))

    async def _letters(self, plan: Plan, team: Team, reminder: Reminder) -> Letters:
        """A message for each member who is not done, and one for each manager about theirs.

        Whoever has moved to another team is assessed by the manager there.
        """
        messages = self._company.messages
        others: list[str] = []
        letters: dict[str, Put[OutboxEntry]] = {}
        async for line in self._company.db.iterate(reads.board(plan.plan_id)):
            member = line.team_member_id
            taking_part = member in plan.member_ids and line.withdrawn_at is None
            if line.status == "submitted" or not taking_part:
                continue
            if line.assessment_type == "manager":
                others.append(member)
            else:
                letters[member] = messages.review_reminder(plan, reminder, member, own=True)
        managers = await managers_of_members(self._company, team, others)
        for manager, count in Counter(filter(None, managers.values())).items():
            told = messages.review_reminder(plan, reminder, manager, own=False, others=count)
            letters[manager] = told
        return letters

    # --- growth actions --------------------------------------------------------------------------

    async def _of_actions(self) -> int:
        plans = [
            each
            for status in _WITH_ACTIONS
            async for each in self._company.db.iterate(reads.plans_by_status(status))
        ]
        told = await in_turn(
            plans, self._of_plan, lambda each: f"reminding of actions of plan {each.plan_id}"
        )
        return sum(told)

    async def _of_plan(self, plan: Plan) -> int:
        """Those whose report has an action that is due soon. [R5]"""
        before = self._company.now() + BEFORE_ACTION
        lines = self._company.db.iterate(reads.due_actions(plan.plan_id, before))
        found = [each.report_id async for each in lines if each.status in _SHARED]
        return sum([await self._of_report(plan, each) for each in found])

    async def _of_report(self, plan: Plan, report_id: str) -> int:
        report = await self._company.db.run(reads.report(report_id))
        if report is None or report.status not in _SHARED:
            return 0
        told = 0
        for reminder in reminders.of_actions(report.actions, self._company.now()):
            letter = self._company.messages.action_reminder(plan, reminder, report)
            told += len(await self.send_once(plan, reminder, {report.team_member_id: letter}))
        return told

    # --- once ------------------------------------------------------------------------------------

    async def send_once(
        self, plan: Plan, reminder: Reminder, letters: Letters, by: str = _WORKER
    ) -> list[str]:
        """Queue those of the messages that were not queued before; return whom they are for.

        Transactions of some messages, each with the note of who was notified at the revision that
        was read, or new.
        """
        notified: list[str] = []
        waiting = iter(sorted(letters))
        while some := list(islice(waiting, TOGETHER)):
            batch = {each: letters[each] for each in some}
            notified += await self._send_batch(plan, reminder, batch, by)
        return notified

    async def _send_batch(
        self, plan: Plan, reminder: Reminder, letters: Letters, by: str
    ) -> list[str]:
        left: list[str] = []

        async def think() -> Op[object] | None:
            noted = await self._noted(plan, reminder, by)
            left[:] = [each for each in letters if each not in noted.user_ids]
            if not left:
                return None
            now = self._company.now()
            more = {"user_ids": {*noted.user_ids, *left}, "updated_at": now}
            op = reminding.note_reminded(noted.model_copy(update=more))
            return together(op, *(letters[each] for each in left))

        await renewed(self._company.db, think, when=refused)
        return left

    async def _noted(self, plan: Plan, reminder: Reminder, by: str) -> Reminded:
        """Who was told, as it is now; nobody, if nothing is noted."""
        found = await self._company.db.run(
            reminding.reminded(plan.plan_id, reminder.kind, reminder.day)
        )
        if found is not None:
            return found
        now = self._company.now()
        return Reminded(
            about_plan_id=plan.plan_id,
            kind=reminder.kind,
            day=reminder.day,
            created_by=by,
            created_at=now,
            updated_at=now,
        )
