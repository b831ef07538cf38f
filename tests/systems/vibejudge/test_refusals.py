"""What the writes do not allow, and what is left untouched then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError
from tests.systems.vibejudge.conftest import loaded

from tablewright.client import Db, Embedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import new_ulid, put
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    ModelError,
    NotFound,
    TransactionCancelled,
    VersionConflict,
)
from tablewright.model.explain import requests_of
from tablewright.systems.vibejudge import demo as calls
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge import demo_hackathons as made
from tablewright.systems.vibejudge import demo_judging as people
from tablewright.systems.vibejudge import model as m
from tablewright.systems.vibejudge.demo import at_version
from tablewright.systems.vibejudge.demo_hackathons import NOW, demo_id

ORG, HACK, OPEN = made.ORG.org_id, made.JUDGED.hack_id, made.OPEN.hack_id


@contextmanager
def refused(*causes: type[Exception]) -> Iterator[None]:
    """A transaction is cancelled, by these members' errors and no others."""
    with pytest.raises(TransactionCancelled) as caught:
        yield
    assert [type(each.error) for each in caught.value.failures] == list(causes)


def entry(number: int, team: str, repo: str, **more: object) -> Any:
    return made.submission_of(made.OPEN, 100 + number, team, repo, **more)  # type: ignore[arg-type]


# --- organisers and hackathons -------------------------------------------------------------------


def test_an_address_belongs_to_one_organiser(db: Db) -> None:
    other = calls.NEWCOMER
    lock = m.EmailLock(email_hash=made.EMAIL.email_hash, org_id=other.org_id, created_at=NOW)
    with refused(AlreadyExists):
        db.run(m.register(other, lock))
    assert db.run(m.organizer(other.org_id)) is None


def test_the_address_of_another_cannot_be_released(db: Db) -> None:
    db.run(m.register(calls.NEWCOMER, calls.NEW_LOCK))
    with refused(ConditionFailed):
        erasure = calls.erasure_of(calls.NEWCOMER.org_id)
        db.run(m.erase_organizer(erasure, made.EMAIL.email_hash))
    with refused(ConditionFailed):
        db.run(m.change_email(at_version(made.ORG, 1), calls.NEW_LOCK, calls.MOVED_LOCK))
    assert db.run(m.organizer(calls.NEWCOMER.org_id)) is not None


def test_a_tier_allows_so_many_hackathons_a_year(db: Db) -> None:
    with refused(ConditionFailed):
        db.run(m.create_hackathon(calls.SPRING, 5, NOW))
    assert db.run(m.hackathon(calls.SPRING.hack_id)) is None
    assert db.require(m.org_usage(ORG, 2026)).hackathons == 5
    # Another year begins at nothing, and some tiers have no limit.
    db.run(m.create_hackathon(calls.SPRING, 1, NOW + timedelta(days=60)))
    assert db.require(m.org_usage(ORG, 2027)).hackathons == 1
    another = made.hackathon_of(16, "One More", "draft", 20, 0)
    db.run(m.create_hackathon(another, None, NOW))
    assert db.require(m.org_usage(ORG, 2026)).hackathons == 6


def test_a_draft_without_an_end_has_no_timer(db: Db) -> None:
    vague = made.hackathon_of(17, "Some Day", "draft", 20, 0, start_date=None, end_date=None)
    db.run(m.create_hackathon(vague, None, NOW))
    assert db.require(m.hackathon_partition(vague.hack_id)).timer is None
    assert vague.hack_id not in {each.hack_id for each in db.run(m.public_hackathons())}


def test_an_edit_rests_on_the_latest_version(db: Db) -> None:
    seen = db.require(m.hackathon(OPEN))
    db.run(m.submit([entry(1, "Quick", "quick")], ORG, 500, NOW))
    with refused(VersionConflict):
        db.run(m.edit_hackathon(seen, NOW))
    assert db.require(m.hackathon(OPEN)).submission_count == 2


def test_a_budget_cannot_go_below_what_is_spent_or_reserved(db: Db) -> None:
    seen = db.require(m.hackathon(made.RUNNING.hack_id))
    with refused(ConditionFailed):
        db.run(m.edit_hackathon(seen, NOW, budget_change=Decimal("-4.76")))
    db.run(m.edit_hackathon(seen, NOW, budget_change=Decimal("-4.75")))
    assert db.require(m.hackathon_cost(seen.hack_id)).budget_remaining_usd == 0


def test_begin_release_of_released_or_analysed_hackathon_is_refused(db: Db) -> None:
    seen = db.require(m.hackathon(HACK))
    with refused(ConditionFailed, AlreadyExists):  # A blend is waiting there, too.
        db.run(m.begin_release(seen, new_ulid(), None, NOW))
    seen = db.require(m.hackathon(made.RUNNING.hack_id))
    with refused(ConditionFailed):
        db.run(m.begin_release(seen, new_ulid(), None, NOW))


def test_begin_release_of_outdated_hackathon_is_refused(db: Db) -> None:
    seen = db.require(m.hackathon(OPEN))
    db.run(m.keep_scores_open(OPEN, NOW))
    with refused(VersionConflict):
        db.run(m.begin_release(seen, new_ulid(), None, NOW))


def test_begin_release_while_final_scores_are_pending_is_refused(db: Db) -> None:
    db.run(m.request_blend(m.BlendRequest(hack_id=OPEN, created_at=NOW)))
    with refused(AlreadyExists):
        db.run(m.begin_release(db.require(m.hackathon(OPEN)), new_ulid(), None, NOW))


def test_release_results_after_reopening_is_refused(db: Db) -> None:
    header, page = calls.RELEASE, calls.RELEASE_PAGE
    with refused(ConditionFailed):
        db.run(m.release_results(header, [page], NOW))
    assert db.run(m.release(header.hack_id, header.release_id)) is None


def test_a_frozen_commit_stays(db: Db) -> None:
    with pytest.raises(ConditionFailed):
        db.run(m.freeze_submission(made.CHATBOT, made.commit("other"), NOW))


def test_a_commit_of_a_repository_that_was_given_up_is_not_frozen(db: Db) -> None:
    other = made.EARLY.model_copy(update={"repo_url": "https://github.com/early-birds/before"})
    with pytest.raises(ConditionFailed):
        db.run(m.freeze_submission(other, made.commit("before"), NOW))


def test_a_timer_that_was_set_anew_rings(db: Db) -> None:
    rung = made.TIMER.model_copy(update={"due_at": made.day(20)})
    for late in (m.stop_timer(rung), m.move_timer(rung, made.day(21))):
        with pytest.raises(ConditionFailed):
            db.run(late)


# --- submissions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("again", "causes"),
    [
        (entry(2, "Other", "worm", repo_url="https://GITHUB.com/early-birds/WORM.git/"), 1),
        (entry(2, "EARLY  birds", "other"), 1),
        (entry(2, "Other", "other", external_id="registration-17"), 1),
        (entry(2, "Early Birds", "worm", external_id="registration-17"), 3),
    ],
)
def test_repository_team_and_foreign_id_occur_once(db: Db, again: Any, causes: int) -> None:
    with refused(*[AlreadyExists] * causes):
        db.run(m.submit([entry(1, "Fresh", "fresh"), again], ORG, 500, NOW))
    assert len(db.run(m.submissions(OPEN))) == 1
    assert db.run(m.repo_lock(OPEN, "github.com/fresh/fresh")) is None
    assert db.require(m.hackathon(OPEN)).submission_count == 1


def test_the_same_repository_may_take_part_elsewhere(db: Db) -> None:
    moved = made.CHATBOT.model_copy(
        update={"hack_id": OPEN, "sub_id": demo_id(20, 99), "rank_score": None}
    )
    db.run(m.submit([moved], ORG, 500, NOW))
    assert db.require(m.repo_lock(OPEN, "github.com/demo-team-1/bedrock-chatbot"))


def test_a_batch_of_twenty_fits_one_transaction_and_fills_the_room(db: Db) -> None:
    rows = [entry(n, f"Team {n}", f"repo-{n}", external_id=f"x{n}") for n in range(20)]
    ((_, body),) = requests_of(m.submit(rows, ORG, 21, NOW))
    assert len(body["TransactItems"]) == 82
    with refused(ConditionFailed):
        db.run(m.submit(rows, ORG, 20, NOW))
    db.run(m.submit(rows, ORG, 21, NOW))
    assert db.require(m.hackathon(OPEN)).submission_count == 21
    assert len(list(db.iterate(m.submissions(OPEN)))) == 21


def test_submissions_come_while_a_hackathon_is_open_or_from_its_owner(db: Db) -> None:
    over = made.day(29)
    with refused(ConditionFailed):
        db.run(m.submit([entry(3, "Late", "late")], ORG, 500, over))
    db.run(m.submit([entry(3, "Late", "late")], ORG, 500, over, by_owner=True))
    closed = made.submission_of(made.DONE, 130, "Later", "later")
    with refused(ConditionFailed):
        db.run(m.submit([closed], ORG, 500, made.day(13), by_owner=True))
    assert db.run(m.submission(closed.hack_id, closed.sub_id)) is None


def test_correct_submission_of_released_hackathon_is_refused(db: Db) -> None:
    done = db.require(m.submission(HACK, made.CHATBOT.sub_id))
    changed = {"repo_url": "https://github.com/a/b", "repo_owner": "a", "repo_name": "b"}
    with refused(ConditionFailed):
        db.run(m.correct_submission(done, NOW, team_name="Other", **changed))
    assert db.require(m.repo_lock(HACK, "github.com/demo-team-1/bedrock-chatbot"))


def test_what_was_withdrawn_or_disqualified_is_not_ranked_again_by_accident(db: Db) -> None:
    images = made.IMAGES
    db.run(m.disqualify(HACK, images.sub_id, "Copied", NOW))
    marked = db.require(m.submission(HACK, images.sub_id))
    request = m.BlendRequest(hack_id=HACK, created_at=NOW)
    db.run(m.request_blend(request))
    db.run(m.blend_score(request, marked, Decimal("90.00"), Decimal(1), NOW))
    blended = db.require(m.submission(HACK, images.sub_id))
    assert (blended.final_score, blended.rank_score) == (Decimal("90.00"), None)
    with refused(ConditionFailed):
        db.run(m.override_score(_override(images), blended, NOW))
    with refused(ConditionFailed):
        db.run(m.withdraw(blended, ORG, NOW))  # its results are released
    db.run(put(blended.model_copy(update={"status": "withdrawn"})).replace())
    gone = db.require(m.submission(HACK, images.sub_id))
    assert db.run(m.reinstate(gone, NOW)).rank_score is None
    assert images.sub_id not in {each.sub_id for each in db.run(m.leaderboard(HACK))}


def test_equal_scores_share_a_rank(db: Db) -> None:
    for number, score in ((140, "61.40"), (141, "61.40"), (142, "9.05"), (143, "100")):
        db.run(put(made.submission_of(made.JUDGED, number, f"T{number}", "r", "completed", score)))
    scores = [each.rank_score for each in db.run(m.leaderboard(HACK))]
    assert scores == sorted(scores, reverse=True)
    ranks = [db.run(m.better_ranked(HACK, score)) + 1 for score in scores]
    assert ranks == [1, 2, 3, 3, 3, 6, 7]


# --- jobs and tasks ------------------------------------------------------------------------------


def test_a_hackathon_has_one_job_at_a_time(db: Db) -> None:
    db.run(m.start_job(calls.AGAIN_JOB, ORG, NOW))
    second = made_job(33)
    with refused(ConditionFailed):
        db.run(m.start_job(second, ORG, NOW))
    db.run(m.queue_tasks(calls.AGAIN_JOB, [calls.AGAIN_TASK], [], NOW))
    with refused(AlreadyExists):
        db.run(m.queue_tasks(calls.AGAIN_JOB, [calls.AGAIN_TASK], [], NOW))
    assert [each.job_id for each in db.run(m.jobs_of_hackathon(made.DONE.hack_id))] == [
        calls.AGAIN_JOB.job_id
    ]


def made_job(number: int) -> Any:
    return runs.job_of(made.DONE, demo_id(20, number), NOW)


def test_a_job_ends_once_and_only_its_own_hackathon(db: Db) -> None:
    running = db.require(m.job(runs.RUNNING_JOB.hack_id, runs.RUNNING_JOB.job_id))
    db.run(m.finish_job(running, ORG, "failed", NOW))
    detail = db.require(m.hackathon(running.hack_id))
    assert (detail.status, detail.active_job_id) == ("configured", None)
    with refused(VersionConflict, ConditionFailed):
        db.run(m.finish_job(running, ORG, "completed", NOW))
    with refused(ConditionFailed, ConditionFailed):
        db.run(m.finish_job(at_version(running, 2), ORG, "completed", NOW))


def test_one_worker_gets_a_task(db: Db) -> None:
    task = runs.QUEUED_TASK
    first = runs.run_of(made.QUEUED, demo_id(20, 150), NOW, status="running")
    db.run(m.claim(task, "one", first, NOW))
    second = runs.run_of(made.QUEUED, demo_id(20, 151), NOW, status="running")
    with refused(ConditionFailed):
        db.run(m.claim(task, "two", second, NOW))
    # Nor later, when the lease has run out: what it has seen of the task is too old.
    with refused(ConditionFailed):
        db.run(m.claim(task, "two", second, NOW + timedelta(seconds=120)))
    assert [each.run_id for each in db.run(m.runs_of_submission(task.sub_id))] == [first.run_id]


def test_a_lost_lease_is_taken_over_with_its_run(db: Db) -> None:
    lost, run = runs.FAILING_TASK, runs.FAILING_RUN
    with refused(ConditionFailed):
        db.run(m.claim(lost, "other", run, NOW))
    later = NOW + timedelta(seconds=60)
    db.run(m.claim(lost, "other", run, later))
    # The first worker wakes up, and can do nothing.
    with pytest.raises(ConditionFailed):
        db.run(m.beat(lost, later))
    submission = db.require(m.submission(lost.hack_id, lost.sub_id))
    summary = runs.summary_of(made.FAILING, run.run_id, later)
    with refused(ConditionFailed):
        db.run(m.publish(lost, run, submission, summary, later))
    assert db.run(m.submission_summary(lost.sub_id)) is None
    mine = at_version(lost, 2, lease_owner="other", attempt=2)
    db.run(m.publish(mine, run, submission, summary, later))
    assert db.require(m.hackathon_cost(lost.hack_id)).submissions_analyzed == 1
    assert len(db.run(m.runs_of_submission(lost.sub_id))) == 1


def test_nothing_is_published_once_the_job_is_cancelled(db: Db) -> None:
    task, run = runs.FAILING_TASK, runs.FAILING_RUN
    db.run(m.finish_job(at_version(runs.RUNNING_JOB, 1), ORG, "cancelled", NOW))
    submission = db.require(m.submission(task.hack_id, task.sub_id))
    summary = runs.summary_of(made.FAILING, run.run_id, NOW)
    with refused(ConditionFailed):
        db.run(m.publish(task, run, submission, summary, NOW))
    db.run(m.cancel_task(task, "pending", NOW))
    assert db.require(m.submission(task.hack_id, task.sub_id)).status == "pending"
    # The rest is cancelled, and the job goes on where it was.
    job = db.require(m.job(task.hack_id, task.job_id))
    db.run(m.resume_job(job, ORG, NOW))
    (again,) = (each for each in db.run(m.tasks_of_job(task.job_id)) if each.state == "cancelled")
    db.run(m.queue_tasks(job, [], [again], NOW))
    (again,) = (each for each in db.run(m.tasks_of_job(task.job_id)) if each.sub_id == again.sub_id)
    assert (again.state, again.run_id, again.expires_at) == ("queued", run.run_id, None)


def test_no_task_is_added_to_a_job_that_runs_or_is_to_end(db: Db) -> None:
    job, task = calls.AGAIN_JOB, calls.AGAIN_TASK
    db.run(m.start_job(job, ORG, NOW))
    db.run(m.ask_to_cancel(job, NOW))
    with pytest.raises(ConditionFailed):
        db.run(m.ask_to_cancel(job, NOW))
    with refused(ConditionFailed):
        db.run(m.queue_tasks(job, [task], [], NOW))
    with pytest.raises(ConditionFailed):
        db.run(m.run_job(job, NOW))
    with refused(ConditionFailed):
        db.run(m.queue_tasks(runs.RUNNING_JOB, [task], [], NOW))
    assert len(db.run(m.tasks_of_job(job.job_id))) == 0


def test_nothing_is_published_once_somebody_has_asked_to_cancel(db: Db) -> None:
    task, run = runs.FAILING_TASK, runs.FAILING_RUN
    db.run(m.ask_to_cancel(runs.RUNNING_JOB, NOW))
    submission = db.require(m.submission(task.hack_id, task.sub_id))
    summary = runs.summary_of(made.FAILING, run.run_id, NOW)
    for op in (
        m.publish(task, run, submission, summary, NOW),
        m.fail_task(task, run, "failed", "x", "x", NOW),
        m.block_task(task, run, "budget", "No money is left.", "pending", NOW),
    ):
        with refused(ConditionFailed):
            db.run(op)
    # Whoever finds it with a lease that ran out may end it; not before.
    found = at_version(task, 1, lease_owner="somebody else")
    with refused(ConditionFailed):
        db.run(m.cancel_task(found, "pending", NOW))
    db.run(m.cancel_task(found, "pending", NOW + timedelta(seconds=60)))
    assert db.require(m.submission(task.hack_id, task.sub_id)).status == "pending"


def test_a_lease_of_a_clock_that_was_wrong_can_be_taken(db: Db) -> None:
    lost, run = runs.FAILING_TASK, runs.FAILING_RUN
    with refused(ConditionFailed):
        db.run(m.claim(lost, "other", run, NOW - timedelta(minutes=5)))
    db.run(m.claim(lost, "other", run, NOW - timedelta(hours=1)))


def test_a_team_that_withdraws_stays_withdrawn(db: Db) -> None:
    task, run = runs.FAILING_TASK, runs.FAILING_RUN
    db.run(m.withdraw(db.require(m.submission(task.hack_id, task.sub_id)), ORG, NOW))
    submission = db.require(m.submission(task.hack_id, task.sub_id))
    summary = runs.summary_of(made.FAILING, run.run_id, NOW)
    for op in (
        m.publish(task, run, submission, summary, NOW),
        m.fail_task(task, run, "failed", "x", "x", NOW),
        m.block_task(task, run, "budget", "No money is left.", "pending", NOW),
        m.cancel_task(task, "pending", NOW),
    ):
        with refused(ConditionFailed):
            db.run(op)
    db.run(m.cancel_task(task, None, NOW))
    assert db.require(m.submission(task.hack_id, task.sub_id)).status == "withdrawn"


def test_a_disqualified_submission_is_analysed_but_not_ranked(db: Db) -> None:
    task, run = runs.FAILING_TASK, runs.FAILING_RUN
    db.run(m.disqualify(task.hack_id, task.sub_id, "Copied", NOW))
    submission = db.require(m.submission(task.hack_id, task.sub_id))
    summary = runs.summary_of(made.FAILING, run.run_id, NOW)
    db.run(m.publish(task, run, submission, summary, NOW))
    assert db.require(m.submission(task.hack_id, task.sub_id)).overall_score is not None
    assert len(db.run(m.leaderboard(task.hack_id))) == 0


def test_a_commit_is_pinned_once(db: Db) -> None:
    run = runs.FAILING_RUN
    with pytest.raises(ConditionFailed):
        db.run(m.pin_commit(run, made.commit("moved on"), NOW))
    assert run.commit_sha is not None
    assert db.run(m.pin_commit(run, run.commit_sha, NOW)).commit_sha == run.commit_sha


def test_jobs_and_tasks_are_gone_thirty_days_after_their_end() -> None:
    clock = ManualClock(NOW.timestamp())
    with Engine.memory(clock=clock) as engine:
        loaded(engine)
        db = Db(Embedded(engine), clock=clock)
        db.run(m.cancel_task(runs.QUEUED_TASK, None, NOW))
        db.run(m.finish_job(at_version(runs.RUNNING_JOB, 2), ORG, "cancelled", NOW))
        for days, jobs, tasks in ((29, 1, 4), (2, 0, 3)):
            clock.advance(timedelta(days=days).total_seconds())
            assert len(db.run(m.jobs_of_hackathon(runs.RUNNING_JOB.hack_id))) == jobs
            assert len(db.run(m.tasks_of_job(runs.RUNNING_JOB.job_id))) == tasks
        found = {each.job_id for each in db.run(m.jobs_by_status("cancelled"))}
        assert found == {runs.STOPPED_JOB.job_id}


# --- costs ---------------------------------------------------------------------------------------


def reservation(number: int, amount: str) -> Any:
    changed = {"call": number, "amount_usd": Decimal(amount)}
    return calls.RESERVED.model_copy(update=changed)


def test_no_more_is_reserved_than_is_left(db: Db) -> None:
    passed = 0
    for number in range(1, 20):
        try:
            db.run(m.reserve(reservation(number, "0.49"), NOW))
            passed += 1
        except TransactionCancelled:
            pass
    assert passed == 10
    assert db.require(m.hackathon_cost(made.DONE.hack_id)).budget_remaining_usd == Decimal("0.0991")
    assert len(db.run(m.reservations(made.DONE.hack_id))) == 10


def test_a_call_is_settled_once(db: Db) -> None:
    db.run(m.reserve(calls.RESERVED, NOW))
    db.run(m.settle(calls.RESERVED, calls.AGAIN_COST, NOW))
    before = db.require(m.hackathon_cost(made.DONE.hack_id))
    with refused(NotFound, AlreadyExists):
        db.run(m.settle(calls.RESERVED, calls.AGAIN_COST, NOW))
    with refused(NotFound):
        db.run(m.free_reservation(calls.RESERVED, NOW))
    assert db.require(m.hackathon_cost(made.DONE.hack_id)) == before


def test_a_call_that_went_out_is_not_given_back(db: Db) -> None:
    db.run(m.start_call(runs.ORPHAN, NOW))
    with refused(ConditionFailed):
        db.run(m.free_reservation(runs.ORPHAN, NOW))
    assert len(db.run(m.reservations(runs.ORPHAN.hack_id))) == 1


def test_costs_are_not_erased(db: Db) -> None:
    found = db.run(m.submission_partition(made.CHATBOT.sub_id))
    with pytest.raises(ModelError):
        m.erase(list(found.costs))
    db.run(m.erase([found.summary, *found.runs, *found.scores, *found.human_scores]))
    left = db.run(m.submission_partition(made.CHATBOT.sub_id))
    assert (left.summary, left.runs, left.scores, len(left.costs)) == (None, (), (), 1)


def test_a_whole_hackathon_can_be_erased_but_for_its_costs(db: Db) -> None:
    found = db.run(m.hackathon_partition(HACK))
    several = [
        each for bucket in vars(found).values() if isinstance(bucket, tuple) for each in bucket
    ]
    db.run(m.erase([found.detail, found.blend, *several]))
    left = vars(db.run(m.hackathon_partition(HACK)))
    assert {name for name, bucket in left.items() if bucket} == {"cost"}


# --- judging -------------------------------------------------------------------------------------


def _override(submission: Any) -> Any:
    return calls.OVERRIDE.model_copy(update={"sub_id": submission.sub_id})


def test_an_unscored_submission_has_nothing_to_override(db: Db) -> None:
    override = calls.OVERRIDE.model_copy(update={"hack_id": OPEN, "sub_id": made.EARLY.sub_id})
    with refused(ConditionFailed):
        db.run(m.override_score(override, at_version(made.EARLY, 1), NOW))
    assert len(db.run(m.overrides(made.EARLY.sub_id))) == 0


def test_an_override_is_revoked_once(db: Db) -> None:
    db.run(m.override_score(calls.OVERRIDE, at_version(made.PIPELINE, 1), NOW))
    for cancelled in (False, True):
        submission = db.require(m.submission(HACK, made.PIPELINE.sub_id))
        op = m.revoke_override(calls.OVERRIDE, submission, NOW)
        if cancelled:
            with refused(ConditionFailed, ConditionFailed):
                db.run(op)
        else:
            db.run(op)
    revoked = db.run(m.overrides(calls.OVERRIDE.sub_id))
    assert [each.revoked_at for each in revoked] == [NOW]


def test_judging_needs_an_open_round_and_an_assignment(db: Db) -> None:
    ada, grace = people.ADA, people.GRACE
    with refused(NotFound):
        db.run(m.score_submission(people.human_score(grace, made.PIPELINE, NOW), NOW))
    db.run(m.move_round(HACK, 1, "closed", "open", NOW))
    with refused(ConditionFailed):
        db.run(m.score_submission(people.human_score(ada, made.PIPELINE, NOW), NOW))
    with refused(ConditionFailed):
        db.run(m.skip_assignment(at_version(people.SKIPPED, 1), "No time", NOW))
    db.run(m.move_round(HACK, 2, "paused", "open", NOW))
    chosen = people.comparison_of(ada, made.PIPELINE, made.CHATBOT, NOW)
    with refused(ConditionFailed):
        db.run(m.compare_submissions(chosen, NOW))
    assert len(db.run(m.human_scores(made.PIPELINE.sub_id))) == 0
    with pytest.raises(ConditionFailed):
        db.run(m.move_round(HACK, 1, "closed", "open", NOW))


def test_a_pair_is_one_item_whoever_is_named_first(db: Db) -> None:
    one = people.comparison_of(people.ADA, made.PIPELINE, made.CHATBOT, NOW)
    other = people.comparison_of(people.ADA, made.CHATBOT, made.PIPELINE, NOW)
    db.run(m.compare_submissions(one, NOW))
    db.run(m.compare_submissions(other, NOW))
    (found,) = db.run(m.comparisons(HACK, 2, judge_id=people.ADA.judge_id))
    assert found.winner == made.CHATBOT.sub_id
    with pytest.raises(ValidationError):
        m.Comparison.model_validate({**one.model_dump(), "second_id": one.first_id})


def test_an_invitation_is_used_once_within_a_week() -> None:
    clock = ManualClock(NOW.timestamp())
    with Engine.memory(clock=clock) as engine:
        loaded(engine)
        db = Db(Embedded(engine), clock=clock)
        alan = people.invite_of(people.ALAN)
        db.run(m.accept_invite(alan, NOW))
        with refused(NotFound, ConditionFailed):
            db.run(m.accept_invite(alan, NOW))
        # Of two invitations the later one counts.
        first, second = (people.invite_of(people.ALAN, which) for which in ("one", "two"))
        db.run(m.invite_again(first, NOW))
        db.run(m.invite_again(second, NOW))
        with refused(ConditionFailed):
            db.run(m.accept_invite(first, NOW))
        db.run(m.accept_invite(second, NOW))
        gone = db.require(m.judge(HACK, people.ALAN.judge_id)).model_copy(
            update={"state": "removed"}
        )
        db.run(m.change_judge(gone))
        with refused(ConditionFailed):
            db.run(m.invite_again(people.invite_of(gone, "again"), NOW))
        judge = people.judge_of(54, "Edsger")
        fresh = m.Invite(
            token_hash=made.digest("x"), hack_id=HACK, judge_id=judge.judge_id, created_at=NOW
        )
        db.run(m.invite_judge(judge, fresh))
        clock.advance(timedelta(days=7, seconds=1).total_seconds())
        assert db.run(m.invite(fresh.token_hash)) is None
        with refused(NotFound):
            db.run(m.accept_invite(fresh, NOW))


def test_a_team_appeals_once_and_in_time(db: Db) -> None:
    with refused(ConditionFailed):
        again = calls.APPEAL.model_copy(update={"sub_id": made.CHATBOT.sub_id})
        db.run(m.appeal(again, NOW))
    assert made.JUDGED.released_at is not None
    late = made.JUDGED.released_at + timedelta(hours=72, seconds=1)
    with refused(ConditionFailed):
        db.run(m.appeal(calls.APPEAL, late))
    db.run(m.appeal(calls.APPEAL, late - timedelta(seconds=1)))
    answer = m.answer_appeal(calls.APPEAL.sub_id, calls.APPEAL.appeal_id, "rejected", "No.", NOW)
    db.run(answer)
    with pytest.raises(ConditionFailed):
        db.run(answer)


def test_what_people_decided_outlives_another_analysis(db: Db) -> None:
    chatbot = db.require(m.submission(HACK, made.CHATBOT.sub_id))
    request = m.BlendRequest(hack_id=HACK, created_at=NOW)
    db.run(m.request_blend(request))
    db.run(m.blend_score(request, chatbot, Decimal("50.00"), Decimal("0.5"), NOW))
    judged = db.require(m.submission(HACK, chatbot.sub_id))
    assert judged.final_score == Decimal("63.41")
    rescored = at_version(
        runs.summary_of(made.CHATBOT, made.CHATBOT.run_id or "", NOW),
        1,
        overall_score=Decimal("60.00"),
    )
    db.run(m.rescore(judged, rescored, NOW))
    again = db.require(m.submission(HACK, chatbot.sub_id))
    assert (again.final_score, again.rank_score) == (Decimal("55.00"), Decimal("55.00"))
    override = _override(chatbot)
    db.run(m.override_score(override, again, NOW))
    decided = db.require(m.submission(HACK, chatbot.sub_id))
    summary = db.require(m.submission_summary(chatbot.sub_id))
    db.run(m.rescore(decided, at_version(rescored, summary.version), NOW))
    final = db.require(m.submission(HACK, chatbot.sub_id))
    assert (final.final_score, final.rank_score) == (override.score, override.score)
    assert db.require(m.submission_summary(chatbot.sub_id)).override_id == override.override_id
    db.run(m.revoke_override(override, final, NOW))
    freed = db.require(m.submission(HACK, chatbot.sub_id))
    assert (freed.final_score, freed.override_id) == (Decimal("55.00"), None)
