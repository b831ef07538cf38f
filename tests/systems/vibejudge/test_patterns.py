"""Each pattern's call of the demo does what its docstring says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.vibejudge.conftest import loaded

from tablewright.client import Db
from tablewright.engine import Engine
from tablewright.systems.vibejudge import demo as calls
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge import demo_hackathons as made
from tablewright.systems.vibejudge import demo_judging as people
from tablewright.systems.vibejudge import model as m

ORG, HACK, SUB = made.ORG.org_id, made.JUDGED.hack_id, made.CHATBOT.sub_id
PIPELINE, IMAGES = made.PIPELINE.sub_id, made.IMAGES.sub_id
OPEN, DONE, BUSY = made.OPEN.hack_id, made.DONE.hack_id, made.RUNNING.hack_id
AGAIN, NOW = made.AGAIN, made.NOW

Check = Callable[[Db, Any], None]
CHECKS: dict[str, Check] = {}


def after(function: Check) -> Check:
    """Look at what the call of this name gave, right after it."""
    CHECKS[function.__name__] = function
    return function


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[str, Exception | None]]:
    """All calls in their order, each with what its check found wrong."""
    found: dict[str, Exception | None] = {}
    with Engine.memory() as engine:
        db = loaded(engine)
        for name, op in calls.demo().calls.items():
            found[name] = None
            try:
                CHECKS[name](db, db.run(op))
            except Exception as wrong:
                found[name] = wrong
        yield found


@pytest.mark.parametrize("name", m.model.patterns)
def test_sample(name: str, outcomes: dict[str, Exception | None]) -> None:
    wrong = outcomes[name]
    if wrong is not None:
        raise wrong


def test_every_pattern_is_looked_at() -> None:
    assert set(CHECKS) == set(m.model.patterns)


# --- reads of organisers and hackathons ----------------------------------------------------------


@after
def organizer(db: Db, found: Any) -> None:
    assert (found.email, found.tier, found.version) == ("demo@vibejudge.ai", "premium", 1)


@after
def email_lock(db: Db, found: Any) -> None:
    assert found.org_id == ORG
    assert db.run(m.email_lock("0" * 64)) is None


@after
def org_usage(db: Db, found: Any) -> None:
    assert (found.hackathons, found.spend_usd) == (5, Decimal("0.1402"))
    assert db.run(m.org_usage(ORG, 2025)) is None


@after
def hackathons_of_organizer(db: Db, found: Any) -> None:
    assert [each.name for each in found] == [
        "Winter Code Jam",
        "Night of a Thousand Prompts",
        "Data Sprint",
        "Campus Hack",
        "AWS Bedrock Builders Hackathon",
    ]


@after
def hackathon(db: Db, found: Any) -> None:
    assert found.rubric == made.RUBRIC
    assert found.agent_models["bug_hunter"].model_id == "amazon.nova-lite-v1:0"


@after
def hackathon_of_id(db: Db, found: Any) -> None:
    assert (found.org_id, found.hack_id, found.status) == (ORG, HACK, "completed")


@after
def public_hackathons(db: Db, found: Any) -> None:
    assert [each.hack_id for each in found] == [OPEN, BUSY, HACK]
    assert found[0].end_date == made.OPEN.end_date


@after
def hackathon_cost(db: Db, found: Any) -> None:
    assert found.budget_remaining_usd + found.total_cost_usd == made.JUDGED.budget_limit_usd
    assert found.cost_by_model == {"amazon.nova-lite-v1:0": Decimal("0.0027")}


# --- reads of submissions ------------------------------------------------------------------------


@after
def submissions(db: Db, found: Any) -> None:
    assert {each.sub_id for each in found} == {SUB, PIPELINE, IMAGES}
    assert [each.team_name for each in db.run(m.submissions(BUSY, status="pending"))] == ["Moths"]
    assert len(db.run(m.submissions(BUSY))) == 4


@after
def submission(db: Db, found: Any) -> None:
    assert found.repo_meta == made.REPO_META
    assert db.run(m.submission(OPEN, SUB)) is None


@after
def submission_of_id(db: Db, found: Any) -> None:
    assert (found.hack_id, found.sub_id) == (HACK, SUB)


@after
def submissions_to_freeze(db: Db, found: Any) -> None:
    assert [each.sub_id for each in found] == [made.EARLY.sub_id]


@after
def submissions_exported(db: Db, found: Any) -> None:
    assert [each.sub_id for each in found] == [SUB, IMAGES]


@after
def results_exported(db: Db, found: Any) -> None:
    summary, run = found
    assert (summary.sub_id, run.run_id) == (SUB, summary.run_id)


@after
def leaderboard(db: Db, found: Any) -> None:
    assert [each.rank_score for each in found] == [*map(Decimal, ("76.82", "61.40", "52.30"))]
    assert (found[0].team_name, found[0].recommendation) == ("Demo Team 1", "solid_submission")
    assert len(db.run(m.leaderboard(BUSY))) == 0


@after
def better_ranked(db: Db, found: Any) -> None:
    # The second of three: the same score is not ahead.
    assert found == 1
    assert db.run(m.better_ranked(HACK, Decimal("61.39"))) == 2
    assert db.run(m.better_ranked(HACK, Decimal("76.82"))) == 0
    assert db.run(m.better_ranked(HACK, Decimal(0))) == 3


@after
def repo_lock(db: Db, found: Any) -> None:
    assert found.sub_id == SUB
    assert db.run(m.repo_lock(OPEN, "github.com/demo-team-1/bedrock-chatbot")) is None


@after
def team_lock(db: Db, found: Any) -> None:
    assert found.sub_id == SUB


@after
def external_lock(db: Db, found: Any) -> None:
    assert found.sub_id == made.EARLY.sub_id


@after
def fingerprints(db: Db, found: Any) -> None:
    assert {each.sub_id for each in found} == {SUB, PIPELINE, IMAGES}
    assert all(len(each.minhash) == 64 for each in found)


# --- reads of scorecards and jobs ----------------------------------------------------------------


@after
def agent_scores(db: Db, found: Any) -> None:
    assert {each.agent_name for each in found} == set(runs.OVERALL)
    assert len(db.run(m.agent_scores(SUB, made.PIPELINE.run_id or ""))) == 0


@after
def agent_score(db: Db, found: Any) -> None:
    assert found.overall_score == Decimal("82.25")
    assert found.evidence[0].line == 42


@after
def submission_summary(db: Db, found: Any) -> None:
    assert found.overall_score == Decimal("76.82")
    sums = sum(each.weighted for each in found.weighted_scores.values())
    assert round(sums * 10, 2) == found.overall_score


@after
def costs_of_submission(db: Db, found: Any) -> None:
    assert [each.total_cost_usd for each in found] == [Decimal("0.0009")]


@after
def runs_of_submission(db: Db, found: Any) -> None:
    assert [each.commit_sha for each in found] == [made.commit("bedrock-chatbot")]


@after
def run_of_submission(db: Db, found: Any) -> None:
    assert found.commit_sha == made.commit("bedrock-chatbot")


@after
def scorecards(db: Db, found: Any) -> None:
    assert [each.sub_id for each in found] == [SUB, IMAGES]


@after
def jobs_of_hackathon(db: Db, found: Any) -> None:
    assert [each.job_id for each in found] == [made.JOB_RUNNING]


@after
def jobs_by_status(db: Db, found: Any) -> None:
    # Whole jobs, although the index holds little of them.
    assert [(each.job_id, each.total_submissions) for each in found] == [(made.JOB_RUNNING, 4)]
    assert [each.hack_id for each in db.run(m.jobs_by_status("cancelled"))] == [
        made.STOPPED.hack_id
    ]


@after
def job(db: Db, found: Any) -> None:
    assert (found.status, found.enumerated) == ("running", True)


@after
def tasks_of_job(db: Db, found: Any) -> None:
    assert {each.sub_id: each.state for each in found} == {
        made.FAILING.sub_id: "leased",
        made.WAITING.sub_id: "leased",
        made.RETURNED.sub_id: "leased",
        made.QUEUED.sub_id: "queued",
    }


@after
def tasks_due(db: Db, found: Any) -> None:
    assert made.QUEUED.sub_id in {each.sub_id for each in found}
    due = [each for shard in range(8) for each in db.run(m.tasks_due(shard, NOW))]
    assert [each.sub_id for each in due] == [made.QUEUED.sub_id]
    # The leases of the other three have run out by then.
    soon = NOW + timedelta(seconds=60)
    later = [each for shard in range(8) for each in db.run(m.tasks_due(shard, soon))]
    assert len(later) == 4


@after
def timers_due(db: Db, found: Any) -> None:
    assert [each.hack_id for each in found] == [OPEN]
    assert len(db.run(m.timers_due(made.TIMER.shard, NOW))) == 0


@after
def reservations_due(db: Db, found: Any) -> None:
    assert list(found) == [runs.ORPHAN]
    early = runs.ORPHAN.created_at + timedelta(minutes=14)
    assert len(db.run(m.reservations_due(runs.ORPHAN.shard, early))) == 0


@after
def reservations(db: Db, found: Any) -> None:
    assert [each.amount_usd for each in found] == [Decimal("0.25")]


# --- erasing and auditing ------------------------------------------------------------------------


@after
def hackathon_partition(db: Db, found: Any) -> None:
    assert found.detail.hack_id == HACK
    assert (len(found.submissions), len(found.repo_locks), len(found.fingerprints)) == (3, 3, 3)
    assert (len(found.judges), len(found.assignments), len(found.comparisons)) == (3, 7, 1)
    assert found.timer is None


@after
def submission_partition(db: Db, found: Any) -> None:
    assert found.summary.sub_id == SUB
    assert (len(found.runs), len(found.scores), len(found.costs)) == (1, 4, 1)
    assert (len(found.human_scores), len(found.appeals)) == (1, 1)


@after
def job_partition(db: Db, found: Any) -> None:
    assert len(found.tasks) == 4


@after
def all_hackathons(db: Db, found: Any) -> None:
    assert {each.hack_id for each in found} == {each.hack_id for each in made.HACKATHONS}


@after
def all_organizers(db: Db, found: Any) -> None:
    assert [each.org_id for each in found] == [ORG]


@after
def hackathon_listed(db: Db, found: Any) -> None:
    assert (found.name, found.submission_count) == (made.JUDGED.name, 3)
    assert db.run(m.hackathon_listed(HACK, HACK)) is None


@after
def repo_locks(db: Db, found: Any) -> None:
    assert {each.sub_id for each in found} == {SUB, PIPELINE, IMAGES}


@after
def team_locks(db: Db, found: Any) -> None:
    assert {each.team for each in found} == {f"demo team {number}" for number in (1, 2, 3)}


@after
def external_locks(db: Db, found: Any) -> None:
    assert [each.external_id for each in found] == ["registration-17"]


@after
def calls_paid(db: Db, found: Any) -> None:
    assert [each.total_cost_usd for each in found] == [
        each.total_cost_usd for each in db.run(m.costs_of_submission(SUB))
    ]


@after
def mend_hackathon(db: Db, _: Any) -> None:
    spring = calls.SPRING
    found = db.require(m.hackathon(spring.hack_id))
    listed = db.require(m.hackathon_listed(spring.org_id, spring.hack_id))
    assert (found.submission_count, found.version) == (7, 2)
    assert (listed.submission_count, listed.name, listed.version) == (7, spring.name, 2)


@after
def mend_lock(db: Db, _: Any) -> None:
    found = db.require(m.external_lock(OPEN, "registration-19"))
    assert found.sub_id == calls.LATER.sub_id


@after
def drop_lock(db: Db, _: Any) -> None:
    assert db.run(m.team_lock(made.STOPPED.hack_id, "ghosts")) is None


@after
def mend_cost(db: Db, found: Any) -> None:
    assert (found.total_input_tokens, found.version) == (7, 2)


@after
def mend_score(db: Db, _: Any) -> None:
    (first, *_) = db.run(m.leaderboard(OPEN))
    assert (first.sub_id, first.rank_score) == (calls.LATER.sub_id, Decimal("71.00"))


@after
def erase(db: Db, _: Any) -> None:
    halted = made.HALTED
    assert db.run(m.submission(halted.hack_id, halted.sub_id)) is None
    assert db.run(m.repo_lock(halted.hack_id, "github.com/freshmen/timetable")) is None
    assert len(db.run(m.tasks_of_job(runs.STOPPED_JOB.job_id))) == 0


@after
def erase_organizer(db: Db, _: Any) -> None:
    assert db.run(m.organizer(calls.NEWCOMER.org_id)) is None
    assert db.run(m.email_lock(calls.NEW_LOCK.email_hash)) is None
    assert db.run(m.user_lock(calls.NEW_USER.user_hash)) is None
    assert {each.org_id for each in db.run(m.erasures())} == {
        made.ERASURE.org_id,
        calls.NEWCOMER.org_id,
    }


@after
def erase_hackathon(db: Db, _: Any) -> None:
    hack_id = calls.SPRING.hack_id
    assert db.run(m.hackathon(hack_id)) is None
    assert db.run(m.hackathon_of_id(hack_id)) is None
    assert hack_id in {each.hack_id for each in db.run(m.erasures())}


@after
def put_off_erasure(db: Db, put_off: Any) -> None:
    assert put_off.resume_at == NOW + timedelta(minutes=2)


@after
def end_erasure(db: Db, _: Any) -> None:
    assert made.ERASURE.org_id not in {each.org_id for each in db.run(m.erasures())}


# --- organisers and hackathons -------------------------------------------------------------------


@after
def register(db: Db, written: Any) -> None:
    assert written[0].version == 1
    assert db.run(m.organizer(calls.NEWCOMER.org_id)) == written[0]
    assert db.require(m.email_lock(calls.NEW_LOCK.email_hash)).org_id == calls.NEWCOMER.org_id


@after
def organizer_to_change(db: Db, found: Any) -> None:
    assert found == db.require(m.organizer(made.ORG.org_id))


@after
def user_lock(db: Db, found: Any) -> None:
    assert found.org_id == made.ORG.org_id


@after
def hackathons_to_erase(db: Db, found: Any) -> None:
    assert {each.hack_id for each in found} == {each.hack_id for each in made.HACKATHONS}


@after
def erasures(db: Db, found: Any) -> None:
    assert [each.subject for each in found] == [f"ORG#{made.ERASURE.org_id}"]


@after
def check_organizer(db: Db, _: Any) -> None:
    assert db.run(m.organizer(made.ORG.org_id))


@after
def change_profile(db: Db, written: Any) -> None:
    assert (written.name, written.version) == ("Demo", 2)


@after
def change_email(db: Db, _: Any) -> None:
    assert db.require(m.organizer(ORG)).email == "hello@vibejudge.ai"
    assert db.run(m.email_lock(made.EMAIL.email_hash)) is None
    assert db.require(m.email_lock(calls.MOVED_LOCK.email_hash)).org_id == ORG


@after
def create_hackathon(db: Db, _: Any) -> None:
    new = calls.SPRING
    assert db.require(m.hackathon(new.hack_id)).status == "draft"
    assert db.require(m.hackathon_of_id(new.hack_id)).name == "Spring Sprint"
    cost = db.require(m.hackathon_cost(new.hack_id))
    assert (cost.budget_remaining_usd, cost.cost_by_agent) == (Decimal(5), {})
    assert db.require(m.org_usage(ORG, 2026)).hackathons == 6
    assert db.require(m.organizer(ORG)).hackathon_count == 6
    timer = db.require(m.hackathon(new.hack_id)).end_date
    assert timer is not None
    rung = [each for shard in range(8) for each in db.run(m.timers_due(shard, timer))]
    assert new.hack_id in {each.hack_id for each in rung}


@after
def edit_hackathon(db: Db, _: Any) -> None:
    changed = db.require(m.hackathon(OPEN))
    assert (changed.name, changed.version) == ("Winter Code Jam 2026", 2)
    assert db.require(m.hackathon_of_id(OPEN)).name == "Winter Code Jam 2026"
    assert db.require(m.hackathon_cost(OPEN)).budget_remaining_usd == Decimal(8)
    # It rings at the new end, and not at the old one.
    shard = made.TIMER.shard
    assert OPEN not in {each.hack_id for each in db.run(m.timers_due(shard, made.day(29)))}
    assert OPEN in {each.hack_id for each in db.run(m.timers_due(shard, made.day(30)))}


@after
def submissions_to_release(db: Db, found: Any) -> None:
    assert {each.hack_id for each in found} == {DONE}


@after
def keep_scores_open(db: Db, touched: Any) -> None:
    assert (touched.hack_id, touched.updated_at) == (DONE, NOW)


@after
def begin_release(db: Db, _: Any) -> None:
    begun = db.require(m.hackathon(DONE))
    assert (begun.release_id, begun.released_at) == (calls.RELEASE.release_id, None)
    assert (begun.public_ranks, begun.status) == (10, "completed")


@after
def release_results(db: Db, _: Any) -> None:
    assert db.require(m.hackathon(DONE)).released_at == NOW


@after
def release(db: Db, found: Any) -> None:
    assert found == calls.RELEASE


@after
def release_page(db: Db, found: Any) -> None:
    assert [each.team_name for each in found.rows] == [made.AGAIN.team_name]


# --- submissions ---------------------------------------------------------------------------------


@after
def submit(db: Db, _: Any) -> None:
    for each in (calls.LATE, calls.LATER):
        assert db.require(m.submission(OPEN, each.sub_id)).status == "pending"
    assert db.require(m.repo_lock(OPEN, "github.com/night-shift/lantern"))
    assert db.require(m.team_lock(OPEN, "night shift")).sub_id == calls.LATE.sub_id
    assert db.require(m.external_lock(OPEN, "registration-18")).sub_id == calls.LATE.sub_id
    assert db.require(m.hackathon(OPEN)).submission_count == 3
    assert db.require(m.hackathon_of_id(OPEN)).submission_count == 3


@after
def correct_submission(db: Db, _: Any) -> None:
    corrected = db.require(m.submission(OPEN, made.EARLY.sub_id))
    assert (corrected.team_name, corrected.repo_name) == ("Early Birds 2", "apple")
    assert db.run(m.team_lock(OPEN, "early birds")) is None
    assert db.require(m.team_lock(OPEN, "early birds 2")).sub_id == made.EARLY.sub_id
    assert db.run(m.repo_lock(OPEN, "github.com/early-birds/worm")) is None
    lock = db.require(m.repo_lock(OPEN, "github.com/early-birds/apple"))
    assert lock.sub_id == made.EARLY.sub_id


@after
def freeze_submission(db: Db, frozen: Any) -> None:
    assert frozen.frozen_sha == made.commit("apple")


@after
def note_unfrozen(db: Db, told: Any) -> None:
    assert (told.error_message, told.frozen_sha) == ("It is not public", None)


@after
def set_timer(db: Db, _: Any) -> None:
    due = {each.hack_id for each in db.run(m.timers_due(made.TIMER.shard, NOW))}
    assert OPEN in due


@after
def move_timer(db: Db, moved: Any) -> None:
    assert moved.due_at == made.day(30)
    assert OPEN not in {each.hack_id for each in db.run(m.timers_due(made.TIMER.shard, NOW))}


@after
def stop_timer(db: Db, stopped: Any) -> None:
    assert stopped.hack_id == OPEN
    assert OPEN not in {
        each.hack_id for each in db.run(m.timers_due(made.TIMER.shard, made.day(30)))
    }


@after
def disqualify(db: Db, marked: Any) -> None:
    assert (marked.disqualified_reason, marked.overall_score) == ("Copied", Decimal("52.30"))
    assert ranked(db) == [SUB, PIPELINE]


@after
def reinstate(db: Db, cleared: Any) -> None:
    assert cleared.disqualified_reason is None
    assert ranked(db) == [SUB, PIPELINE, IMAGES]


@after
def withdraw(db: Db, _: Any) -> None:
    assert db.require(m.submission(OPEN, made.EARLY.sub_id)).status == "withdrawn"
    assert db.run(m.repo_lock(OPEN, "github.com/early-birds/apple")) is None
    assert db.run(m.team_lock(OPEN, "early birds 2")) is None
    assert db.require(m.external_lock(OPEN, "registration-17")).sub_id == made.EARLY.sub_id
    assert db.require(m.hackathon(OPEN)).submission_count == 2
    assert db.require(m.hackathon_of_id(OPEN)).submission_count == 2


@after
def issue_result_token(db: Db, issued: Any) -> None:
    assert issued.result_token_hash == made.digest("secret")


def ranked(db: Db) -> list[str]:
    return [each.sub_id for each in db.run(m.leaderboard(HACK))]


# --- jobs and tasks ------------------------------------------------------------------------------


@after
def start_job(db: Db, _: Any) -> None:
    detail = db.require(m.hackathon(DONE))
    assert (detail.status, detail.active_job_id) == ("analyzing", calls.AGAIN_JOB.job_id)
    assert db.require(m.hackathon_of_id(DONE)).status == "analyzing"
    assert calls.AGAIN_JOB.job_id in {each.job_id for each in db.run(m.jobs_by_status("queued"))}


@after
def submissions_to_analyse(db: Db, found: Any) -> None:
    assert [each.sub_id for each in found] == [AGAIN.sub_id]


@after
def queue_tasks(db: Db, _: Any) -> None:
    (queued,) = db.run(m.tasks_of_job(calls.AGAIN_JOB.job_id))
    assert (queued.state, queued.due_at, queued.sub_id) == ("queued", NOW, AGAIN.sub_id)


@after
def run_job(db: Db, running: Any) -> None:
    assert (running.status, running.enumerated, running.started_at) == ("running", True, NOW)
    assert running.total_submissions == 1
    assert len(db.run(m.jobs_by_status("queued"))) == 0
    assert len(db.run(m.jobs_by_status("running"))) == 2


@after
def jobs_at_work(db: Db, found: Any) -> None:
    assert {each.job_id for each in found} == {made.JOB_RUNNING, calls.AGAIN_JOB.job_id}


@after
def run_to_go_on(db: Db, found: Any) -> None:
    assert (found.commit_sha, found.status) == (made.commit("dash"), "running")


@after
def stored_scores(db: Db, found: Any) -> None:
    assert [each.agent_name for each in found] == ["innovation"]


@after
def costs_of_run(db: Db, found: Any) -> None:
    assert [each.agent_name for each in found] == ["innovation"]


@after
def claim(db: Db, _: Any) -> None:
    (task,) = db.run(m.tasks_of_job(calls.AGAIN_JOB.job_id))
    assert (task.state, task.lease_owner, task.attempt) == ("leased", "worker-3", 1)
    assert task.lease_until == task.due_at == NOW + timedelta(seconds=120)
    assert (task.run_id, task.shard) == (calls.AGAIN_RUN.run_id, calls.AGAIN_TASK.shard)
    assert db.run(m.runs_of_submission(AGAIN.sub_id))[0].status == "running"
    assert db.require(m.submission(DONE, AGAIN.sub_id)).status == "cloning"


@after
def beat(db: Db, kept: Any) -> None:
    assert kept.lease_until == kept.due_at == NOW + timedelta(seconds=150)


@after
def pin_commit(db: Db, pinned: Any) -> None:
    assert pinned.commit_sha == made.commit("dash")


@after
def begin_analysis(db: Db, begun: Any) -> None:
    assert (begun.status, begun.default_branch) == ("analyzing", "main")


@after
def store_score(db: Db, _: Any) -> None:
    scores = db.run(m.agent_scores(AGAIN.sub_id, calls.AGAIN_RUN.run_id))
    assert [each.agent_name for each in scores] == ["innovation"]
    # Nobody is shown it: the summary still names the earlier run.
    assert db.require(m.submission_summary(AGAIN.sub_id)).run_id == AGAIN.run_id


@after
def store_fingerprint(db: Db, _: Any) -> None:
    assert [each.sub_id for each in db.run(m.fingerprints(DONE))] == [AGAIN.sub_id]


@after
def publish(db: Db, _: Any) -> None:
    run_id = calls.AGAIN_RUN.run_id
    assert db.require(m.submission_summary(AGAIN.sub_id)).run_id == run_id
    shown = db.require(m.submission(DONE, AGAIN.sub_id))
    assert (shown.status, shown.run_id, shown.overall_score) == (
        "completed",
        run_id,
        Decimal("76.82"),
    )
    assert (shown.repo_meta, shown.default_branch) == (made.REPO_META, "trunk")
    assert [each.rank_score for each in db.run(m.leaderboard(DONE))] == [Decimal("76.82")]
    (task,) = db.run(m.tasks_of_job(calls.AGAIN_JOB.job_id))
    assert (task.state, task.due_at, task.lease_owner) == ("done", None, None)
    assert task.expires_at == NOW + timedelta(days=30, seconds=30)
    assert db.require(m.job(DONE, calls.AGAIN_JOB.job_id)).completed_submissions == 1
    # It had been analysed before.
    assert db.require(m.hackathon_cost(DONE)).submissions_analyzed == 1
    # The run before and its scores are still there.
    assert [each.run_id for each in db.run(m.runs_of_submission(AGAIN.sub_id))] == [
        run_id,
        AGAIN.run_id,
    ]
    assert len(db.run(m.agent_scores(AGAIN.sub_id, AGAIN.run_id or ""))) == 4


@after
def finish_job(db: Db, _: Any) -> None:
    ended = db.require(m.job(DONE, calls.AGAIN_JOB.job_id))
    assert (ended.status, ended.completed_at) == ("completed", NOW + timedelta(seconds=30))
    assert ended.expires_at == NOW + timedelta(days=30, seconds=30)
    detail = db.require(m.hackathon(DONE))
    assert (detail.status, detail.active_job_id) == ("completed", None)
    assert db.require(m.hackathon_of_id(DONE)).status == "completed"


@after
def fail_task(db: Db, _: Any) -> None:
    failed = db.require(m.submission(BUSY, made.FAILING.sub_id))
    assert (failed.status, failed.error_message) == ("failed", "The frozen commit is gone")
    task = task_of(db, made.FAILING.sub_id)
    assert (task.state, task.error_code) == ("failed", "commit_unavailable")
    assert db.run(m.runs_of_submission(made.FAILING.sub_id))[0].status == "failed"
    assert db.require(m.job(BUSY, made.JOB_RUNNING)).failed_submissions == 1


@after
def block_task(db: Db, _: Any) -> None:
    assert db.require(m.submission(BUSY, made.WAITING.sub_id)).status == "pending"
    task = task_of(db, made.WAITING.sub_id)
    assert (task.state, task.run_id) == ("blocked", runs.WAITING_RUN.run_id)
    assert db.run(m.runs_of_submission(made.WAITING.sub_id))[0].status == "cancelled"
    assert db.require(m.job(BUSY, made.JOB_RUNNING)).blocked_submissions == 1


@after
def put_back(db: Db, waiting: Any) -> None:
    assert (waiting.state, waiting.lease_owner, waiting.tries) == ("queued", None, 0)
    assert waiting.due_at == NOW + timedelta(seconds=30)
    assert waiting.run_id == runs.RETURNED_RUN.run_id


@after
def wake_task(db: Db, woken: Any) -> None:
    assert (woken.state, woken.due_at) == ("queued", NOW)


@after
def ask_to_cancel(db: Db, asked: Any) -> None:
    assert (asked.status, asked.cancel_asked_at) == ("running", NOW)


@after
def cancel_waiting(db: Db, _: Any) -> None:
    assert db.require(m.submission(BUSY, made.QUEUED.sub_id)).status == "pending"
    assert task_of(db, made.QUEUED.sub_id).state == "cancelled"
    assert db.require(m.job(BUSY, made.JOB_RUNNING)).cancelled_submissions == 1


@after
def cancel_task(db: Db, _: Any) -> None:
    assert db.require(m.submission(BUSY, made.RETURNED.sub_id)).status == "pending"
    assert task_of(db, made.RETURNED.sub_id).state == "cancelled"
    assert db.run(m.runs_of_submission(made.RETURNED.sub_id))[0].status == "cancelled"
    assert db.require(m.job(BUSY, made.JOB_RUNNING)).cancelled_submissions == 2
    later = NOW + timedelta(days=1)
    due = [each for shard in range(8) for each in db.run(m.tasks_due(shard, later))]
    assert due == []


@after
def resume_job(db: Db, _: Any) -> None:
    hack_id = made.STOPPED.hack_id
    job = db.require(m.job(hack_id, runs.STOPPED_JOB.job_id))
    assert (job.status, job.cancelled_submissions, job.expires_at) == ("queued", 0, None)
    assert db.require(m.hackathon(hack_id)).active_job_id == job.job_id


@after
def flag_summary(db: Db, flagged: Any) -> None:
    assert flagged.flags[-1] == f"similar:{made.CHATBOT.sub_id}:64"
    assert flagged.run_id == calls.AGAIN_RUN.run_id


@after
def rescore(db: Db, _: Any) -> None:
    assert db.require(m.submission_summary(SUB)).overall_score == Decimal("75.88")
    assert db.run(m.leaderboard(HACK))[0].rank_score == Decimal("75.88")
    assert len(db.run(m.costs_of_submission(SUB))) == 1


def task_of(db: Db, sub_id: str) -> Any:
    tasks = {each.sub_id: each for each in db.run(m.tasks_of_job(made.JOB_RUNNING))}
    return tasks[sub_id]


# --- costs ---------------------------------------------------------------------------------------


@after
def reserve(db: Db, _: Any) -> None:
    assert db.require(m.hackathon_cost(DONE)).budget_remaining_usd == Decimal("4.9491")
    assert list(db.run(m.reservations(DONE))) == [calls.RESERVED]


@after
def start_call(db: Db, started: Any) -> None:
    assert (started.call_started_at, started.due_at) == (NOW, NOW + timedelta(minutes=15))


@after
def settle(db: Db, _: Any) -> None:
    cost = db.require(m.hackathon_cost(DONE))
    assert cost.total_cost_usd + cost.budget_remaining_usd == Decimal(5)
    assert cost.cost_by_agent == {"bug_hunter": Decimal("0.0009"), "innovation": Decimal("0.0009")}
    assert cost.cost_by_model == {"amazon.nova-lite-v1:0": Decimal("0.0018")}
    assert (cost.total_input_tokens, cost.total_output_tokens) == (18_000, 3_000)
    assert len(db.run(m.reservations(DONE))) == 0
    # The earlier run's bill stands beside it.
    assert len(db.run(m.costs_of_submission(AGAIN.sub_id))) == 2
    assert db.require(m.org_usage(ORG, 2026)).spend_usd == Decimal("0.1411")


@after
def free_reservation(db: Db, _: Any) -> None:
    assert db.require(m.hackathon_cost(BUSY)).budget_remaining_usd == Decimal(5)
    assert len(db.run(m.reservations(BUSY))) == 0


# --- judging -------------------------------------------------------------------------------------


@after
def rounds(db: Db, found: Any) -> None:
    assert [(each.round_number, each.method) for each in found] == [(1, "rubric"), (2, "pairwise")]


@after
def judges(db: Db, found: Any) -> None:
    assert {each.name: each.state for each in found} == {
        "Ada": "active",
        "Grace": "active",
        "Alan": "invited",
    }


@after
def judge(db: Db, found: Any) -> None:
    assert (found.name, found.state) == ("Ada", "active")


@after
def blends_due(db: Db, found: Any) -> None:
    assert [each.hack_id for each in found] == [HACK]


@after
def assignments(db: Db, found: Any) -> None:
    assert {each.sub_id: each.state for each in found} == {SUB: "done", PIPELINE: "assigned"}
    assert len(db.run(m.assignments(HACK, 1))) == 3


@after
def assignment(db: Db, found: Any) -> None:
    assert (found.sub_id, found.state) == (SUB, "done")


@after
def comparisons(db: Db, found: Any) -> None:
    assert [(each.judge_id, each.winner) for each in found] == [(people.GRACE.judge_id, SUB)]
    assert len(db.run(m.comparisons(HACK, 2, judge_id=people.ADA.judge_id))) == 0


@after
def human_scores(db: Db, found: Any) -> None:
    assert [each.judge_id for each in found] == [people.ADA.judge_id]
    assert set(found[0].scores) == {each.name for each in made.RUBRIC.dimensions}


@after
def human_score(db: Db, found: Any) -> None:
    assert (found.judge_id, found.sub_id) == (people.ADA.judge_id, SUB)


@after
def override(db: Db, found: Any) -> None:
    assert found.score == Decimal("55.00")


@after
def overrides(db: Db, found: Any) -> None:
    assert [each.score for each in found] == [Decimal("55.00")]


@after
def appeals(db: Db, found: Any) -> None:
    assert [each.state for each in found] == ["open"]


@after
def appealed(db: Db, found: Any) -> None:
    assert [each.sub_id for each in found] == [SUB]


@after
def invite(db: Db, found: Any) -> None:
    assert (found.hack_id, found.judge_id) == (HACK, people.ALAN.judge_id)


@after
def invite_judge(db: Db, _: Any) -> None:
    assert {each.name for each in db.run(m.judges(HACK)) if each.state == "invited"} == {
        "Alan",
        "Barbara",
    }
    assert db.require(m.invite(people.invite_of(calls.BARBARA).token_hash))


@after
def accept_invite(db: Db, _: Any) -> None:
    assert db.run(m.invite(people.invite_of(people.ALAN).token_hash)) is None
    assert "Alan" in {each.name for each in db.run(m.judges(HACK)) if each.state == "active"}


@after
def invite_again(db: Db, _: Any) -> None:
    assert db.require(m.invite(people.invite_of(people.ADA, "again").token_hash))


@after
def change_judge(db: Db, changed: Any) -> None:
    assert (changed.conflicts, changed.version) == ({IMAGES}, 2)


@after
def add_round(db: Db, added: Any) -> None:
    assert [each.state for each in db.run(m.rounds(HACK))] == ["open", "open", "setup"]


@after
def change_round(db: Db, changed: Any) -> None:
    assert (changed.round_number, changed.weight, changed.version) == (2, Decimal(1), 2)


@after
def move_round(db: Db, moved: Any) -> None:
    assert (moved.round_number, moved.state) == (3, "open")


@after
def assign(db: Db, _: Any) -> None:
    given = db.run(m.assignments(HACK, 1, judge_id=people.GRACE.judge_id))
    assert {each.sub_id for each in given} == {SUB, PIPELINE}


@after
def score_submission(db: Db, _: Any) -> None:
    assert len(db.run(m.human_scores(PIPELINE))) == 1
    mine = db.run(m.assignments(HACK, 1, judge_id=people.ADA.judge_id))
    assert {each.state for each in mine} == {"done"}


@after
def compare_submissions(db: Db, _: Any) -> None:
    (found,) = db.run(m.comparisons(HACK, 2, judge_id=people.ADA.judge_id))
    assert found.winner == PIPELINE
    mine = db.run(m.assignments(HACK, 2, judge_id=people.ADA.judge_id))
    assert {each.state for each in mine} == {"done"}


@after
def skip_assignment(db: Db, _: Any) -> None:
    theirs = db.run(m.assignments(HACK, 1, judge_id=people.GRACE.judge_id))
    skipped = {each.sub_id: each.skip_reason for each in theirs if each.state == "skipped"}
    assert skipped == {SUB: "I know the team"}


@after
def request_blend(db: Db, asked: Any) -> None:
    (found,) = db.run(m.blends_due(asked.shard, NOW))
    assert found.request_id == asked.request_id


@after
def finish_blend(db: Db, _: Any) -> None:
    assert len(db.run(m.blends_due(people.request_of(86, NOW).shard, NOW))) == 0


@after
def blend_request(db: Db, found: Any) -> None:
    assert found.request_id == people.request_of(86, NOW).request_id


@after
def blend_score(db: Db, _: Any) -> None:
    blended = db.require(m.submission(HACK, SUB))
    assert (blended.final_score, blended.overall_score) == (Decimal("78.00"), Decimal("75.88"))
    assert db.run(m.leaderboard(HACK))[0].rank_score == Decimal("78.00")


@after
def override_score(db: Db, _: Any) -> None:
    assert ranked(db) == [PIPELINE, SUB, IMAGES]
    summary = db.require(m.submission_summary(PIPELINE))
    assert (summary.final_score, summary.override_id) == (
        Decimal("80.00"),
        calls.OVERRIDE.override_id,
    )
    assert db.run(m.overrides(PIPELINE))[0].reason == "Shown live, and it worked"


@after
def revoke_override(db: Db, _: Any) -> None:
    assert ranked(db) == [SUB, PIPELINE, IMAGES]
    assert db.require(m.submission(HACK, PIPELINE)).rank_score == Decimal("61.40")
    assert db.require(m.submission_summary(PIPELINE)).override_id is None
    assert db.run(m.overrides(PIPELINE))[0].revoked_at == NOW


@after
def appeal(db: Db, _: Any) -> None:
    assert [each.text for each in db.run(m.appeals(PIPELINE))] == ["One agent looked at a fork"]
    assert db.require(m.submission(HACK, PIPELINE)).appeal_id == calls.APPEAL.appeal_id


@after
def answer_appeal(db: Db, answered: Any) -> None:
    assert (answered.state, answered.answer) == ("upheld", "They count now")
