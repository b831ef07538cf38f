"""How an attempt ends: a result, a failure, or nothing. Each is one transaction."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from tablewright.model import Op
from tablewright.model.errors import ConditionFailed, OutcomeUnknown, TransactionCancelled
from tablewright.service.conflicts import refused_at, settled
from tablewright.systems.vibejudge import job_reads, reads, task_writes
from tablewright.systems.vibejudge.analysis import AnalysisJob, Task
from tablewright.systems.vibejudge.entities import RepoMeta, Submission
from tablewright.systems.vibejudge.rules.job_states import is_at_work
from tablewright.systems.vibejudge.rules.verdicts import Totals, verdict
from tablewright.systems.vibejudge.service.analyst.claiming import Claim
from tablewright.systems.vibejudge.service.analyst.judging import Blocked, Findings
from tablewright.systems.vibejudge.service.jobs.ending import IN_WORK

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: How often a result is made anew since the submission or its scorecard has changed meanwhile.
_TRIES = 8
_MOST_MESSAGE = 1000
_PAUSE = timedelta(seconds=5)


class Cancelled(Exception):
    """The job is to end, or the submission was withdrawn: nothing is published."""


class NobodyAnswered(Exception):
    """No agent has given anything to go by."""


class Lost(Exception):
    """The task is somebody else's by now: nothing more may be written for it."""


@dataclass(frozen=True)
class Seen:
    """What a run has seen of a repository, beside what agents say of it."""

    meta: RepoMeta
    #: None if the repository does not tell it.
    branch: str | None

    def of(self, submission: Submission) -> Submission:
        """The submission, with this."""
        branch = self.branch or submission.default_branch
        return submission.model_copy(update={"repo_meta": self.meta, "default_branch": branch})


class Publishing:
    """Ends attempts, on condition of the lease; then the job, if it was the last."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._outcomes = courtroom.runtime.metrics.counter(
            "vibejudge_analyses", "Submissions that were analysed, by what came of it", ("outcome",)
        )

    # --- T9 --------------------------------------------------------------------------------------

    async def publish(
        self, claim: Claim, seen: Seen, findings: Findings, flags: Iterable[str], totals: Totals
    ) -> None:
        """T9: the scorecard, the run, the submission, the task, the job's count.

        Its conditions: the lease is ours, the job runs and nobody wants it to end, the submission
        is in work and it and its scorecard are as they were read.
        """
        db, now = self._courtroom.patient, self._courtroom.now
        found = verdict(
            claim.hackathon, findings.scores, findings.missing, [*flags, *findings.flags], totals
        )
        if found is None:
            raise NobodyAnswered

        async def made() -> Op[Any]:
            submission = await self._in_work(claim.task)
            previous = await db.run(reads.submission_summary(claim.task.sub_id))
            summary = found.summary(submission, claim.run.run_id, now(), previous)
            latest = seen.of(submission)
            return task_writes.publish(claim.task, claim.run, latest, summary, now())

        await self._written(claim.task, made, "published")

    async def fail(
        self, claim: Claim, status: Literal["failed", "timeout"], code: str, message: str
    ) -> None:
        """T9 without a result: the run, the submission, the task, the job's count.

        Its conditions: as for a result.
        """
        now = self._courtroom.now
        said = message[:_MOST_MESSAGE]

        async def made() -> Op[Any]:
            await self._in_work(claim.task)
            return task_writes.fail_task(claim.task, claim.run, status, code, said, now())

        await self._written(claim.task, made, "failed")

    async def block(self, claim: Claim, blocked: Blocked) -> None:
        """The submission is pending, its task blocked. Its conditions: as for a result.

        One that was analysed before is ranked by that, as nothing is that waits for its first
        analysis: it goes back to what it was.
        """
        now, task = self._courtroom.now, claim.task
        said = blocked.reason[:_MOST_MESSAGE]

        async def made() -> Op[Any]:
            submission = await self._in_work(task)
            was = "pending" if submission.run_id is None else task.submission_was
            return task_writes.block_task(
                task, claim.run, blocked.code, said, was or "pending", now()
            )

        await self._written(claim.task, made, "blocked")

    async def _in_work(self, task: Task) -> Submission:
        """The submission, if it is in work; else there is nothing to write."""
        found = await self._courtroom.patient.run(reads.submission(task.hack_id, task.sub_id))
        if found is None or found.status not in IN_WORK:
            raise Cancelled
        return found

    async def _written(
        self, task: Task, make_op: Callable[[], Awaitable[Op[Any]]], outcome: str
    ) -> None:
        """One of these transactions; made anew if what it rests on has changed."""
        for _ in range(_TRIES):
            try:
                await settled(self._courtroom.patient, make_op)
            except TransactionCancelled as cancelled:
                if refused_at(cancelled, Task):
                    raise Lost from cancelled
                if refused_at(cancelled, AnalysisJob):
                    raise Cancelled from cancelled
                continue
            return await self._ended(task, outcome)
        raise Cancelled

    # --- without a result ------------------------------------------------------------------------

    async def cancel_if_so(self, task: Task) -> None:
        """Cancel a task whose job is to end or whose submission is withdrawn; else try again."""
        job = await self._courtroom.db.run(job_reads.job(task.hack_id, task.job_id))
        found = await self._courtroom.db.run(reads.submission(task.hack_id, task.sub_id))
        withdrawn = found is None or found.status == "withdrawn"
        ends = job is None or not is_at_work(job)
        if withdrawn or ends:
            await self.cancel(task)
        else:
            await self.put_back(task, _PAUSE, task.tries)

    async def cancel(self, task: Task) -> None:
        """The submission is what it was before; what it has cost stays."""
        if await self._courtroom.jobs.ending.cancel_task(task):
            await self._ended(task, "cancelled")

    async def put_back(self, task: Task, delay: timedelta, tries: int) -> None:
        """Let the task wait again; one write, on condition of the lease."""
        now: datetime = self._courtroom.now()
        try:
            await self._courtroom.patient.run(task_writes.put_back(task, now + delay, tries, now))
        except ConditionFailed:
            return
        except OutcomeUnknown:
            log.warning("task %s may not have been put back: its lease ends", task.sub_id)
        self._outcomes.labels("put_back").inc()
        self._courtroom.watching.look(task.job_id)

    async def _ended(self, task: Task, outcome: str) -> None:
        self._outcomes.labels(outcome).inc()
        self._courtroom.watching.look(task.job_id)
        await self._courtroom.jobs.finish_if_done(task)
