"""Writes of tasks and of what comes of them.

A worker leases a task and loses it if it does not beat; whatever it writes for the task rests on
the lease it was given: the same owner, the same attempt. So a run is published once, whoever is
slow, stopped or killed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from tablewright.model import (
    Condition,
    Put,
    Ulid,
    Update,
    attr,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.vibejudge.analysis import (
    KEPT,
    LEASE,
    SKEW,
    AgentScore,
    AnalysisJob,
    Fingerprint,
    HackathonCost,
    Run,
    RunStatus,
    SubmissionSummary,
    Task,
    TaskState,
)
from tablewright.systems.vibejudge.entities import Submission, SubmissionStatus
from tablewright.systems.vibejudge.rates import EACH, EACH_AGENT, RARE, SUBMISSIONS, monthly
from tablewright.systems.vibejudge.rules.human import blended
from tablewright.systems.vibejudge.rules.scoring import recommend
from tablewright.systems.vibejudge.table import CommitSha, Score

#: It is at work, and nobody has asked it to end.
_RUNNING = (attr(AnalysisJob.status) == "running") & attr(AnalysisJob.cancel_asked_at).missing()
#: A worker has it. A team may withdraw meanwhile, and nothing brings the submission back then.
_IN_WORK = attr(Submission.status).is_in(["cloning", "analyzing"])
#: Nobody works on it, and it takes part; what was found in it before counts.
_AT_REST = attr(Submission.status).is_in(["pending", "completed", "failed", "timeout"])

# --- tasks ---------------------------------------------------------------------------------------


@transaction(component="analyser", rate=EACH)
def claim(
    task: Task,
    worker: str,
    run: Run,
    now: datetime,
    *,
    repo_url: str | None = None,
    lease: timedelta = LEASE,
) -> tuple[Update[Task], Put[Run] | Update[Run], Update[Submission]]:
    """Lease a task that waits, or whose lease has run out; exactly one worker gets it.

    The first claim begins the run; later ones go on with the same. ``submission_was`` of the task
    is kept, to go back to. Refused if the submission has another repository than ``repo_url`` by
    now. [T6]
    """
    leased = _task(task).do(
        attr(Task.state).set("leased"),
        attr(Task.lease_owner).set(worker),
        attr(Task.lease_until).set(now + lease),
        attr(Task.due_at).set(now + lease),
        attr(Task.attempt).set(task.attempt + 1),
        attr(Task.tries).set(task.tries + 1),
        attr(Task.run_id).set(run.run_id),
        attr(Task.submission_was).set(task.submission_was),
        attr(Task.updated_at).set(now),
    )
    going_on = _run(run, "running", now).do(attr(Run.rubric).set(run.rubric))
    cloning = _submission(task, "cloning", now)
    takes_part = attr(Submission.status) != "withdrawn"
    same = takes_part if repo_url is None else attr(Submission.repo_url) == repo_url
    return (
        leased.when((attr(Task.state) == "queued") & _same(task) | _lost(task, now)),
        put(run).new() if task.run_id != run.run_id else going_on,
        cloning.when(takes_part & same),
    )


@write(component="analyser", rate=EACH)
def beat(task: Task, now: datetime, *, lease: timedelta = LEASE) -> Update[Task]:
    """Keep a lease, every 30 seconds; refused when another worker has the task."""
    kept = _task(task).do(
        attr(Task.lease_until).set(now + lease),
        attr(Task.due_at).set(now + lease),
        attr(Task.updated_at).set(now),
    )
    return kept.given(state="leased").when(_mine(task))


@write(component="analyser", rate=monthly(SUBMISSIONS / 50))
def put_back(task: Task, due_at: datetime, tries: int, now: datetime) -> Update[Task]:
    """My task waits again: its process ends, or it may go better a little later.

    ``tries`` is what counts of the attempts that were made.
    """
    waiting = _task(task).do(
        attr(Task.state).set("queued"),
        attr(Task.due_at).set(due_at),
        attr(Task.lease_owner).remove(),
        attr(Task.lease_until).remove(),
        attr(Task.tries).set(tries),
        attr(Task.updated_at).set(now),
    )
    return waiting.when(_mine(task))


@write(component="sweeper", rate=RARE)
def wake_task(task: Task, now: datetime) -> Update[Task]:
    """A task that would be due much later than any can be, by a wrong clock, is due now."""
    woken = _task(task).do(attr(Task.due_at).set(now), attr(Task.updated_at).set(now))
    return woken.given(state=task.state).when(attr(Task.due_at) == task.due_at)


@transaction(component="analyser", rate=monthly(SUBMISSIONS / 50))
def fail_task(
    task: Task,
    run: Run,
    status: Literal["failed", "timeout"],
    error_code: str,
    message: str,
    now: datetime,
) -> tuple[Update[Run], Update[Submission], Update[Task], Update[AnalysisJob]]:
    """A submission could not be analysed: no agent answered, or the time was up. [T9]"""
    failed = _submission(task, status, now).do(attr(Submission.error_message).set(message))
    counted = _counting(task, now).do(attr(AnalysisJob.failed_submissions).add(1))
    return (
        _run(run, status, now),
        failed.when(_IN_WORK),
        _ended(task, "failed", now, error_code).when(_mine(task)),
        counted.when(_RUNNING),
    )


@transaction(component="analyser", rate=RARE)
def block_task(
    task: Task,
    run: Run,
    error_code: str,
    message: str,
    restored: SubmissionStatus,
    now: datetime,
) -> tuple[Update[Run], Update[Submission], Update[Task], Update[AnalysisJob]]:
    """The budget or a setting does not allow a submission; it waits until the job is resumed.

    The submission says why. It is pending meanwhile; one that has a result is ``restored`` to what
    it was before.
    """
    counted = _counting(task, now).do(attr(AnalysisJob.blocked_submissions).add(1))
    return (
        _run(run, "cancelled", now),
        _submission(task, restored, now)
        .do(attr(Submission.error_message).set(message))
        .when(_IN_WORK),
        _ended(task, "blocked", now, error_code).when(_mine(task)),
        counted.when(_RUNNING),
    )


@transaction(component="analyser", rate=RARE, expect=4)
def cancel_task(
    task: Task, restored: SubmissionStatus | None, now: datetime
) -> list[Update[Task] | Update[AnalysisJob] | Update[Submission] | Update[Run]]:
    """A task that waits, my own, or one whose worker is gone, ends without a result.

    The submission is ``restored`` to what it was before, unless it was never touched (None).
    """
    waits = (attr(Task.state) == "queued") & _same(task)
    counted = _counting(task, now).do(attr(AnalysisJob.cancelled_submissions).add(1))
    return [
        _ended(task, "cancelled", now, "cancelled").when(waits | _mine(task) | _lost(task, now)),
        counted,
        *([] if restored is None else [_submission(task, restored, now).when(_IN_WORK)]),
        *([] if task.run_id is None else [_run_at(task, task.run_id, "cancelled", now)]),
    ]


@transaction(component="api", rate=RARE, expect=21)
def cancel_waiting(tasks: list[Task], now: datetime) -> list[Update[AnalysisJob] | Update[Task]]:
    """Tasks of a job that nobody has taken yet end without a result: all of these, or none."""
    counted = _counting(tasks[0], now).do(attr(AnalysisJob.cancelled_submissions).add(len(tasks)))
    waits = attr(Task.state) == "queued"
    return [
        counted,
        *(_ended(task, "cancelled", now, "cancelled").when(waits & _same(task)) for task in tasks),
    ]


def _task(task: Task) -> Update[Task]:
    # The partition of what is due follows from the submission and never changes.
    return update(Task, task.job_id, task.sub_id).given(shard=task.shard)


def _mine(task: Task) -> Condition:
    return (
        (attr(Task.state) == "leased") & (attr(Task.lease_owner) == task.lease_owner) & _same(task)
    )


def _same(task: Task) -> Condition:
    """Nobody has claimed it since it was read."""
    return attr(Task.attempt) == task.attempt


def _lost(task: Task, now: datetime) -> Condition:
    """Leased, but not any more: the end is past, or was written by a clock that was wrong."""
    until = attr(Task.lease_until)
    return (
        (attr(Task.state) == "leased")
        & _same(task)
        & ((until <= now) | (until > now + LEASE + SKEW))
    )


def _ended(
    task: Task, state: TaskState, now: datetime, error_code: str | None = None
) -> Update[Task]:
    """A task that is not live any more: nobody finds it due, and in 30 days it is gone."""
    return _task(task).do(
        attr(Task.state).set(state),
        attr(Task.due_at).remove(),
        attr(Task.lease_owner).remove(),
        attr(Task.lease_until).remove(),
        attr(Task.error_code).set(error_code),
        attr(Task.expires_at).set(now + KEPT),
        attr(Task.updated_at).set(now),
    )


def _counting(task: Task, now: datetime) -> Update[AnalysisJob]:
    job = update(AnalysisJob, task.hack_id, task.job_id)
    return job.do(attr(AnalysisJob.updated_at).set(now))


def _submission(task: Task, status: SubmissionStatus, now: datetime) -> Update[Submission]:
    return update(Submission, task.hack_id, task.sub_id).do(
        attr(Submission.status).set(status), attr(Submission.updated_at).set(now)
    )


def _run(run: Run, status: RunStatus, now: datetime) -> Update[Run]:
    return _run_at(run, run.run_id, status, now)


def _run_at(of: Run | Task, run_id: Ulid, status: RunStatus, now: datetime) -> Update[Run]:
    return update(Run, of.sub_id, run_id).do(
        attr(Run.status).set(status), attr(Run.updated_at).set(now)
    )


# --- results -------------------------------------------------------------------------------------


@write(component="analyser", rate=EACH)
def pin_commit(run: Run, commit_sha: CommitSha, now: datetime) -> Update[Run]:
    """The commit that a run looks at, now and in every retry."""
    pinned = update(Run, run.sub_id, run.run_id).do(
        attr(Run.commit_sha).set(commit_sha), attr(Run.updated_at).set(now)
    )
    return pinned.when(attr(Run.commit_sha).missing() | (attr(Run.commit_sha) == commit_sha))


@write(component="analyser", rate=EACH)
def begin_analysis(task: Task, now: datetime) -> Update[Submission]:
    """The repository is here; the agents begin. What was seen of it is published with the rest."""
    return _submission(task, "analyzing", now).when(_IN_WORK)


@write(component="analyser", rate=EACH_AGENT)
def store_score(score: AgentScore, *, once: bool = False) -> Put[AgentScore]:
    """What one agent found; nobody sees it before its run is published.

    ``once`` is for what a model said: another worker, which has lost the run and does not know it
    yet, may have had another answer, and the first one counts. [T9]
    """
    return put(score).new() if once else put(score)


@write(component="analyser", rate=EACH)
def store_fingerprint(fingerprint: Fingerprint) -> Put[Fingerprint]:
    """What a submission is compared with others by."""
    return put(fingerprint)


@transaction(component="analyser", rate=EACH, expect=5)
def publish(
    task: Task, run: Run, submission: Submission, summary: SubmissionSummary, now: datetime
) -> list[
    Put[SubmissionSummary]
    | Update[Run]
    | Update[Submission]
    | Update[Task]
    | Update[AnalysisJob]
    | Update[HackathonCost]
]:
    """The result of a run, by the worker that has the lease, while the job runs.

    The submission is as it was read, but with what this run has seen of its repository.
    A summary that replaces another one has its version. Only the first one of a submission counts
    as an analysis. [T9]
    """
    done = _run(run, "completed", now).do(attr(Run.flags).set(summary.flags))
    counted = _counting(task, now).do(attr(AnalysisJob.completed_submissions).add(1))
    analyzed = update(HackathonCost, task.hack_id).do(
        attr(HackathonCost.submissions_analyzed).add(1), attr(HackathonCost.updated_at).set(now)
    )
    published = _scored(submission, summary, now).do(
        attr(Submission.status).set("completed"),
        attr(Submission.run_id).set(summary.run_id),
        attr(Submission.error_message).remove(),
        attr(Submission.default_branch).set(submission.default_branch),
        attr(Submission.repo_meta).set(submission.repo_meta),
        attr(Submission.total_cost_usd).set(summary.total_cost_usd),
        attr(Submission.total_tokens).set(summary.total_tokens),
        attr(Submission.analysis_duration_ms).set(summary.analysis_duration_ms),
    )
    return [
        put(_decided(submission, summary)),
        done,
        published.when(_IN_WORK),
        _ended(task, "done", now).when(_mine(task)),
        counted.when(_RUNNING),
        *([analyzed] if summary.version == 0 else []),
    ]


@write(component="analyser", rate=RARE)
def flag_summary(
    summary: SubmissionSummary, flags: list[str], now: datetime
) -> Update[SubmissionSummary]:
    """What is known only when all submissions are: which resemble others. Refused if it is not the
    latest that was read.
    """
    return update(summary).do(
        attr(SubmissionSummary.flags).set(flags), attr(SubmissionSummary.updated_at).set(now)
    )


@transaction(component="api", rate=RARE)
def rescore(
    submission: Submission, summary: SubmissionSummary, now: datetime
) -> tuple[Put[SubmissionSummary], Update[Submission]]:
    """The same findings under another rubric: a new summary, and no calls."""
    scored = _scored(submission, summary, now)
    written = put(_decided(submission, summary)).replace()
    return written, scored.when(_AT_REST)


def _scored(
    submission: Submission, summary: SubmissionSummary, now: datetime
) -> Update[Submission]:
    final = final_score(submission, summary.overall_score)
    return update(submission).do(
        attr(Submission.overall_score).set(summary.overall_score),
        attr(Submission.final_score).set(final),
        attr(Submission.rank_score).set(_rank_score(submission, summary, final)),
        attr(Submission.confidence).set(summary.confidence),
        attr(Submission.partial).set(summary.partial),
        attr(Submission.recommendation).set(recommend(summary.overall_score, final)),
        attr(Submission.updated_at).set(now),
    )


def final_score(submission: Submission, overall_score: Score | None) -> Score | None:
    """What the organiser has decided, else the blend with what judges say; None if neither."""
    if submission.override_id is not None:
        return submission.final_score
    return blended(overall_score, submission.human_score, submission.human_share)


def _decided(submission: Submission, summary: SubmissionSummary) -> SubmissionSummary:
    """A new summary goes on saying what the organiser has decided."""
    by_organiser = submission.override_id is not None
    return summary.model_copy(
        update={
            "override_id": submission.override_id,
            "final_score": submission.final_score if by_organiser else None,
        }
    )


def _rank_score(
    submission: Submission, summary: SubmissionSummary, final: Score | None
) -> Score | None:
    if submission.disqualified_reason is not None:
        return None
    return summary.overall_score if final is None else final
