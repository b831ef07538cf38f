"""The organiser's own score instead, with a reason."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.model import Op, Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, refused_at
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import Problem, conflict
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import writes
from tablewright.systems.vibejudge.bodies.judges import OverrideIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import Override
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.latest import (
    check_scores_open,
    on_latest,
    released,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Overrides:
    """What organisers decide themselves."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def of(self, caller: Caller, hack_id: str, sub_id: str) -> list[Override]:
        """All that was ever decided, the latest first."""
        await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        return [each async for each in self._courtroom.db.iterate(patterns.overrides(sub_id))]

    async def set(self, caller: Caller, hack_id: str, sub_id: str, body: OverrideIn) -> Override:
        """Another score counts; an earlier override is revoked with that. [T10]

        One transaction: the override, new; the submission, on condition that it is the latest and
        is ranked; its summary; the earlier override, on condition that nobody has revoked it; the
        hackathon, on condition that scores are not final; and the audit entry.
        """
        now = self._courtroom.now()
        decided: list[Override] = []

        async def overridden() -> Op[tuple[object, ...]]:
            submission = await self._ranked(caller, hack_id, sub_id)
            made = _override(submission, body, now)
            decided[:] = [made]
            op = patterns.override_score(
                made, submission, now, replaced=await self._current(submission)
            )
            detail = {"score": str(made.score), "reason": made.reason}
            noted = self._noted(caller, "override.set", submission, detail)
            return together(op, writes.check_scores_open(hack_id), noted)

        await self._settled(overridden)
        self._courtroom.standings.changed(hack_id)
        return decided[0]

    async def revoke(self, caller: Caller, hack_id: str, sub_id: str) -> Override:
        """The score of agents and judges counts again. [T10]

        One transaction: the override, on condition that nobody has revoked it; the submission, on
        condition that it is the latest; its summary, on condition that it names the override; the
        hackathon, on condition that scores are not final; and the audit entry.
        """
        now = self._courtroom.now()
        revoked: list[Override] = []

        async def freed() -> Op[tuple[object, ...]]:
            hackathon, submission = await self._courtroom.submissions.owned(caller, hack_id, sub_id)
            check_scores_open(hackathon)
            current = await self._current(submission)
            if current is None:
                raise conflict("NOT_OVERRIDDEN", "There is no override to revoke.")
            revoked[:] = [current]
            op = patterns.revoke_override(current, submission, now)
            noted = self._noted(caller, "override.revoke", submission, {})
            return together(op, writes.check_scores_open(hack_id), noted)

        await self._settled(freed)
        self._courtroom.standings.changed(hack_id)
        return await self._courtroom.db.require(patterns.override(sub_id, revoked[0].override_id))

    async def _ranked(self, caller: Caller, hack_id: str, sub_id: str) -> Submission:
        hackathon, submission = await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        check_scores_open(hackathon)
        if submission.rank_score is None:
            raise _not_ranked()
        return submission

    async def _current(self, submission: Submission) -> Override | None:
        if submission.override_id is None:
            return None
        key = (submission.sub_id, submission.override_id)
        return await self._courtroom.db.run(patterns.override(*key))

    async def _settled(self, make_op: object) -> None:
        try:
            await on_latest(self._courtroom.db, make_op)  # type: ignore[arg-type]
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, HackathonDetail):
                raise released() from None
            if refused(cancelled):
                raise _not_ranked() from None
            raise

    def _noted(
        self, caller: Caller, action: str, submission: Submission, detail: dict[str, str]
    ) -> Put[AuditEntry]:
        subject = f"hackathon/{submission.hack_id}/submission/{submission.sub_id}"
        now = self._courtroom.now()
        return audit.record(caller.principal, action, subject, at=now, detail=detail)


def _override(submission: Submission, body: OverrideIn, now: datetime) -> Override:
    return Override(
        sub_id=submission.sub_id,
        hack_id=submission.hack_id,
        score=body.score,
        reason=body.reason,
        created_at=now,
        updated_at=now,
    )


def _not_ranked() -> Problem:
    return conflict(
        "NOT_RANKED", "Only a submission that has a score and takes part can be given another one."
    )
