"""Writes of jobs: one at a time for each hackathon."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from tablewright.model import Put, Ulid, Update, attr, put, transaction, update, write
from tablewright.systems.vibejudge.analysis import KEPT, AnalysisJob, JobStatus, Task
from tablewright.systems.vibejudge.entities import Hackathon, HackathonDetail, HackathonStatus
from tablewright.systems.vibejudge.rates import EACH, RARE


@transaction(component="api", rate=RARE)
def start_job(
    job: AnalysisJob, org_id: Ulid, now: datetime
) -> tuple[Put[AnalysisJob], Update[HackathonDetail], Update[Hackathon]]:
    """Analyse a hackathon, unless that is being done already; its tasks are queued next. [T5]"""
    return put(job).new(), _occupied(job, now), _listed(job.hack_id, org_id, "analyzing", now)


@write(component="api", rate=EACH)
def queue_task(task: Task) -> Put[Task]:
    """One submission of a job, unless it is in the queue already. [T5]"""
    return put(task).new()


@write(component="api", rate=RARE)
def run_job(job: AnalysisJob, total: int, now: datetime) -> Update[AnalysisJob]:
    """All tasks of a queued job are there: it runs from now on."""
    running = _job(job, "running", now).do(
        attr(AnalysisJob.enumerated).set(True),
        attr(AnalysisJob.total_submissions).set(total),
        attr(AnalysisJob.started_at).set(now),
    )
    return running.when(attr(AnalysisJob.status) == "queued")


@transaction(component="analyser", rate=RARE)
def finish_job(
    job: AnalysisJob,
    org_id: Ulid,
    status: Literal["completed", "failed", "cancelled"],
    now: datetime,
) -> tuple[Update[AnalysisJob], Update[HackathonDetail], Update[Hackathon]]:
    """The end of a job, by its last task, a cancellation or the sweeper; in 30 days it is gone.

    The hackathon is completed, or what it was before if the job failed or was cancelled. [T12]
    """
    ended = _job(job, status, now).do(
        attr(AnalysisJob.completed_at).set(now), attr(AnalysisJob.expires_at).set(now + KEPT)
    )
    then: HackathonStatus = "completed" if status == "completed" else "configured"
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
    """A failed or cancelled job goes on; what it has not done is queued again next. [T5]"""
    reopened = _job(job, "running", now).do(
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


def _job(job: AnalysisJob, status: JobStatus, now: datetime) -> Update[AnalysisJob]:
    # The index is ordered by the time of creation, which never changes.
    changed = update(AnalysisJob, job.hack_id, job.job_id).given(created_at=job.created_at)
    return changed.do(attr(AnalysisJob.status).set(status), attr(AnalysisJob.updated_at).set(now))


def _occupied(job: AnalysisJob, now: datetime) -> Update[HackathonDetail]:
    taken = update(HackathonDetail, job.hack_id).do(
        attr(HackathonDetail.active_job_id).set(job.job_id),
        attr(HackathonDetail.status).set("analyzing"),
        attr(HackathonDetail.updated_at).set(now),
    )
    return taken.when(
        attr(HackathonDetail.active_job_id).missing()
        & attr(HackathonDetail.status).is_in(["configured", "completed"])
    )


def _listed(
    hack_id: Ulid, org_id: Ulid, status: HackathonStatus, now: datetime
) -> Update[Hackathon]:
    return update(Hackathon, org_id, hack_id).do(
        attr(Hackathon.status).set(status), attr(Hackathon.updated_at).set(now)
    )
