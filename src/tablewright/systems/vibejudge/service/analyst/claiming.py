"""A task becomes ours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import reads, task_writes
from tablewright.systems.vibejudge.analysis import Run, Task
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.service.jobs.ending import IN_WORK
from tablewright.systems.vibejudge.static import rules_version

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: What stands in a run that asks no model.
_NONE = "none"


@dataclass(frozen=True)
class Claim:
    """A task that is ours, and what it is about."""

    #: As it is since it was claimed.
    task: Task
    run: Run
    hackathon: HackathonDetail
    submission: Submission


class Claiming:
    """Claims tasks for one process."""

    def __init__(self, courtroom: Courtroom, owner: str) -> None:
        self._courtroom = courtroom
        self._owner = owner
        self._lease = timedelta(seconds=courtroom.options.lease_secs)

    async def claim(self, task: Task) -> Claim | None:
        """The task with its run, if nobody was quicker; one that was withdrawn is ended.

        T6, one transaction: the task, its run and its submission. Its conditions: the task waits or
        its lease has run out, nobody has claimed it since it was read, and it is not withdrawn.
        """
        db = self._courtroom.db
        hackathon = await db.run(reads.hackathon(task.hack_id))
        if hackathon is None:
            return None
        submission = await db.run(reads.submission(task.hack_id, task.sub_id))
        if submission is None or submission.status == "withdrawn":
            await self._end(task)
            return None
        if submission.status not in IN_WORK:
            task = task.model_copy(update={"submission_was": submission.status})
        run = await self._run_of(task, hackathon, submission)
        return await self._claimed(Claim(task, run, hackathon, submission))

    async def _claimed(self, wanted: Claim) -> Claim | None:
        courtroom, task, run = self._courtroom, wanted.task, wanted.run
        now = courtroom.now()
        try:
            await settled(
                courtroom.db,
                lambda: task_writes.claim(
                    task,
                    self._owner,
                    run,
                    now,
                    repo_url=wanted.submission.repo_url,
                    lease=self._lease,
                ),
            )
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            return None
        except Problem:
            return None  # the store is too busy for it: it stays due
        mine = task.model_copy(
            update={
                "state": "leased",
                "lease_owner": self._owner,
                "lease_until": now + self._lease,
                "due_at": now + self._lease,
                "attempt": task.attempt + 1,
                "tries": task.tries + 1,
                "run_id": run.run_id,
            }
        )
        courtroom.watching.task(mine)
        return Claim(mine, run, wanted.hackathon, wanted.submission)

    async def _run_of(self, task: Task, hackathon: HackathonDetail, submission: Submission) -> Run:
        """The run to go on with; another provider or repository makes it another run."""
        if task.run_id is not None:
            found = await self._courtroom.db.run(reads.run_to_go_on(task.sub_id, task.run_id))
            if (
                found is not None
                and found.provider == hackathon.agent_provider
                and not _is_of_an_earlier_repository(found, submission)
            ):
                return found.model_copy(update={"rubric": hackathon.rubric})
        return self._new_run(hackathon, submission)

    def _new_run(self, hackathon: HackathonDetail, submission: Submission) -> Run:
        now, models = self._courtroom.now(), self._courtroom.models
        asks = hackathon.agent_provider != "static"
        return Run(
            sub_id=submission.sub_id,
            run_id=self._courtroom.runtime.ids(),
            hack_id=hackathon.hack_id,
            commit_sha=submission.frozen_sha,
            provider=hackathon.agent_provider,
            rubric=hackathon.rubric,
            prompt_version=models.prompt_version if asks else _NONE,
            rules_version=rules_version(),
            rate_version=models.rate_version if asks else _NONE,
            created_at=now,
            updated_at=now,
        )

    async def _end(self, task: Task) -> None:
        """A task without a submission to analyse."""
        jobs = self._courtroom.jobs
        if await jobs.ending.cancel_task(task):
            await jobs.finish_if_done(task)


def _is_of_an_earlier_repository(run: Run, submission: Submission) -> bool:
    return submission.corrected_at is not None and run.created_at <= submission.corrected_at
