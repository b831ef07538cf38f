"""Forgetting somebody.

The mark that says so comes last: as long as anything was left, by a crash in the middle, the user
is only inactive, and erasing them again goes on. First they are kept out and taken out of open
plans, so that nobody writes about them any more; then the texts go, wherever an index knows of
them, until it knows of none; then name, address and sign-ins.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import outdated, refused
from tablewright.systems.ladders import people as writes
from tablewright.systems.ladders import reads, reporting, reviewing
from tablewright.systems.ladders.entities import Assessment, Report, User
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.people.users import Users, actor_of
from tablewright.systems.ladders.service.settling import in_the_way, settled

#: Passes over the texts of one user: each finds what was written during the one before.
_MOST_PASSES = 20


class Erasing(Users):
    """Forgetting somebody."""

    async def erase(self, by: Caller, user_id: str) -> User:
        """Make a user nobody, and drop what was written about them; levels stay.

        Several writes, each of which may be the last before a crash, since a repetition goes on:
        deactivating; withdrawing from each active plan; each assessment and report at the revision
        that was read; and one transaction of the user at the revision that was read, managing
        nothing, the lock, the links, and the audit entry. From then on nothing is written about
        them; what was a moment before goes now.
        """
        by.require("end_user", what="user")
        user = await self._ending(by, user_id)
        if user.email is not None:
            await self.deactivate(by, user_id)
        await self._withdraw(by, user_id)
        await self._drop_texts(user_id)
        await self._renewed(lambda: self._forgetting(by, user_id))
        await self._drop_texts(user_id)
        return await self._found(user_id)

    # --- inside ----------------------------------------------------------------------------------

    async def _forgetting(self, by: Caller, user_id: str) -> Op[object] | None:
        user = await self._ending(by, user_id)
        if user.email is None:
            return None
        op = writes.erase_user(user, self._company.now(), actor_of(by))
        return self._noted(by, op, "user.erase", user)

    async def _withdraw(self, by: Caller, user_id: str) -> None:
        begun = await self._opened(user_id)
        lines = await self._assessments(user_id)
        open_now = {each.plan_id for each in lines if each.withdrawn_at is None}
        for plan_id in sorted(begun | open_now):
            plan = await self._company.db.run(reads.plan(plan_id))
            if plan is None or plan.status != "active" or user_id not in plan.member_ids:
                continue
            op = reviewing.withdraw_member(plan, user_id, self._company.now())
            noted = self._company.auditing.noted(
                by, "plan.withdraw", f"plan/{plan_id}", member=user_id
            )
            try:
                await settled(self._company.db, together(op, noted))
            except TransactionCancelled as cancelled:
                # Completed, or withdrawn, by somebody else in between: either will do.
                if not refused(cancelled):
                    raise

    async def _opened(self, user_id: str) -> set[str]:
        """Plans that were on their way to being active with them: nobody leaves one before."""
        unfinished = self._company.db.iterate(reads.unfinished_activations("draft"))
        found = {each.plan_id async for each in unfinished if user_id in each.member_ids}
        for plan_id in sorted(found):
            await self._company.plans.resume(plan_id)
        return found

    async def _drop_texts(self, user_id: str) -> None:
        for _ in range(_MOST_PASSES):
            if not await self._dropped(user_id):
                return
        raise in_the_way()

    async def _dropped(self, user_id: str) -> bool:
        """Whether there was anything to drop."""
        db, now = self._company.db, self._company.now()
        lines = await self._assessments(user_id)
        found = await db.run(reads.assessments([each.assessment_id for each in lines]))
        told: list[Op[object]] = [
            reviewing.erase_texts(each, now)
            for each in found
            if each is not None and _is_left(each)
        ]
        async for line in db.iterate(reads.reports_of_user(user_id)):
            report = await db.run(reads.report(line.report_id))
            if report is not None and _report_has_texts(report):
                told.append(reporting.erase_report_texts(report, now))
        await self._all(told)
        return bool(told)

    async def _all(self, ops: Iterable[Op[object]]) -> None:
        for op in ops:
            try:
                await self._company.db.run(op)
            except ConditionFailed as error:
                if not outdated(error):  # the next pass reads it again
                    raise

    async def _assessments(self, user_id: str) -> list[reads.AssessmentLine]:
        op = reads.assessments_of_user(user_id)
        return [each async for each in self._company.db.iterate(op)]


def _is_left(assessment: Assessment) -> bool:
    """Whether it has texts, or may get some: it is withdrawn with them, if its plan is over too."""
    said = any(levels for category in assessment.feedback.values() for levels in category.values())
    texts = (assessment.way_forward, assessment.overall_reason)
    more = any(each is not None for each in texts) or bool(assessment.reopens)
    return said or more or assessment.withdrawn_at is None


def _report_has_texts(report: Report) -> bool:
    texts = (report.way_forward, report.override_reason, report.ack_comment)
    return bool(report.actions) or any(each is not None for each in texts)
