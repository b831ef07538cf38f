"""Reports reach those whom they are about: released, perhaps withdrawn, acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tablewright.model import Op, Put, together
from tablewright.service.conflicts import refused
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import reads, reporting
from tablewright.systems.ladders.entities import Report
from tablewright.systems.ladders.fields import ReportStatus
from tablewright.systems.ladders.service.assessments.refusals import (
    already_acknowledged,
    bad_state,
)
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.reports.looking import FoundReport, Looking
from tablewright.systems.ladders.service.revisions import check_if_given
from tablewright.systems.ladders.service.settling import renewed


class Sharing(Looking):
    """Releasing, withdrawing, acknowledging."""

    async def release(self, by: Caller, report_id: str, said: Precondition = UNSAID) -> FoundReport:
        """The member may read it; they are told.

        One transaction: the report, generated and at the revision that was read; the audit entry;
        the message. One that is released is answered as it is.
        """

        def released(found: FoundReport) -> Op[Report]:
            return reporting.release_report(found.report, self._company.now())

        return await self._turned(
            by,
            report_id,
            said,
            released,
            action="release",
            before="generated",
            done=("released", "acknowledged"),
        )

    async def withdraw(
        self, by: Caller, report_id: str, said: Precondition = UNSAID
    ) -> FoundReport:
        """The member may not read it any more, unless they have acknowledged it.

        One transaction: the report, released and at the revision that was read; the audit entry.
        One that is not released is answered as it is.
        """

        def withdrawn(found: FoundReport) -> Op[Report]:
            return reporting.withdraw_report(found.report, self._company.now())

        return await self._turned(
            by,
            report_id,
            said,
            withdrawn,
            action="withdraw",
            right="release_report",
            before="released",
            done=("generated",),
        )

    async def acknowledge(
        self, by: Caller, report_id: str, comment: str | None, said: Precondition = UNSAID
    ) -> FoundReport:
        """The member has read it; the manager is told.

        One transaction: the report, released and at the revision that was read; the audit entry;
        the message. One that is acknowledged already is answered as it is; a problem 409 if there
        is another comment, which would be lost.
        """

        def acknowledged(found: FoundReport) -> Op[Report]:
            return reporting.acknowledge_report(found.report, comment, self._company.now())

        found = await self._turned(
            by,
            report_id,
            said,
            acknowledged,
            action="acknowledge",
            before="released",
            done=("acknowledged",),
        )
        if comment and found.report.ack_comment != comment:
            raise already_acknowledged()
        return found

    # --- inside ----------------------------------------------------------------------------------

    async def _turned(
        self,
        by: Caller,
        report_id: str,
        said: Precondition,
        turn: Callable[[FoundReport], Op[Report]],
        *,
        action: str,
        before: ReportStatus,
        done: tuple[ReportStatus, ...],
        right: str | None = None,
    ) -> FoundReport:
        allowed = right or f"{action}_report"

        last: list[FoundReport] = []

        async def think() -> Op[object] | None:
            found = await self.found(by, report_id, allowed)
            last.append(found)
            status = found.report.status
            if status in done:
                return None
            if status != before:
                raise bad_state(_WHY[status])
            check_if_given(said, found.report.revision)
            noted = self._company.auditing.noted(by, f"report.{action}", f"report/{report_id}")
            told = self._told(action, found)
            return together(turn(found), noted, *told, *found.checks(allowed))

        await renewed(self._company.db, think, when=refused)
        # What was done is answered, even if the right to do it has ended since.
        report = await self._company.db.require(reads.report(report_id))
        return replace(last[-1], report=report)

    def _told(self, action: str, found: FoundReport) -> tuple[Put[OutboxEntry], ...]:
        messages = self._company.messages
        if action == "release":
            return (messages.report_released(found.plan, found.report),)
        if action == "acknowledge":
            return (messages.report_acknowledged(found.plan, found.report),)
        return ()


_WHY: dict[ReportStatus, str] = {
    "generated": "It is not released.",
    "released": "It is released.",
    "acknowledged": "The member has acknowledged it: it stays as it is.",
    "stale": "One of its assessments was reopened: it has to be made anew.",
}
