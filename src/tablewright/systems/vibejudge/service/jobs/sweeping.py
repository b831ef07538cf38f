"""What others have left undone: jobs without tasks, without an end, or out of time."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from tablewright.model.errors import ConditionFailed
from tablewright.service.in_turn import in_turn
from tablewright.systems.vibejudge import job_reads, task_writes
from tablewright.systems.vibejudge.analysis import LEASE, SKEW, AnalysisJob
from tablewright.systems.vibejudge.rules.job_states import ended_tasks
from tablewright.systems.vibejudge.service.jobs.ending import Ending
from tablewright.systems.vibejudge.service.jobs.filling import Filling

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: Whoever fills a job says so more often than that.
_ABANDONED: Final = timedelta(seconds=60)
#: A job in which nothing has happened for so long is looked into.
_SILENT: Final = timedelta(minutes=5)


class Sweeping:
    """Goes through the jobs that have not ended. It may be done by several at once."""

    def __init__(self, courtroom: Courtroom, filling: Filling, ending: Ending) -> None:
        self._courtroom = courtroom
        self._filling = filling
        self._ending = ending

    async def sweep(self) -> None:
        """One after the other; one that goes wrong does not keep the others waiting."""
        jobs = [
            *[
                each
                async for each in self._courtroom.db.iterate(job_reads.jobs_by_status("queued"))
            ],
            *[
                each
                async for each in self._courtroom.db.iterate(job_reads.jobs_by_status("running"))
            ],
        ]
        await in_turn(jobs, self._look_at, lambda job: f"job {job.job_id}")

    async def _look_at(self, job: AnalysisJob) -> None:
        now = self._courtroom.now()
        if job.cancel_asked_at is not None:
            await self._ending.cancel_rest(job)
        elif job.status == "queued":
            if _silent(job, now, _ABANDONED):
                await self._filling.fill(job.hack_id, job.job_id)
        elif ended_tasks(job) >= job.total_submissions:
            await self._ending.finish_if_done(job.hack_id, job.job_id)
        elif _silent(job, now, _SILENT):
            await self._wake(job, now)

    async def _wake(self, job: AnalysisJob, now: datetime) -> None:
        """Tasks that are due later than any can be: the clock of somebody was wrong."""
        for task in await self._ending.live_tasks(job):
            if task.due_at is not None and task.due_at > now + LEASE + SKEW:
                try:
                    await self._courtroom.db.run(task_writes.wake_task(task, now))
                except ConditionFailed:
                    continue
                log.warning("task %s of job %s was due at %s", task.sub_id, job.job_id, task.due_at)


def _silent(job: AnalysisJob, now: datetime, patience: timedelta) -> bool:
    """Not changed for so long, or by a clock that was wrong."""
    return not now - patience < job.updated_at <= now + SKEW
