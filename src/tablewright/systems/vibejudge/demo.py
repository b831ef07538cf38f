"""Demo data: all items, and one call for each pattern, in an order that works.

The reads see the items as they are. Then an organiser, a worker and judges go on from there; an
entity in a call has the version that the calls before have left.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar

from tablewright.model import Entity, Op
from tablewright.model.demo import Demo
from tablewright.systems.vibejudge import audit_patterns as auditing
from tablewright.systems.vibejudge import (
    cost_writes,
    erasing_reads,
    erasing_writes,
    job_reads,
    job_writes,
    reads,
    task_writes,
    writes,
)
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge import demo_hackathons as made
from tablewright.systems.vibejudge import demo_judging as people
from tablewright.systems.vibejudge import judging_patterns as judging
from tablewright.systems.vibejudge import release_patterns as releasing
from tablewright.systems.vibejudge.analysis import SubmissionSummary
from tablewright.systems.vibejudge.demo_hackathons import NOW, demo_id, digest
from tablewright.systems.vibejudge.entities import (
    EmailLock,
    Erasure,
    ExternalLock,
    HackathonDetail,
    Organizer,
    TeamLock,
    Timer,
    UserLock,
)
from tablewright.systems.vibejudge.judging import Appeal, Override
from tablewright.systems.vibejudge.releases import Release, ReleasedRow, ReleasePage

E = TypeVar("E", bound=Entity)
Calls = dict[str, Op[Any]]


def demo() -> Demo:
    parts = (_reads, _organizing, _submitting, _analysing, _judging, _mending, _erasing)
    calls = {name: op for part in parts for name, op in part().items()}
    items = [*made.hackathon_items(), *runs.analysis_items(), *people.judging_items(), STRAY]
    return Demo(items=items, calls=calls, now=NOW)


def at_version(entity: E, version: int, **changes: object) -> E:
    """The entity as it is stored after so many writes."""
    return entity.model_copy(update={"version": version, **changes})


HACK, SUB = made.JUDGED.hack_id, made.CHATBOT.sub_id
RUN = made.CHATBOT.run_id or ""


def _reads() -> Calls:
    org, open_, running = made.ORG.org_id, made.OPEN.hack_id, made.RUNNING.hack_id
    return {
        "organizer": reads.organizer(org),
        "email_lock": reads.email_lock(made.EMAIL.email_hash),
        "organizer_to_change": reads.organizer_to_change(org),
        "user_lock": reads.user_lock(made.USER.user_hash),
        "erasures": erasing_reads.erasures(),
        "org_usage": reads.org_usage(org, 2026),
        "hackathons_of_organizer": reads.hackathons_of_organizer(org),
        "hackathon": reads.hackathon(HACK),
        "hackathon_of_id": reads.hackathon_of_id(HACK),
        "public_hackathons": reads.public_hackathons(),
        "hackathon_cost": reads.hackathon_cost(HACK),
        "submissions": reads.submissions(HACK, status="completed"),
        "submission": reads.submission(HACK, SUB),
        "submission_of_id": reads.submission_of_id(SUB),
        "submissions_to_freeze": reads.submissions_to_freeze(open_),
        "leaderboard": reads.leaderboard(HACK),
        "submissions_exported": reads.submissions_exported(
            HACK, [made.CHATBOT.sub_id, made.IMAGES.sub_id]
        ),
        "results_exported": reads.results_exported([(SUB, RUN)]),
        "better_ranked": reads.better_ranked(HACK, Decimal("61.40")),
        "repo_lock": reads.repo_lock(HACK, "github.com/demo-team-1/bedrock-chatbot"),
        "team_lock": reads.team_lock(HACK, "demo team 1"),
        "external_lock": reads.external_lock(open_, "registration-17"),
        "fingerprints": reads.fingerprints(HACK),
        "agent_scores": reads.agent_scores(SUB, RUN),
        "agent_score": reads.agent_score(SUB, RUN, "innovation"),
        "submission_summary": reads.submission_summary(SUB),
        "costs_of_submission": reads.costs_of_submission(SUB),
        "runs_of_submission": reads.runs_of_submission(SUB),
        "run_of_submission": reads.run_of_submission(SUB, RUN),
        "scorecards": reads.scorecards([SUB, made.IMAGES.sub_id]),
        "jobs_of_hackathon": job_reads.jobs_of_hackathon(running),
        "jobs_by_status": job_reads.jobs_by_status("running"),
        "job": job_reads.job(running, made.JOB_RUNNING),
        "tasks_of_job": job_reads.tasks_of_job(made.JOB_RUNNING),
        "tasks_due": job_reads.tasks_due(runs.QUEUED_TASK.shard, NOW),
        "timers_due": job_reads.timers_due(made.TIMER.shard, made.TIMER.due_at),
        "reservations_due": job_reads.reservations_due(runs.ORPHAN.shard, NOW),
        "reservations": job_reads.reservations(running),
        "hackathons_to_erase": erasing_reads.hackathons_to_erase(org),
        "hackathon_partition": erasing_reads.hackathon_partition(HACK),
        "submission_partition": erasing_reads.submission_partition(SUB),
        "job_partition": erasing_reads.job_partition(made.JOB_RUNNING),
        "all_hackathons": erasing_reads.all_hackathons(),
        "all_organizers": auditing.all_organizers(),
        "hackathon_listed": auditing.hackathon_listed(org, HACK),
        "repo_locks": auditing.repo_locks(HACK),
        "team_locks": auditing.team_locks(HACK),
        "external_locks": auditing.external_locks(open_),
        "calls_paid": auditing.calls_paid(SUB),
        "rounds": judging.rounds(HACK),
        "judges": judging.judges(HACK),
        "judge": judging.judge(HACK, people.ADA.judge_id),
        "blends_due": judging.blends_due(people.request_of(85, NOW).shard, NOW),
        "assignments": judging.assignments(HACK, 1, judge_id=people.ADA.judge_id),
        "assignment": judging.assignment(HACK, 1, people.ADA.judge_id, SUB),
        "comparisons": judging.comparisons(HACK, 2),
        "human_scores": judging.human_scores(SUB),
        "human_score": judging.human_score(SUB, 1, people.ADA.judge_id),
        "override": judging.override(made.IMAGES.sub_id, people.OVERRIDDEN.override_id),
        "overrides": judging.overrides(made.IMAGES.sub_id),
        "appeals": judging.appeals(SUB),
        "appealed": judging.appealed(HACK),
        "invite": judging.invite(people.invite_of(people.ALAN).token_hash),
    }


# --- organisers and hackathons -------------------------------------------------------------------

NEWCOMER = Organizer(
    org_id=demo_id(20, 2),
    email="new@example.org",
    name="Newcomer",
    created_at=NOW,
    updated_at=NOW,
)
NEW_LOCK = EmailLock(email_hash=digest("new@example.org"), org_id=NEWCOMER.org_id, created_at=NOW)
NEW_USER = UserLock(user_hash=digest("newcomer"), org_id=NEWCOMER.org_id, created_at=NOW)
MOVED_LOCK = EmailLock(
    email_hash=digest("hello@vibejudge.ai"), org_id=made.ORG.org_id, created_at=NOW
)
SPRING = made.hackathon_of(15, "Spring Sprint", "draft", 20, 0, updated_at=NOW)


def _organizing() -> Calls:
    renamed = at_version(made.ORG, 1, name="Demo", updated_at=NOW)
    moved = at_version(renamed, 2, email="hello@vibejudge.ai")
    longer = at_version(
        made.OPEN,
        1,
        name="Winter Code Jam 2026",
        end_date=made.day(30),
        budget_limit_usd=Decimal(8),
        updated_at=NOW,
    )
    return {
        "register": writes.register(NEWCOMER, NEW_LOCK, NEW_USER),
        "check_organizer": writes.check_organizer(made.ORG.org_id),
        "change_profile": writes.change_profile(renamed),
        "change_email": writes.change_email(moved, made.EMAIL, MOVED_LOCK),
        "create_hackathon": writes.create_hackathon(SPRING, 24, NOW),
        "edit_hackathon": writes.edit_hackathon(
            longer, NOW, budget_change=Decimal(3), timer=writes.timer_of(longer, NOW)
        ),
    }


# --- submissions ---------------------------------------------------------------------------------

LATE = made.submission_of(
    made.OPEN,
    60,
    "Night Shift",
    "lantern",
    external_id="registration-18",
    created_at=NOW,
    updated_at=NOW,
)
LATER = made.submission_of(made.OPEN, 61, "Second Shift", "torch", created_at=NOW, updated_at=NOW)

CORRECTED = {
    "team_name": "Early Birds 2",
    "repo_url": "https://github.com/early-birds/apple.git",
}
#: Its organiser wants it frozen before its end.
RUNG = Timer(hack_id=made.OPEN.hack_id, due_at=NOW, created_at=NOW)


def _submitting() -> Calls:
    open_, images = made.OPEN.hack_id, made.IMAGES
    out = at_version(images, 2, disqualified_reason="Copied", rank_score=None)
    return {
        "submit": writes.submit([LATE, LATER], made.ORG.org_id, 500, NOW),
        "correct_submission": writes.correct_submission(
            at_version(made.EARLY, 1),
            NOW,
            team_name="Early Birds 2",
            repo_url="https://github.com/early-birds/apple.git",
            repo_owner="early-birds",
            repo_name="apple",
        ),
        "freeze_submission": writes.freeze_submission(
            at_version(made.EARLY, 2, repo_url="https://github.com/early-birds/apple.git"),
            made.commit("apple"),
            NOW,
        ),
        "note_unfrozen": writes.note_unfrozen(open_, LATE.sub_id, "It is not public", NOW),
        "set_timer": writes.set_timer(RUNG),
        "move_timer": writes.move_timer(RUNG, made.day(30)),
        "stop_timer": writes.stop_timer(RUNG.model_copy(update={"due_at": made.day(30)})),
        "disqualify": writes.disqualify(HACK, images.sub_id, "Copied", NOW),
        "reinstate": writes.reinstate(out, NOW),
        "withdraw": writes.withdraw(at_version(made.EARLY, 3, **CORRECTED), made.ORG.org_id, NOW),
    }


# --- analysis ------------------------------------------------------------------------------------

AGAIN_RUN = runs.run_of(
    made.AGAIN, demo_id(20, 46), NOW, status="running", commit_sha=None, updated_at=NOW
)
AGAIN_JOB = runs.job_of(
    made.DONE,
    demo_id(20, 32),
    NOW,
    hackathon_was="completed",
    enumerated=False,
    started_at=None,
    updated_at=NOW,
)
AGAIN_TASK = runs.task_of(AGAIN_JOB, made.AGAIN, due_at=NOW)
#: As it is once claimed.
MINE = at_version(
    AGAIN_TASK, 2, state="leased", lease_owner="worker-3", attempt=1, run_id=AGAIN_RUN.run_id
)
AGAIN_COST = runs.paid_call(made.AGAIN, AGAIN_RUN.run_id, "innovation", NOW)
RESERVED = runs.set_aside(made.AGAIN, AGAIN_RUN.run_id, "innovation", "0.05", NOW)


#: What is shown of the hackathon that the job has completed.
RELEASE = Release(
    hack_id=made.DONE.hack_id,
    release_id=demo_id(20, 95),
    teams=1,
    lowest_scores=[Decimal("76.82")],
    created_at=NOW,
)
RELEASE_PAGE = ReleasePage(
    hack_id=made.DONE.hack_id,
    release_id=RELEASE.release_id,
    page=0,
    rows=[
        ReleasedRow(
            rank=1,
            sub_id=made.AGAIN.sub_id,
            team_name=made.AGAIN.team_name,
            repo_url=made.AGAIN.repo_url,
            score=Decimal("76.82"),
            overall_score=Decimal("76.82"),
        )
    ],
    created_at=NOW,
)


def _analysing() -> Calls:
    org, soon = made.ORG.org_id, NOW + timedelta(seconds=30)
    seen = {"repo_meta": made.REPO_META, "default_branch": "trunk"}
    submission = at_version(made.AGAIN, 3, status="analyzing", **seen)
    return {
        "start_job": job_writes.start_job(AGAIN_JOB, org, NOW),
        "submissions_to_analyse": job_reads.submissions_to_analyse(made.DONE.hack_id),
        "queue_tasks": job_writes.queue_tasks(AGAIN_JOB, [AGAIN_TASK], [], NOW),
        "run_job": job_writes.run_job(
            at_version(AGAIN_JOB, 2, total_submissions=1, started_at=None), NOW
        ),
        "jobs_at_work": job_reads.jobs_at_work("running"),
        "claim": task_writes.claim(AGAIN_TASK, "worker-3", AGAIN_RUN, NOW),
        "pin_commit": task_writes.pin_commit(AGAIN_RUN, made.commit("dash"), NOW),
        "begin_analysis": task_writes.begin_analysis(AGAIN_TASK, NOW),
        "reserve": cost_writes.reserve(RESERVED, NOW),
        "start_call": cost_writes.start_call(RESERVED, NOW),
        "settle": cost_writes.settle(RESERVED, AGAIN_COST, soon),
        "store_score": task_writes.store_score(
            runs.score_of(made.AGAIN, AGAIN_RUN.run_id, "innovation", soon)
        ),
        "store_fingerprint": task_writes.store_fingerprint(runs.fingerprint_of(made.AGAIN, soon)),
        "beat": task_writes.beat(MINE, soon),
        "run_to_go_on": reads.run_to_go_on(made.AGAIN.sub_id, AGAIN_RUN.run_id),
        "stored_scores": reads.stored_scores(made.AGAIN.sub_id, AGAIN_RUN.run_id),
        "costs_of_run": reads.costs_of_run(made.AGAIN.sub_id, AGAIN_RUN.run_id),
        "publish": task_writes.publish(MINE, AGAIN_RUN, submission, _summary(), soon),
        "finish_job": job_writes.finish_job(at_version(AGAIN_JOB, 4), org, "completed", soon),
        "submissions_to_release": releasing.submissions_to_release(made.DONE.hack_id),
        "keep_scores_open": releasing.keep_scores_open(made.DONE.hack_id, NOW),
        "begin_release": releasing.begin_release(_done(), RELEASE.release_id, 10, NOW),
        "release_results": releasing.release_results(RELEASE, [RELEASE_PAGE], NOW),
        "release": releasing.release(made.DONE.hack_id, RELEASE.release_id),
        "release_page": releasing.release_page(made.DONE.hack_id, RELEASE.release_id, 0),
        "fail_task": task_writes.fail_task(
            runs.FAILING_TASK,
            runs.FAILING_RUN,
            "failed",
            "commit_unavailable",
            "The frozen commit is gone",
            NOW,
        ),
        "block_task": task_writes.block_task(
            runs.WAITING_TASK,
            runs.WAITING_RUN,
            "BUDGET_EXCEEDED",
            "A call may cost $0.03, and $0.01 is left.",
            "pending",
            NOW,
        ),
        "put_back": task_writes.put_back(runs.RETURNED_TASK, soon, 0, NOW),
        "wake_task": task_writes.wake_task(runs.QUEUED_TASK, NOW),
        "cancel_waiting": task_writes.cancel_waiting([runs.QUEUED_TASK], NOW),
        "cancel_task": task_writes.cancel_task(runs.RETURNED_TASK, "pending", NOW),
        "ask_to_cancel": job_writes.ask_to_cancel(runs.RUNNING_JOB, NOW),
        "free_reservation": cost_writes.free_reservation(runs.ORPHAN, NOW),
        "resume_job": job_writes.resume_job(runs.STOPPED_JOB, org, NOW),
        "flag_summary": task_writes.flag_summary(
            at_version(_summary(), 2), [f"similar:{made.CHATBOT.sub_id}:64"], soon
        ),
        "rescore": task_writes.rescore(at_version(made.CHATBOT, 1), _rescored(), NOW),
    }


def _done() -> HackathonDetail:
    """As the job has left it."""
    return at_version(made.DONE, 4, status="completed", active_job_id=None, updated_at=NOW)


def _summary() -> SubmissionSummary:
    again = runs.summary_of(made.AGAIN, AGAIN_RUN.run_id, NOW)
    return at_version(again, 1, overall_score=Decimal("76.82"))


def _rescored() -> SubmissionSummary:
    summary = runs.summary_of(made.CHATBOT, RUN, NOW)
    return at_version(summary, 1, overall_score=Decimal("75.88"))


# --- judging -------------------------------------------------------------------------------------

BARBARA = people.judge_of(53, "Barbara")
OVERRIDE = Override(
    sub_id=made.PIPELINE.sub_id,
    override_id=demo_id(20, 81),
    hack_id=HACK,
    score=Decimal("80.00"),
    reason="Shown live, and it worked",
    created_at=NOW,
    updated_at=NOW,
)
APPEAL = Appeal(
    sub_id=made.PIPELINE.sub_id,
    appeal_id=demo_id(20, 91),
    hack_id=HACK,
    text="One agent looked at a fork",
    created_at=NOW,
    updated_at=NOW,
)


def _judging() -> Calls:
    overridden = at_version(
        made.PIPELINE,
        2,
        final_score=OVERRIDE.score,
        rank_score=OVERRIDE.score,
        override_id=OVERRIDE.override_id,
    )
    rescored = at_version(
        made.CHATBOT, 2, overall_score=Decimal("75.88"), rank_score=Decimal("75.88")
    )
    conflicted = at_version(people.ADA, 1, conflicts={made.IMAGES.sub_id}, updated_at=NOW)
    return {
        "invite_judge": judging.invite_judge(BARBARA, people.invite_of(BARBARA)),
        "accept_invite": judging.accept_invite(people.invite_of(people.ALAN), NOW),
        "change_judge": judging.change_judge(conflicted),
        "add_round": judging.add_round(people.round_of(3, state="setup")),
        "move_round": judging.move_round(HACK, 3, "open", "setup", NOW),
        "invite_again": judging.invite_again(people.invite_of(conflicted, "again"), NOW),
        "change_round": judging.change_round(at_version(people.round_of(2), 1, weight=Decimal(1))),
        "assign": judging.assign([people.assignment_of(1, people.GRACE, made.PIPELINE)], []),
        "score_submission": judging.score_submission(
            people.human_score(people.ADA, made.PIPELINE, NOW), NOW
        ),
        "compare_submissions": judging.compare_submissions(
            people.comparison_of(people.ADA, made.PIPELINE, made.CHATBOT, NOW), NOW
        ),
        "skip_assignment": judging.skip_assignment(
            at_version(people.SKIPPED, 1), "I know the team", NOW
        ),
        "request_blend": judging.request_blend(people.request_of(86, NOW)),
        "blend_request": judging.blend_request(HACK),
        "blend_score": judging.blend_score(
            people.request_of(86, NOW), rescored, Decimal("80.12"), Decimal("0.5"), NOW
        ),
        "finish_blend": judging.finish_blend(people.request_of(86, NOW)),
        "override_score": judging.override_score(OVERRIDE, at_version(made.PIPELINE, 1), NOW),
        "revoke_override": judging.revoke_override(OVERRIDE, overridden, NOW),
        "issue_result_token": writes.issue_result_token(HACK, SUB, digest("secret"), NOW),
        "appeal": judging.appeal(APPEAL, NOW),
        "answer_appeal": judging.answer_appeal(
            SUB, made.APPEAL_ID, "upheld", "They count now", NOW
        ),
    }


# --- mending -------------------------------------------------------------------------------------

#: Of a submission that is not there.
STRAY = TeamLock(hack_id=made.STOPPED.hack_id, team="ghosts", sub_id=demo_id(7, 99), created_at=NOW)
LACKING = ExternalLock(
    hack_id=made.OPEN.hack_id, external_id="registration-19", sub_id=LATER.sub_id, created_at=NOW
)


def _mending() -> Calls:
    listed = at_version(SPRING.listing(), 1)
    cost = at_version(made.cost_of(made.STOPPED), 1, total_input_tokens=7)
    score = Decimal("71.00")
    return {
        "mend_hackathon": auditing.mend_hackathon(at_version(SPRING, 1), listed, 7, NOW),
        "mend_lock": auditing.mend_lock(at_version(LATER, 1), LACKING),
        "drop_lock": auditing.drop_lock(STRAY),
        "mend_cost": auditing.mend_cost(cost),
        "mend_score": auditing.mend_score(at_version(LATER, 1), score, score, NOW),
    }


# --- erasing -------------------------------------------------------------------------------------


def erasure_of(org_id: str, hack_id: str | None = None) -> Erasure:
    return Erasure(org_id=org_id, hack_id=hack_id, since=NOW, resume_at=NOW, created_at=NOW)


def _erasing() -> Calls:
    halted = made.HALTED
    put_off = made.ERASURE.model_copy(update={"resume_at": NOW + timedelta(minutes=2)})
    return {
        "erase": erasing_writes.erase([halted, *made.locks_of(halted), runs.HALTED_TASK]),
        "erase_organizer": writes.erase_organizer(
            erasure_of(NEWCOMER.org_id), NEW_LOCK.email_hash, NEW_USER.user_hash
        ),
        "erase_hackathon": erasing_writes.erase_hackathon(
            erasure_of(made.ORG.org_id, SPRING.hack_id), SPRING.hack_id
        ),
        "put_off_erasure": erasing_writes.put_off_erasure(put_off),
        "end_erasure": erasing_writes.end_erasure(put_off),
    }
