"""The end of a job: all of its tasks are done, or it is cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tablewright.model import together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.systems.vibejudge import job_reads, job_writes, reads, task_writes
from tablewright.systems.vibejudge.analysis import AnalysisJob, Task
from tablewright.systems.vibejudge.entities import SubmissionStatus
from tablewright.systems.vibejudge.rules.job_states import (
    ended_tasks,
    is_lost,
    is_over,
    outcome_of,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

LIVE: Final = ("queued", "leased")
IN_WORK: Final = ("cloning", "analyzing")
#: Tasks in one transaction.
_AT_ONCE = 20


class Ending:
    """Ends jobs, whoever comes first."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def finish_if_done(self, hack_id: str, job_id: str) -> AnalysisJob | None:
        """T12, if no task is left; the job as it was found.

        One transaction: the job, the hackathon and its row in the list, the message. Conditions:
        the job is as it was read and has not ended, and is the hackathon's. Of two who finish it,
        the second changes nothing, however late.
        """
        job = await self._courtroom.db.run(job_reads.job(hack_id, job_id))
        if job is None or is_over(job):
            return job
        if job.status == "running" and ended_tasks(job) >= job.total_submissions:
            await self._finish(job)
        elif _to_end_uncounted(job) and not await self.live_tasks(job):
            # A job that is to end gets no more tasks: none is live, and none will be. What it has
            # counted is final now, and may not have been when it was read.
            latest = await self._courtroom.db.run(job_reads.job(hack_id, job_id))
            if latest is not None and not is_over(latest):
                await self._finish(latest)
        return job

    async def _finish(self, job: AnalysisJob) -> None:
        courtroom = self._courtroom
        hackathon = await courtroom.db.run(reads.hackathon(job.hack_id))
        if hackathon is None:
            return
        await courtroom.jobs.comparing.compare(job.hack_id)
        org_id, status = hackathon.org_id, outcome_of(job)
        told = courtroom.messages.job_finished(hackathon, job, status)
        try:
            await settled(
                courtroom.db,
                lambda: together(job_writes.finish_job(job, org_id, status, courtroom.now()), told),
            )
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
        courtroom.standings.changed(job.hack_id)
        courtroom.watching.look(job.job_id)

    # --- cancelling ------------------------------------------------------------------------------

    async def cancel_rest(self, job: AnalysisJob) -> None:
        """End all tasks of a job that nobody works on, then the job if none is left.

        Who works on one notices, and ends it; who has died while working has lost it, and then
        the sweeper comes by.
        """
        now = self._courtroom.now()
        live = await self.live_tasks(job)
        waiting = [each for each in live if each.state == "queued"]
        await self._cancel_untouched([each for each in waiting if each.attempt == 0])
        for task in waiting:
            if task.attempt:
                await self.cancel_task(task)
        for task in live:
            if task.state == "leased" and is_lost(task, now):
                await self.cancel_task(task)
        await self.finish_if_done(job.hack_id, job.job_id)

    async def live_tasks(self, job: AnalysisJob) -> list[Task]:
        found = self._courtroom.db.iterate(job_reads.tasks_of_job(job.job_id))
        return [each async for each in found if each.state in LIVE]

    async def _cancel_untouched(self, tasks: list[Task]) -> None:
        """Some at a time; one by one if somebody has taken one of them meanwhile."""
        for at in range(0, len(tasks), _AT_ONCE):
            some = tasks[at : at + _AT_ONCE]
            if not await self._cancelled_at_once(some):
                for task in some:
                    await self.cancel_task(task)

    async def _cancelled_at_once(self, tasks: list[Task]) -> bool:
        """One transaction: the tasks, and the job's count. Its condition: all of them wait."""
        db, now = self._courtroom.db, self._courtroom.now
        try:
            await settled(db, lambda: task_writes.cancel_waiting(tasks, now()))
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            return False
        return True

    async def cancel_task(self, task: Task) -> bool:
        """End a task without a result: one that waits, my own, or one whose worker is gone.

        One transaction: the task, the job's count, the run, and the submission if it was in work.
        Its conditions: nobody else has the task, and the submission is still in work.
        """
        db, now = self._courtroom.db, self._courtroom.now
        restored = await self._restored(task)
        try:
            await settled(db, lambda: task_writes.cancel_task(task, restored, now()))
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            if restored is None or await self._restored(task) is not None:
                return False
            # The team has withdrawn in this very moment.
            return await self.cancel_task(task)
        self._courtroom.watching.look(task.job_id)
        return True

    async def _restored(self, task: Task) -> SubmissionStatus | None:
        """What the submission was before; None if nobody has touched it, or it is withdrawn."""
        if task.attempt == 0:
            return None
        found = await self._courtroom.db.run(reads.submission(task.hack_id, task.sub_id))
        if found is None or found.status not in IN_WORK:
            return None
        return task.submission_was or "pending"


def _to_end_uncounted(job: AnalysisJob) -> bool:
    """Whether only its tasks can tell that a job is done; one that runs has counted them."""
    return job.cancel_asked_at is not None and job.status == "queued"
