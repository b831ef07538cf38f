"""Writes of jobs: one at a time for each hackathon."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from tablewright.model import Put, Ulid, Update, attr, put, transaction, update, write
from tablewright.systems.vibejudge.analysis import KEPT, AnalysisJob, JobStatus, Task
from tablewright.systems.vibejudge.entities import Hackathon, HackathonDetail, HackathonStatus
from tablewright.systems.vibejudge.rates import RARE, SUBMISSIONS, monthly
from tablewright.systems.vibejudge.rules.job_states import status_after
from tablewright.systems.vibejudge.writes import SCORES_OPEN

#: It gets its tasks, and nobody has changed their mind.
_WAITING = (attr(AnalysisJob.status) == "queued") & attr(AnalysisJob.cancel_asked_at).missing()


@transaction(component="api", rate=RARE)
def start_job(
    job: AnalysisJob, org_id: Ulid, now: datetime
) -> tuple[Put[AnalysisJob], Update[HackathonDetail], Update[Hackathon]]:
    """Analyse a hackathon, unless that is being done already, or its scores are final.

    Refused if the hackathon is not what ``job.hackathon_was`` says. Its tasks are queued next. [T5]
    """
    return put(job).new(), _occupied(job, now), _listed(job.hack_id, org_id, "analyzing", now)


@transaction(component="api", rate=monthly(SUBMISSIONS / 20), expect=21)
def queue_tasks(
    job: AnalysisJob, new: list[Task], again: list[Task], now: datetime
) -> list[Update[AnalysisJob] | Put[Task] | Update[Task]]:
    """Some submissions of a queued job: those that it has no task for, and those to do again.

    No task is added to a job that runs or is cancelled, whoever is slow: its sum is known then.
    A task that is done again keeps its run, and may be tried as often as a new one. [T5]
    """
    filling = update(AnalysisJob, job.hack_id, job.job_id).do(attr(AnalysisJob.updated_at).set(now))
    return [
        filling.when(_WAITING),
        *(put(task).new() for task in new),
        *(_queued_again(task, now) for task in again),
    ]


def _queued_again(task: Task, now: datetime) -> Update[Task]:
    # The partition of what is due follows from the submission and never changes.
    waiting = update(Task, task.job_id, task.sub_id).given(shard=task.shard)
    return waiting.do(
        attr(Task.state).set("queued"),
        attr(Task.due_at).set(now),
        attr(Task.tries).set(0),
        attr(Task.error_code).remove(),
        attr(Task.expires_at).remove(),
        attr(Task.updated_at).set(now),
    ).when(attr(Task.state).is_in(["failed", "blocked", "cancelled"]))


@write(component="api", rate=RARE)
def run_job(job: AnalysisJob, now: datetime) -> Update[AnalysisJob]:
    """All tasks of a queued job are there, and ``job`` says how many in which state: it runs.

    Refused if it is not the latest that was read: who counts late would count what was before.
    """
    running = _moved(update(job), "running", now).do(
        attr(AnalysisJob.enumerated).set(True),
        attr(AnalysisJob.total_submissions).set(job.total_submissions),
        attr(AnalysisJob.completed_submissions).set(job.completed_submissions),
        attr(AnalysisJob.failed_submissions).set(job.failed_submissions),
        attr(AnalysisJob.blocked_submissions).set(job.blocked_submissions),
        attr(AnalysisJob.cancelled_submissions).set(job.cancelled_submissions),
        attr(AnalysisJob.started_at).set(job.started_at or now),
    )
    return running.when(_WAITING)


@write(component="api", rate=RARE)
def ask_to_cancel(job: AnalysisJob, now: datetime) -> Update[AnalysisJob]:
    """A job is to end: from now on nothing of it is published, and no task is added."""
    asked = update(AnalysisJob, job.hack_id, job.job_id).do(
        attr(AnalysisJob.cancel_asked_at).set(now), attr(AnalysisJob.updated_at).set(now)
    )
    return asked.when(
        attr(AnalysisJob.status).is_in(["queued", "running"])
        & attr(AnalysisJob.cancel_asked_at).missing()
    )


@transaction(component="analyser", rate=RARE)
def finish_job(
    job: AnalysisJob,
    org_id: Ulid,
    status: Literal["completed", "failed", "cancelled"],
    now: datetime,
) -> tuple[Update[AnalysisJob], Update[HackathonDetail], Update[Hackathon]]:
    """The end of a job, by its last task or the sweeper; in 30 days it is gone.

    The hackathon is completed; or what it was before, if the job failed, was cancelled or was a
    trial. Refused if the job is not the latest that was read: it may have ended and been resumed
    since. [T12]
    """
    ended = _moved(update(job), status, now).do(
        attr(AnalysisJob.completed_at).set(now), attr(AnalysisJob.expires_at).set(now + KEPT)
    )
    then = status_after(job, status)
    free = update(HackathonDetail, job.hack_id).do(
        attr(HackathonDetail.active_job_id).remove(),
        attr(HackathonDetail.status).set(then),
        attr(HackathonDetail.updated_at).set(now),
    )
    return (
        ended.when(attr(AnalysisJob.status).is_in(["queued", "running"])),
        free.when(attr(HackathonDetail.active_job_id) == job.job_id),
        _listed(job.hack_id, org_id, then, now),
    )


@transaction(component="api", rate=RARE)
def resume_job(
    job: AnalysisJob, org_id: Ulid, now: datetime
) -> tuple[Update[AnalysisJob], Update[HackathonDetail], Update[Hackathon]]:
    """A failed or cancelled job waits again; what it has not done is queued next. [T5]"""
    # The index is ordered by the time of creation, which never changes.
    known = update(AnalysisJob, job.hack_id, job.job_id).given(created_at=job.created_at)
    reopened = _moved(known, "queued", now).do(
        attr(AnalysisJob.enumerated).set(False),
        attr(AnalysisJob.trial).set(job.trial),
        attr(AnalysisJob.hackathon_was).set(job.hackathon_was),
        attr(AnalysisJob.cancel_asked_at).remove(),
        attr(AnalysisJob.failed_submissions).set(0),
        attr(AnalysisJob.blocked_submissions).set(0),
        attr(AnalysisJob.cancelled_submissions).set(0),
        attr(AnalysisJob.completed_at).remove(),
        attr(AnalysisJob.expires_at).remove(),
    )
    return (
        reopened.when(attr(AnalysisJob.status).is_in(["failed", "cancelled"])),
        _occupied(job, now),
        _listed(job.hack_id, org_id, "analyzing", now),
    )


def _moved(job: Update[AnalysisJob], status: JobStatus, now: datetime) -> Update[AnalysisJob]:
    return job.do(attr(AnalysisJob.status).set(status), attr(AnalysisJob.updated_at).set(now))


def _occupied(job: AnalysisJob, now: datetime) -> Update[HackathonDetail]:
    taken = update(HackathonDetail, job.hack_id).do(
        attr(HackathonDetail.active_job_id).set(job.job_id),
        attr(HackathonDetail.status).set("analyzing"),
        attr(HackathonDetail.updated_at).set(now),
    )
    return taken.when(
        attr(HackathonDetail.active_job_id).missing()
        & (attr(HackathonDetail.status) == job.hackathon_was)
        # What teams have been shown does not change under their eyes.
        & SCORES_OPEN
    )


def _listed(
    hack_id: Ulid, org_id: Ulid, status: HackathonStatus, now: datetime
) -> Update[Hackathon]:
    return update(Hackathon, org_id, hack_id).do(
        attr(Hackathon.status).set(status), attr(Hackathon.updated_at).set(now)
    )
