"""Jobs: started, worked off, cancelled, resumed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.systems.vibejudge.jobs.support import Hold, case, case_on, counts, repositories
from tests.systems.vibejudge.repos.support import Repo
from tests.systems.vibejudge.support import NOW, audited, hackathon, organizer, refused, run

from tablewright.clock import ManualClock
from tablewright.systems.vibejudge import reads, writes
from tablewright.testing.backends import Backend


def test_a_job_from_its_start_to_its_scorecards(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock
) -> None:
    """With the real processes that read repositories."""

    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with case_on(tablewright_backend, clock, repos) as made:
            job = await made.start()
            assert await made.status() == ("analyzing", job.job_id)
            assert await made.courtroom.analyst.work_once() == 2
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (2, 2, 0, 0, 0))
            assert await made.status() == ("completed", None)
            assert await made.statuses() == ["completed", "completed"]
            for number, repo in enumerate(repos):
                summary = await made.summary(number)
                assert summary is not None
                assert not summary.partial
                found = await made.submission(number)
                assert found.overall_score == summary.overall_score == found.rank_score
                assert (found.run_id, found.repo_meta and found.repo_meta.commit_count) == (
                    summary.run_id,
                    1,
                )
                (pinned,) = await made.runs(number)
                assert (pinned.commit_sha, pinned.status) == (
                    repo.git("rev-parse", "HEAD"),
                    "completed",
                )
                scores = await made.courtroom.db.run(
                    reads.agent_scores(found.sub_id, summary.run_id)
                )
                assert len(scores) == 4
                assert any(each.line == 5 for one in scores for each in one.evidence)
            prints = await made.courtroom.db.run(reads.fingerprints(made.hack_id))
            assert len(prints) == 2
            cost = await made.courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert (cost.submissions_analyzed, cost.total_cost_usd) == (2, 0)
            assert ("job.start", f"hackathon/{made.hack_id}") in await audited(made.courtroom)

    run(work())


def test_scenario_08_two_starts(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    """Two starts: 202, 409."""

    async def work() -> None:
        async with case_on(tablewright_backend, clock, repositories(tmp_path, 1)) as made:
            jobs = made.courtroom.jobs
            both = await asyncio.gather(
                *(jobs.start(made.caller, made.hack_id) for _ in range(2)), return_exceptions=True
            )
            (job,) = [each for each in both if not isinstance(each, BaseException)]
            (problem,) = [each for each in both if isinstance(each, BaseException)]
            assert getattr(problem, "code", None) == "JOB_ACTIVE"
            again = await refused(jobs.start(made.caller, made.hack_id))
            assert (again.status, again.code) == (409, "JOB_ACTIVE")
            assert again.extra == {"job_id": job.job_id}
            assert [each.job_id for each in await jobs.of(made.caller, made.hack_id)] == [
                job.job_id
            ]
            await made.courtroom.analyst.work_once()
            # When it is over, there may be another one.
            assert (await made.start()).job_id != job.job_id

    run(work())


def test_what_cannot_be_started_or_is_not_theirs(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        async with case_on(tablewright_backend, clock, repositories(tmp_path, 1)) as made:
            courtroom, jobs = made.courtroom, made.courtroom.jobs
            for status, code in (("draft", "HACKATHON_STATE"), ("configured", "NO_SUBMISSIONS")):
                other = await hackathon(courtroom, made.caller, status)  # type: ignore[arg-type]
                problem = await refused(jobs.start(made.caller, other.hack_id))
                assert (problem.status, problem.code) == (409, code)
            job = await made.start()
            stranger = await organizer(courtroom, "otto")
            for work_ in (
                jobs.start(stranger, made.hack_id),
                jobs.read(stranger, made.hack_id, job.job_id),
                jobs.tasks(stranger, made.hack_id, job.job_id),
                jobs.cancel(stranger, made.hack_id, job.job_id),
                jobs.resume(stranger, made.hack_id, job.job_id),
                jobs.read(made.caller, made.hack_id, "nonsense"),
                jobs.read(made.caller, made.hack_id, made.hack_id),
            ):
                assert (await refused(work_)).status == 404
            problem = await refused(jobs.resume(made.caller, made.hack_id, job.job_id))
            assert (problem.status, problem.code) == (409, "JOB_STATE")
            # What teams have been shown is not analysed again, unless it is taken back.
            await courtroom.analyst.work_once()
            await courtroom.releases.release(made.caller, made.hack_id)
            problem = await refused(jobs.start(made.caller, made.hack_id))
            assert (problem.status, problem.code) == (409, "RELEASED")
            await courtroom.hackathons.reopen(made.caller, made.hack_id)
            await made.start()

    run(work())


def test_scenario_09_cancel_at_half_and_resume(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    """Cancel at half, resume: only the rest runs."""

    async def work() -> None:
        repos = repositories(tmp_path, 6)
        async with case_on(tablewright_backend, clock, repos, processes=6) as made:
            jobs, analyst = made.courtroom.jobs, made.courtroom.analyst
            hold.held = {str(each.folder) for each in repos[3:]}
            job = await made.start()
            working = asyncio.create_task(analyst.work_once())
            async with asyncio.timeout(20):
                while (await made.job(job.job_id)).completed_submissions < 3 or len(hold.begun) < 6:
                    await asyncio.sleep(0.01)
            first = {n: await made.summary(n) for n in range(3)}
            state = await jobs.cancel(made.caller, made.hack_id, job.job_id)
            # Those at work may have heard of it and ended before this answer was read.
            assert state.cancelling or state.status == "cancelled"
            await working
            await jobs.settle()
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("cancelled", (6, 3, 0, 0, 3))
            assert await made.status() == ("configured", None)
            assert await made.statuses() == ["completed"] * 3 + ["pending"] * 3
            assert [await made.summary(n) for n in (3, 4, 5)] == [None] * 3
            tried = {n: (await made.runs(n))[0] for n in range(6)}
            assert tried[4].status == "cancelled"

            hold.held.clear()
            hold.begun.clear()
            await jobs.resume(made.caller, made.hack_id, job.job_id)
            await analyst.work_once()
            assert sorted(each.url for each in hold.begun) == [str(r.folder) for r in repos[3:]]
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (6, 6, 0, 0, 0))
            assert await made.status() == ("completed", None)
            # What was done stays as it was; the rest has kept its run.
            assert {n: await made.summary(n) for n in range(3)} == first
            assert {n: (await made.runs(n))[0].run_id for n in range(6)} == {
                n: each.run_id for n, each in tried.items()
            }

    run(work())


def test_a_job_cancelled_before_anything_is_in_work(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        async with case_on(tablewright_backend, clock, repositories(tmp_path, 2)) as made:
            jobs = made.courtroom.jobs
            # At the same time as its tasks are made.
            job = await jobs.start(made.caller, made.hack_id)
            await jobs.cancel(made.caller, made.hack_id, job.job_id)
            await jobs.settle()
            ended = await made.job(job.job_id)
            assert ended.status == "cancelled"
            assert await made.status() == ("configured", None)
            assert await made.courtroom.analyst.work_once() == 0
            problem = await refused(jobs.cancel(made.caller, made.hack_id, job.job_id))
            assert (problem.status, problem.code) == (409, "JOB_STATE")

    run(work())


def test_scenario_10_a_second_run_leaves_the_first_readable(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    """Re-run: old scores, costs readable."""

    async def work() -> None:
        (repo,) = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, [repo]) as made:
            await made.start()
            await made.courtroom.analyst.work_once()
            old, card = await made.submission(0), await made.summary(0)
            repo.commit({"app.py": "def main():\n    return 1\n"}, "Better")
            clock.advance(60)
            await made.start()
            await made.courtroom.analyst.work_once()
            new, now = await made.submission(0), await made.summary(0)
            assert card is not None
            assert now is not None
            assert now.run_id == new.run_id != old.run_id == card.run_id
            assert now.overall_score == new.overall_score != old.overall_score
            assert [each.run_id for each in await made.runs(0)] == [new.run_id, old.run_id]
            db = made.courtroom.db
            for run_id, score in ((old.run_id, card.agent_scores), (new.run_id, now.agent_scores)):
                found = await db.run(reads.agent_scores(new.sub_id, run_id or ""))
                assert {each.agent_name: each.overall_score for each in found} == score
            cost = await db.require(reads.hackathon_cost(made.hack_id))
            assert cost.submissions_analyzed == 1

            # A third that is cancelled leaves the submission as it was.
            hold.held = {str(repo.folder)}
            third = await made.start()
            working = asyncio.create_task(made.courtroom.analyst.work_once())
            await hold.until(3)
            await made.courtroom.jobs.cancel(made.caller, made.hack_id, third.job_id)
            await working
            assert await made.submission(0) == new.model_copy(
                update={
                    "version": (await made.submission(0)).version,
                    "updated_at": (await made.submission(0)).updated_at,
                }
            )

    run(work())


def test_scenario_16_a_commit_that_is_gone(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    """Frozen SHA gone: commit_unavailable, others finish."""

    async def work() -> None:
        repos = repositories(tmp_path, 3)
        async with case_on(tablewright_backend, clock, repos) as made:
            db, shas = made.courtroom.db, [each.git("rev-parse", "HEAD") for each in repos]
            shas[1] = "d" * 40
            for each, sha in zip(made.submissions, shas, strict=True):
                await db.run(writes.freeze_submission(each, sha, NOW))
            # What was frozen counts, not what came later.
            repos[0].commit({"late.py": "print('late')\n"}, "Late")
            job = await made.start()
            await made.courtroom.analyst.work_once()
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (3, 2, 1, 0, 0))
            assert await made.statuses() == ["completed", "failed", "completed"]
            task = (await made.tasks(job.job_id))[made.submissions[1].sub_id]
            assert (task.state, task.error_code, task.attempt) == (
                "failed",
                "COMMIT_UNAVAILABLE",
                1,
            )
            assert "d" * 40 in ((await made.submission(1)).error_message or "")
            assert [each.commit_sha for each in await made.runs(0)] == [shas[0]]
            assert await made.status() == ("completed", None)

    run(work())


def test_jobs_of_several_hackathons_go_on_side_by_side(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with case_on(tablewright_backend, clock, repos) as made:
            other = await case(made.courtroom, made.caller, repos)
            jobs = [await made.start(), await other.start()]
            assert await made.courtroom.analyst.work_once() == 4
            assert (await made.job(jobs[0].job_id)).status == "completed"
            assert (await other.job(jobs[1].job_id)).status == "completed"

    run(work())


def test_submission_without_code_fails_with_the_reason_and_the_others_finish(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path / "code", 1)
        empty = Repo(tmp_path / "code" / "words")
        empty.commit({"README.md": "# A plan\n\nWe are going to build something great.\n"})
        async with case_on(tablewright_backend, clock, [*repos, empty]) as made:
            job = await made.start()
            await made.courtroom.analyst.work_once()
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (2, 1, 1, 0, 0))
            found = await made.submission(1)
            assert (found.status, found.overall_score, found.rank_score) == ("failed", None, None)
            assert (found.error_message or "").startswith("Not assessed: the repository has no ")
            assert await made.summary(1) is None

    run(work())
