"""Making reports: when both assessments are in, by whoever comes first.

A report that is there is up to date, unless it is stale: what it rests on cannot be changed without
making it so. Hence it is made if there is none, or if it is stale, and else left as it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tablewright.model import Op, together
from tablewright.model.errors import DataError
from tablewright.service.auth.principal import system_principal
from tablewright.service.conflicts import refused
from tablewright.service.kit.audit import Actor
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.ladders import ids, reads, reporting
from tablewright.systems.ladders.entities import Assessment, Plan, Report
from tablewright.systems.ladders.fields import PlanStatus
from tablewright.systems.ladders.oversight import Oversight, oversight_checks
from tablewright.systems.ladders.rules.report_making import is_ready, made
from tablewright.systems.ladders.service.callers import Caller, check
from tablewright.systems.ladders.service.members import relation_to
from tablewright.systems.ladders.service.reports.looking import FoundReport, Looking
from tablewright.systems.ladders.service.settling import renewed

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

log = logging.getLogger("tablewright.ladders")

_BUILDER: Final = system_principal("ladders", "report-builder")
_MEMBER: Final = "member of this plan"
_SEEN: Final[tuple[PlanStatus, ...]] = ("active", "completed")


class Building(Looking):
    """Making reports."""

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self._unhindered = asyncio.Event()
        self._unhindered.set()

    @contextmanager
    def by_hand(self) -> Iterator[None]:
        """As long as this is open, this process makes none by itself: somebody else does."""
        self._unhindered.clear()
        try:
            yield
        finally:
            self._unhindered.set()

    async def build(self, by: Caller, plan_id: str, member_id: str) -> FoundReport:
        """The report of a member, for who manages the team; 409 until both sides are submitted.

        One transaction: the report, new or at the revision that was read; both assessments,
        submitted and at the revisions that it is made from; that a manager still is the manager of
        the member; the audit entry, and a message to the manager. One that is there and not stale
        is answered as it is.
        """
        known = ids.is_uuid(plan_id) and ids.is_uuid(member_id)
        plan = await self._company.db.run(reads.plan(plan_id)) if known else None
        # It is about somebody only where they take part: nobody finds plans by their own id.
        if plan is None or await self._pair(plan_id, member_id) is None:
            raise not_found(_MEMBER)
        team = await self._company.db.run(reads.team(plan.team_id))
        if team is None:
            raise not_found(_MEMBER)
        relation = await relation_to(self._company, by, team, member_id)
        check("build_report", relation.who, what=_MEMBER)
        needed = relation.needed_oversight("build_report")
        await self._build(plan, member_id, by, by.user_id, needed)
        report_id = ids.report_id(plan_id, member_id)
        report = await self._company.db.require(reads.report(report_id))
        return FoundReport(report, plan, team, relation.who, relation)

    async def build_ready(self, plan_id: str, member_id: str) -> bool:
        """The same by the system itself; whether there is a report that is up to date now."""
        await self._unhindered.wait()
        plan = await self._company.db.run(reads.plan(plan_id))
        if plan is None:
            return False
        try:
            await self._build(plan, member_id, _BUILDER, None)
        except Problem as problem:
            if problem.code in ("NOT_SUBMITTED", "NOT_FOUND"):
                return False
            raise
        except DataError as error:
            # Trying again would not help, and others wait behind it.
            kind = type(error).__name__
            log.error("no report of member %s in plan %s: %s", member_id, plan_id, kind)
            return False
        return True

    async def catch_up(self) -> int:
        """Whatever should be there and is not, for when changes were missed; how many."""
        found = 0
        for status in _SEEN:
            async for plan in self._company.db.iterate(reads.plans_by_status(status)):
                async for member_id in self._waiting(plan.plan_id):
                    found += await self.build_ready(plan.plan_id, member_id)
        return found

    # --- inside ----------------------------------------------------------------------------------

    async def _build(
        self,
        plan: Plan,
        member_id: str,
        actor: Caller | Actor,
        maker: str | None,
        oversight: Oversight | None = None,
    ) -> None:
        """``maker`` made it; None: the manager did, by submitting."""

        async def think() -> Op[object] | None:
            pair, before = await asyncio.gather(
                self._pair(plan.plan_id, member_id),
                self._company.db.run(reads.report(ids.report_id(plan.plan_id, member_id))),
            )
            if pair is None or plan.status == "draft":
                raise not_found(_MEMBER)
            if before is not None and before.status != "stale":
                return None
            if not is_ready(*pair):
                raise _not_submitted()
            by = maker or pair[1].assessor_id
            op = await self._op(plan, pair, before, actor, by)
            return together(op, *oversight_checks(oversight))

        await renewed(self._company.db, think, when=refused)

    async def _op(
        self,
        plan: Plan,
        pair: tuple[Assessment, Assessment],
        before: Report | None,
        actor: Caller | Actor,
        by: str,
    ) -> Op[object]:
        ladder = await self._company.configs.ladder(plan)
        report = made(plan, ladder, *pair, before=before, by=by, at=self._company.now())
        noted = self._company.auditing.noted(
            actor, "report.build", f"report/{report.report_id}", again=before is not None
        )
        told = self._company.messages.report_ready(plan, report)
        return together(reporting.build_report(report), noted, told)

    async def _waiting(self, plan_id: str) -> AsyncIterator[str]:
        """Members of whom both assessments are in, and the report is missing or stale."""
        db = self._company.db
        done: dict[str, int] = {}
        async for each in db.iterate(reads.board(plan_id)):
            if each.status == "submitted" and each.withdrawn_at is None:
                done[each.team_member_id] = done.get(each.team_member_id, 0) + 1
        there = {
            each.team_member_id
            async for each in db.iterate(reads.reports_of_plan(plan_id))
            if each.status != "stale"
        }
        for member_id, sides in done.items():
            if sides == 2 and member_id not in there:
                yield member_id


def _not_submitted() -> Problem:
    detail = "Both assessments have to be submitted, by somebody who takes part."
    return conflict("NOT_SUBMITTED", detail)
