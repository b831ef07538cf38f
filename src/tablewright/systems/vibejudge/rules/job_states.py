"""How far a job is, and what it has come to: by its counters alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from tablewright.systems.vibejudge.analysis import LEASE, SKEW, AnalysisJob, Task
from tablewright.systems.vibejudge.entities import HackathonStatus, Submission

Outcome: TypeAlias = Literal["completed", "failed", "cancelled"]
#: Submissions whose last analysis came to nothing.
FAILED: Final = ("failed", "timeout")


@dataclass(frozen=True)
class JobState:
    """A job, and how much of it is left."""

    job: AnalysisJob
    #: Tasks that wait or are in work; 0 while they are not counted yet.
    left: int
    #: It was asked to end, and has not yet.
    cancelling: bool


def state_of(job: AnalysisJob) -> JobState:
    left = max(0, job.total_submissions - ended_tasks(job)) if job.status == "running" else 0
    return JobState(job, left, not is_over(job) and job.cancel_asked_at is not None)


def is_over(job: AnalysisJob) -> bool:
    """Whether a job has ended; it may be resumed."""
    return job.status not in ("queued", "running")


def is_at_work(job: AnalysisJob) -> bool:
    """Whether results of a job may be published."""
    return job.status == "running" and job.cancel_asked_at is None


def ended_tasks(job: AnalysisJob) -> int:
    """How many tasks of a job have come to an end, of whatever kind."""
    return (
        job.completed_submissions
        + job.failed_submissions
        + job.blocked_submissions
        + job.cancelled_submissions
    )


def outcome_of(job: AnalysisJob) -> Outcome:
    """What a job has come to whose tasks have all ended.

    Submissions that could not be analysed do not fail it, as long as some could. What the budget
    did not allow does: it can be resumed.
    """
    if job.cancel_asked_at is not None and (not job.enumerated or job.cancelled_submissions):
        return "cancelled"
    if job.blocked_submissions or not job.completed_submissions:
        return "failed"
    return "completed"


def is_analysed(submission: Submission) -> bool:
    """Whether a job has a task for it. A disqualified one may come back."""
    return submission.status != "withdrawn"


def is_in_scope(job: AnalysisJob, submission: Submission) -> bool:
    """Tell whether a job analyses a submission that it has no task for yet."""
    if not is_analysed(submission):
        return False
    if job.scope == "one":
        return submission.sub_id == job.sub_id
    return job.scope == "all" or submission.status in FAILED


def status_after(job: AnalysisJob, outcome: Outcome) -> HackathonStatus:
    """Return what a hackathon is once this job has ended.

    A trial run leaves it open for teams, and so does a retry of one submission.
    """
    if outcome == "completed" and not job.trial and job.scope != "one":
        return "completed"
    return job.hackathon_was


def is_lost(task: Task, now: datetime) -> bool:
    """Whether the lease of a task has ended, or was written by a clock that was wrong."""
    until = task.lease_until
    return until is None or not now < until <= now + LEASE + SKEW
