"""What people ask of jobs: start, look, cancel, resume."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tablewright.client import Page
from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.kit import audit
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.vibejudge import job_reads, job_writes, reads
from tablewright.systems.vibejudge.analysis import AnalysisJob, JobScope, Task
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.job_states import (
    FAILED,
    JobState,
    is_analysed,
    is_over,
    state_of,
)
from tablewright.systems.vibejudge.rules.phases import has_ended
from tablewright.systems.vibejudge.rules.spoken import titled
from tablewright.systems.vibejudge.service.jobs.comparing import Comparing
from tablewright.systems.vibejudge.service.jobs.ending import Ending
from tablewright.systems.vibejudge.service.jobs.filling import Filling
from tablewright.systems.vibejudge.service.jobs.sweeping import Sweeping

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.callers import Caller
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")


class Jobs:
    """Jobs: all submissions of a hackathon analysed, once at a time."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._filling = Filling(courtroom)
        self.comparing = Comparing(courtroom)
        self.ending = Ending(courtroom)
        self._sweeping = Sweeping(courtroom, self._filling, self.ending)
        self._under_way: set[asyncio.Task[None]] = set()

    # --- looking ---------------------------------------------------------------------------------

    async def of(
        self, caller: Caller, hack_id: str, limit: int = 20, cursor: str | None = None
    ) -> Page[AnalysisJob]:
        """The jobs of a hackathon, the latest first. [AP14]"""
        await self._courtroom.hackathons.owned(caller, hack_id)
        op = job_reads.jobs_of_hackathon(hack_id)
        return await self._courtroom.db.run(op, limit=limit, cursor=cursor)

    async def read(self, caller: Caller, hack_id: str, job_id: str) -> JobState:
        """One job, as it is now. [AP18]"""
        _, job = await self.owned(caller, hack_id, job_id)
        return state_of(job)

    async def tasks(
        self,
        caller: Caller,
        hack_id: str,
        job_id: str,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Task]:
        """The tasks of a job, in the order of their submissions. [AP19]"""
        await self.owned(caller, hack_id, job_id)
        return await self._courtroom.db.run(
            job_reads.tasks_of_job(job_id), limit=limit, cursor=cursor
        )

    async def owned(
        self, caller: Caller, hack_id: str, job_id: str
    ) -> tuple[HackathonDetail, AnalysisJob]:
        """A job of the caller's; a problem 404 if it is not theirs."""
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        found = (
            await self._courtroom.db.run(job_reads.job(hack_id, job_id)) if is_id(job_id) else None
        )
        if found is None:
            raise not_found("job")
        return hackathon, found

    # --- acting ----------------------------------------------------------------------------------

    async def start(
        self, caller: Caller, hack_id: str, *, scope: JobScope = "all", sub_id: str | None = None
    ) -> AnalysisJob:
        """Analyse all submissions, those that failed, or one. T5, with an entry in the audit log.

        One transaction: the job, the hackathon and its row in the list. Its conditions: the
        hackathon is configured or completed as it was read, its scores are not final, and it has no
        other job. Its tasks follow; if this process dies first, the sweeper sees to them.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        _check(hackathon)
        await self._check_scope(caller, hack_id, scope, sub_id)
        self._check_models(hackathon)
        now = self._courtroom.now()
        job = AnalysisJob(
            hack_id=hack_id,
            job_id=self._courtroom.runtime.ids(),
            scope=scope,
            sub_id=sub_id if scope == "one" else None,
            **_before(hackathon, now),
            created_at=now,
            updated_at=now,
        )
        op = job_writes.start_job(job, hackathon.org_id, now)
        await self._act(op, "job.start", job, caller, lambda: self._why_not(caller, hack_id))
        self._begin(self._fill(job))
        return job

    async def _check_scope(
        self, caller: Caller, hack_id: str, scope: JobScope, sub_id: str | None
    ) -> None:
        """Refuse a retry that has nothing to do."""
        if scope == "one":
            found = await self._courtroom.submissions.read(caller, hack_id, sub_id or "")
            if not is_analysed(found):
                raise conflict("WITHDRAWN", "The submission was withdrawn.")
        elif scope == "failed":
            listed = self._courtroom.db.iterate(reads.submissions(hack_id))
            if not [each async for each in listed if each.status in FAILED]:
                raise conflict("NOTHING_FAILED", "No submission has failed: nothing to retry.")

    async def resume(self, caller: Caller, hack_id: str, job_id: str) -> JobState:
        """A failed or cancelled job does the rest, with the same runs. T5, audited.

        One transaction, as for a start; its conditions: the job failed or was cancelled, and the
        hackathon is as it was read and has no other.
        """
        hackathon, job = await self.owned(caller, hack_id, job_id)
        if job.status not in ("failed", "cancelled"):
            raise _state(job)
        _check(hackathon)
        self._check_models(hackathon)
        now = self._courtroom.now()
        again = job.model_copy(update=_before(hackathon, now))
        op = job_writes.resume_job(again, hackathon.org_id, now)
        await self._act(op, "job.resume", job, caller, lambda: self._why_not(caller, hack_id))
        self._begin(self._fill(job))
        return await self.read(caller, hack_id, job_id)

    async def cancel(self, caller: Caller, hack_id: str, job_id: str) -> JobState:
        """Let a job end: what waits is cancelled, what is in work publishes nothing. Audited.

        One write asks for it, on condition that the job has not ended; to ask twice is to ask.
        """
        _, job = await self.owned(caller, hack_id, job_id)
        if is_over(job):
            raise _state(job)
        if job.cancel_asked_at is None:
            op = job_writes.ask_to_cancel(job, self._courtroom.now())
            await self._act(op, "job.cancel", job, caller, lambda: self._ended(caller, job))
        self._courtroom.analyst.stop_job(job.job_id)
        self._begin(self.ending.cancel_rest(job))
        return await self.read(caller, hack_id, job_id)

    async def _act(
        self,
        op: Op[Any],
        action: str,
        job: AnalysisJob,
        caller: Caller,
        why: Callable[[], Awaitable[Problem | None]],
    ) -> None:
        """A change of a job with its entry in the audit log; ``why`` says why it is refused."""
        subject = f"hackathon/{job.hack_id}"
        detail: Mapping[str, object] = {"job": job.job_id}
        now = self._courtroom.now()
        entry = audit.record(caller.principal, action, subject, at=now, detail=detail)
        try:
            await settled(self._courtroom.db, lambda: together(op, entry))
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            if (problem := await why()) is not None:
                raise problem from cancelled
        self._courtroom.watching.look(job.job_id)

    async def _why_not(self, caller: Caller, hack_id: str) -> Problem | None:
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        _check(hackathon)
        return conflict("JOB_STATE", "Somebody else has just changed it. Look at it again.")

    async def _ended(self, caller: Caller, job: AnalysisJob) -> Problem | None:
        _, found = await self.owned(caller, job.hack_id, job.job_id)
        return None if found.cancel_asked_at is not None else _state(found)

    def _check_models(self, hackathon: HackathonDetail) -> None:
        """Refuse to begin if models cannot be asked at all, or nobody knows what they cost."""
        if hackathon.agent_provider == "static":
            return
        self._courtroom.models.agents(hackathon)
        unknown = self._courtroom.models.unknown(hackathon)
        if unknown:
            detail = " ".join(f"{titled(agent)}: {why}" for agent, why in unknown.items())
            raise conflict("UNKNOWN_MODEL", detail)

    # --- what follows ----------------------------------------------------------------------------

    async def _fill(self, job: AnalysisJob) -> None:
        await self._filling.fill(job.hack_id, job.job_id)
        await self.ending.finish_if_done(job.hack_id, job.job_id)
        self._courtroom.watching.look(job.job_id)
        self._courtroom.analyst.notice()

    async def finish_if_done(self, job: AnalysisJob | Task) -> None:
        """T12 if no task is left."""
        await self.ending.finish_if_done(job.hack_id, job.job_id)

    async def sweep(self) -> None:
        """See to what others have left undone."""
        await self._sweeping.sweep()
        self._courtroom.analyst.notice()

    def _begin(self, work: Awaitable[None]) -> None:
        """Go on with something that the sweeper would do later."""
        task = asyncio.ensure_future(_logged(work))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def settle(self) -> None:
        """Wait for what was begun here: fillings and cancellations."""
        while self._under_way:
            await asyncio.gather(*self._under_way)

    async def close(self) -> None:
        """Leave what was begun: another process sees to it."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)


async def _logged(work: Awaitable[None]) -> None:
    try:
        await work
    except Exception:
        log.exception("a job has to wait for the sweeper")


def _before(hackathon: HackathonDetail, now: datetime) -> dict[str, Any]:
    """Return what a job remembers of the hackathon it is started in."""
    return {"trial": not has_ended(hackathon, now), "hackathon_was": hackathon.status}


def _check(hackathon: HackathonDetail) -> None:
    """That a job can be started or resumed now."""
    if hackathon.active_job_id is not None:
        detail = "The hackathon is being analysed. Wait for the job, or cancel it."
        raise Problem(409, "JOB_ACTIVE", detail, extra={"job_id": hackathon.active_job_id})
    if hackathon.status not in ("configured", "completed"):
        raise conflict("HACKATHON_STATE", f"The hackathon is {hackathon.status}: activate it.")
    if hackathon.has_final_scores:
        raise conflict("RELEASED", "Its results are released. Reopen it to analyse it again.")
    if not hackathon.submission_count:
        raise conflict("NO_SUBMISSIONS", "There is nothing to analyse: nobody has submitted.")


def _state(job: AnalysisJob) -> Problem:
    return conflict("JOB_STATE", f"The job is {job.status}, which does not allow it.")
