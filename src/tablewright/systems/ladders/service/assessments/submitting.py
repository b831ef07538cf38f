"""The end of the work on an assessment, and going on with it after all."""

from __future__ import annotations

from tablewright.model import Op, together
from tablewright.service.conflicts import refused
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import reads, reviewing
from tablewright.systems.ladders.entities import Assessment
from tablewright.systems.ladders.fields import Reopening
from tablewright.systems.ladders.oversight import oversight_checks
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.rules.evidence import missing, needs_reason
from tablewright.systems.ladders.service.assessments.looking import FoundAssessment, Looking
from tablewright.systems.ladders.service.assessments.refusals import (
    bad_state,
    lacking,
    plan_not_active,
    withdrawn,
)
from tablewright.systems.ladders.service.callers import Caller, check
from tablewright.systems.ladders.service.revisions import check_if_given
from tablewright.systems.ladders.service.settling import renewed

_MOST_REOPENS = 20


class Submitting(Looking):
    """Submitting and reopening."""

    async def submit(
        self, by: Caller, assessment_id: str, said: Precondition = UNSAID
    ) -> Assessment:
        """Done, by its assessor; later than the end of the plan, it is late.

        One transaction: the assessment, in progress and at the revision that was read; the plan,
        which is active; that whoever submits a manager's assessment still is the manager of the
        person; the audit entry. What is submitted already is answered as it is.
        """

        async def think() -> Op[object] | None:
            found = await self._found(by, assessment_id)
            found.require("submit")
            if found.assessment.status == "submitted":
                return None
            _check_under_way(found)
            check_if_given(said, found.assessment.revision)
            return await self._submission(by, found)

        await renewed(self._company.db, think, when=refused)
        # What was done is answered, even if the right to do it has ended since.
        return await self._company.db.require(reads.assessment(assessment_id))

    async def _submission(self, by: Caller, found: FoundAssessment) -> Op[object]:
        now, ladder = self._company.now(), await self._company.configs.ladder(found.plan)
        mine = found.assessment.model_copy(update={"assessor_id": by.user_id})
        lacks = missing(mine, ladder, found.plan.require_all)
        level = scores.current_level(mine)
        unexplained = needs_reason(mine)
        if lacks or level is None or unexplained:
            raise lacking(lacks, needs_reason=unexplained)
        late = now > found.plan.end_date
        noted = self._company.auditing.noted(
            by,
            "assessment.submit",
            _subject(mine),
            plan_id=mine.plan_id,
            late=late,
            overall_level_set_by_hand=scores.is_overridden(mine),
        )
        as_manager = self._needed_oversight(found, f"submit_{mine.assessment_type}_assessment")
        op = reviewing.submit_assessment(mine, level, late, now, as_manager)
        return together(op, noted)

    async def reopen(
        self, by: Caller, assessment_id: str, reason: str, said: Precondition = UNSAID
    ) -> Assessment:
        """Its assessor goes on with it. Once the report is acknowledged, only an admin decides so.

        One transaction: the assessment, submitted and at the revision that was read; the plan,
        which is active; the report at the revision that was read, which is stale then, or that
        there is none; that a manager still is the manager of the person; the audit entry, and a
        message to the assessor. What is open again already is
        answered as it is; what is in it now is its author's. The reason stands with the assessment,
        for who may read that.
        """

        async def think() -> Op[object] | None:
            found = await self._found(by, assessment_id, with_report=True)
            check("reopen_assessment", found.who, found.facts, what="assessment")
            before = found.assessment
            if before.status == "in_progress" and before.reopens:
                return None
            _check_under_way(found)
            check_if_given(said, before.revision)
            _check_reopens(before)
            return self._reopening(by, found, reason)

        await renewed(self._company.db, think, when=refused)
        return (await self._found(by, assessment_id, with_report=True)).shown

    def _reopening(self, by: Caller, found: FoundAssessment, reason: str) -> Op[object]:
        before = found.assessment
        again = Reopening(by=by.user_id, at=self._company.now(), reason=reason)
        op = reviewing.reopen_assessment(before, found.report, again)
        noted = self._company.auditing.noted(
            by, "assessment.reopen", _subject(before), plan_id=before.plan_id
        )
        told = self._company.messages.reopened(found.plan, before)
        as_manager = self._needed_oversight(found, "reopen_assessment")
        return together(op, noted, told, *oversight_checks(as_manager))


def _check_under_way(found: FoundAssessment) -> None:
    if found.assessment.withdrawn_at is not None:
        raise withdrawn()
    if found.plan.status != "active":
        raise plan_not_active()


def _check_reopens(before: Assessment) -> None:
    if before.status != "submitted":
        raise bad_state("Only what is submitted can be reopened.")
    if len(before.reopens or ()) >= _MOST_REOPENS:
        raise bad_state(f"It was reopened {_MOST_REOPENS} times, which is as often as it goes.")


def _subject(assessment: Assessment) -> str:
    return f"assessment/{assessment.assessment_id}"
