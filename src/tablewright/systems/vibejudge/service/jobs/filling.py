"""The tasks of a queued job: one for each submission in its scope that takes part."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.systems.vibejudge import job_reads, job_writes
from tablewright.systems.vibejudge.analysis import AnalysisJob, Task
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.rules.job_states import is_analysed, is_in_scope

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

T = TypeVar("T")
#: Tasks in one transaction.
_AT_ONCE = 20
#: How often to look again when somebody else fills the same job.
_TRIES = 5
_MOST_ATTEMPTS = 90


class Filling:
    """Adds tasks to queued jobs, however often and by whomever it is done."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def fill(self, hack_id: str, job_id: str) -> None:
        """Add what lacks, and let the job run. [T5]

        Each step is on condition that the job is queued and nobody wants it to end; who is second,
        or too late, changes nothing.
        """
        for _ in range(_TRIES):
            job = await self._waiting(hack_id, job_id)
            if job is None or (await self._filled(job) and await self._started(job)):
                return
        log.warning("job %s is being filled by others", job_id)

    async def _waiting(self, hack_id: str, job_id: str) -> AnalysisJob | None:
        """The job, if it waits for tasks and nobody wants it to end."""
        job = await self._courtroom.db.run(job_reads.job(hack_id, job_id))
        if job is None or job.status != "queued" or job.cancel_asked_at is not None:
            return None
        return job

    async def _filled(self, job: AnalysisJob) -> bool:
        """Whether all tasks are there; not if somebody was in between."""
        known = {each.sub_id: each for each in await self._tasks(job)}
        wanted = await self._submissions(job)
        new = [
            self._task(job, each)
            for each in wanted
            if each.sub_id not in known and is_in_scope(job, each)
        ]
        ended = [known[each.sub_id] for each in wanted if each.sub_id in known]
        again = [each for each in ended if _undone(each)]
        try:
            for some in _chunks(new, _AT_ONCE):
                await self._queue(job, some, [])
            for some in _chunks(again, _AT_ONCE):
                await self._queue(job, [], some)
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            return False
        return True

    async def _queue(self, job: AnalysisJob, new: list[Task], again: list[Task]) -> None:
        """One transaction: the tasks and the job. Its conditions: the job waits for tasks, the new
        ones are not there, and the others have ended without a result.
        """
        db, now = self._courtroom.patient, self._courtroom.now
        await settled(db, lambda: job_writes.queue_tasks(job, new, again, now()))

    async def _started(self, filled: AnalysisJob) -> bool:
        """One write: the job runs, and knows how many tasks it has in which state. Its condition:
        nothing was queued since the tasks were counted, and it waits.
        """
        job = await self._waiting(filled.hack_id, filled.job_id)
        if job is None:
            return True
        states = Counter(each.state for each in await self._tasks(job))
        counted = job.model_copy(
            update={
                "total_submissions": states.total(),
                "completed_submissions": states["done"],
                "failed_submissions": states["failed"],
                "blocked_submissions": states["blocked"],
                "cancelled_submissions": states["cancelled"],
            }
        )
        op = job_writes.run_job(counted, self._courtroom.now())
        try:
            await settled(self._courtroom.patient, lambda: op)
        except ConditionFailed:
            return False
        return True

    async def _tasks(self, job: AnalysisJob) -> list[Task]:
        return [
            each async for each in self._courtroom.db.iterate(job_reads.tasks_of_job(job.job_id))
        ]

    async def _submissions(self, job: AnalysisJob) -> list[Submission]:
        found = self._courtroom.db.iterate(job_reads.submissions_to_analyse(job.hack_id))
        return [each async for each in found if is_analysed(each)]

    def _task(self, job: AnalysisJob, submission: Submission) -> Task:
        now = self._courtroom.now()
        return Task(
            job_id=job.job_id,
            sub_id=submission.sub_id,
            hack_id=job.hack_id,
            due_at=now,
            created_at=now,
            updated_at=now,
        )


def _undone(task: Task) -> bool:
    """Whether a task that has ended is to be done again; attempts are numbered up to 99."""
    return task.state in ("failed", "blocked", "cancelled") and task.attempt < _MOST_ATTEMPTS


def _chunks(items: Sequence[T], size: int) -> Iterable[list[T]]:
    return (list(items[at : at + size]) for at in range(0, len(items), size))
