"""Growth actions: what somebody is to do until when, agreed on with their manager."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from tablewright.model import Op, together
from tablewright.service.conflicts import refused
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.ladders import reads, reporting
from tablewright.systems.ladders.bodies.growth import ActionChange, ActionIn
from tablewright.systems.ladders.entities import Report
from tablewright.systems.ladders.fields import GrowthAction
from tablewright.systems.ladders.reporting import MAX_ACTIONS
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.reports.looking import FoundReport
from tablewright.systems.ladders.service.revisions import check_if_given
from tablewright.systems.ladders.service.settling import renewed

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class ChangedAction:
    """An action as it is, and the report that it stands in."""

    action_id: str
    action: GrowthAction
    report: Report


class Actions:
    """Growth actions; by the member and the manager, while the report is released."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def add_action(self, by: Caller, report_id: str, body: ActionIn) -> ChangedAction:
        """Another one.

        One transaction: the report, released, with room for it, and at the revision that was read;
        the member, who was not erased; the audit entry. If somebody else adds one meanwhile, it is
        thought over again.
        """
        action_id = str(uuid4())
        action = GrowthAction(title=body.title, due_at=body.due_at, note=body.note)

        def added(found: FoundReport) -> Op[object] | None:
            report = found.report
            if action_id in report.actions:
                return None  # it was written, and the answer was lost
            if len(report.actions) >= MAX_ACTIONS:
                raise too_many()
            return self._saved(found, action_id, action)

        report = await self._changed(by, report_id, "add", action_id, added)
        return ChangedAction(action_id, report.actions[action_id], report)

    async def change_action(
        self,
        by: Caller,
        report_id: str,
        action_id: str,
        body: ActionChange,
        said: Precondition = UNSAID,
    ) -> ChangedAction:
        """Another title, day, state or note; what is left out stays.

        One transaction: the report, released and at the revision that was read; the member, who was
        not erased; the audit entry.
        """

        def changed(found: FoundReport) -> Op[object] | None:
            report = found.report
            before = _known(report, action_id)
            after = before.model_copy(update=body.model_dump(exclude_none=True))
            if after == before:
                return None
            check_if_given(said, report.revision)
            return self._saved(found, action_id, after)

        report = await self._changed(by, report_id, "change", action_id, changed)
        return ChangedAction(action_id, report.actions[action_id], report)

    async def drop_action(
        self, by: Caller, report_id: str, action_id: str, said: Precondition = UNSAID
    ) -> Report:
        """One that was a mistake; one that is given up gets the state ``dropped`` instead.

        One transaction: the report, released and at the revision that was read; the audit entry.
        """

        def dropped(found: FoundReport) -> Op[object]:
            report = found.report
            _known(report, action_id)
            check_if_given(said, report.revision)
            op = reporting.drop_action(report, action_id, self._company.now())
            return together(op, *found.checks("change_actions"))

        return await self._changed(by, report_id, "drop", action_id, dropped)

    # --- inside ----------------------------------------------------------------------------------

    def _saved(self, found: FoundReport, action_id: str, action: GrowthAction) -> Op[object]:
        oversight = found.relation.needed_oversight("change_actions", found.facts)
        now = self._company.now()
        return reporting.save_action(found.report, action_id, action, now, oversight)

    async def _changed(
        self,
        by: Caller,
        report_id: str,
        verb: str,
        action_id: str,
        change: Callable[[FoundReport], Op[object] | None],
    ) -> Report:
        company = self._company

        async def think() -> Op[object] | None:
            found = await company.reports.found(by, report_id, "change_actions")
            member = await company.db.run(reads.user(found.report.team_member_id))
            if member is None or member.email is None:
                raise erased()
            op = change(found)
            if op is None:
                return None
            subject = f"report/{report_id}"
            noted = company.auditing.noted(
                by, f"report.action.{verb}", subject, action_id=action_id
            )
            return together(op, noted)

        await renewed(company.db, think, when=refused)
        # What was done is answered, even if the right to do it has ended since.
        return await company.db.require(reads.report(report_id))


def _known(report: Report, action_id: str) -> GrowthAction:
    found = report.actions.get(action_id)
    if found is None:
        raise not_found("growth action")
    return found


def erased() -> Problem:
    return conflict("USER_ERASED", "The member was erased: nothing more is written about them.")


def too_many() -> Problem:
    return conflict("TOO_MANY", f"A report has at most {MAX_ACTIONS} growth actions.")
