"""Retries of what failed, trial runs before the end, and corrections between runs."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from tests.systems.vibejudge.api_support import api_on, code_of
from tests.systems.vibejudge.jobs.support import Hold, case, case_on, counts, repositories
from tests.systems.vibejudge.repos.support import Repo
from tests.systems.vibejudge.support import (
    NOW,
    caller_of,
    hackathon,
    moment,
    refused,
    run,
    submission,
)

from tablewright.clock import ManualClock
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.bodies.submissions import SubmissionPatch
from tablewright.testing import Backend


def test_retry_failed_analyses_only_what_failed(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with case_on(tablewright_backend, clock, repos) as made:
            jobs = made.courtroom.jobs
            gone = await submission(made.courtroom, made.hackathon, repo_url=str(tmp_path / "gone"))
            problem = await refused(jobs.start(made.caller, made.hack_id, scope="failed"))
            assert problem.code == "NOTHING_FAILED"
            first = await made.start()
            await made.courtroom.analyst.work_once()
            assert counts(await made.job(first.job_id)) == (3, 2, 1, 0, 0)
            before = [await made.submission(number) for number in range(2)]
            Repo(tmp_path / "gone").commit({"app.py": "print(1)\n"})
            # Two who retry at once start one job.
            both = [jobs.start(made.caller, made.hack_id, scope="failed") for _ in range(2)]
            outcomes = await asyncio.gather(*both, return_exceptions=True)
            codes = [each.code for each in outcomes if isinstance(each, Problem)]
            assert codes in (["JOB_ACTIVE"], ["JOB_STATE"])
            (retried,) = [each for each in outcomes if not isinstance(each, BaseException)]
            await jobs.settle()
            await made.courtroom.analyst.work_once()
            ended = await made.job(retried.job_id)
            assert (ended.scope, counts(ended)) == ("failed", (1, 1, 0, 0, 0))
            assert list(await made.tasks(ended.job_id)) == [gone.sub_id]
            assert [await made.submission(number) for number in range(2)] == before
            assert await made.status() == ("completed", None)

    run(work())


def test_retry_of_one_that_fails_again_leaves_the_hackathon_completed(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            jobs = made.courtroom.jobs
            gone = await submission(made.courtroom, made.hackathon, repo_url=str(tmp_path / "gone"))
            await made.start()
            await made.courtroom.analyst.work_once()
            job = await jobs.start(made.caller, made.hack_id, scope="one", sub_id=gone.sub_id)
            await jobs.settle()
            await made.courtroom.analyst.work_once()
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("failed", (1, 0, 1, 0, 0))
            assert await made.status() == ("completed", None)
            await jobs.resume(made.caller, made.hack_id, job.job_id)
            await jobs.settle()
            await made.courtroom.analyst.work_once()
            assert counts(await made.job(job.job_id)) == (1, 0, 1, 0, 0)
            unknown = jobs.start(made.caller, made.hack_id, scope="one", sub_id="nonsense")
            assert (await refused(unknown)).status == 404
            await made.courtroom.submissions.withdraw(made.caller, made.hack_id, gone.sub_id)
            late = jobs.start(made.caller, made.hack_id, scope="one", sub_id=gone.sub_id)
            assert (await refused(late)).code == "WITHDRAWN"

    run(work())


def test_run_before_the_end_leaves_the_hackathon_open(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as over:
            end = moment(NOW + timedelta(hours=1))
            made = await case(over.courtroom, over.caller, repos, end_date=end)
            job = await made.start()
            assert job.trial
            assert await made.status() == ("analyzing", job.job_id)
            # It ends while the run goes on: commits were not frozen when it began.
            clock.advance(7200)
            await made.courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "completed"
            assert await made.status() == ("configured", None)
            clock.advance(60)
            again = await made.start()
            assert not again.trial
            await made.courtroom.analyst.work_once()
            assert await made.status() == ("completed", None)

    run(work())


def test_repository_corrected_before_its_task_is_taken_is_the_one_analysed(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with case_on(tablewright_backend, clock, repos[:1]) as made:
            job = await made.start()
            one = made.submissions[0]
            body = SubmissionPatch(repo_url=str(repos[1].folder))
            corrected = made.courtroom.submissions.correct
            await corrected(made.caller, made.hack_id, one.sub_id, body)
            await made.courtroom.analyst.work_once()
            assert [order.url for order in hold.begun] == [str(repos[1].folder)]
            assert counts(await made.job(job.job_id)) == (1, 1, 0, 0, 0)
            # Once more after a result: another run of the other repository.
            clock.advance(60)
            first = (await made.submission(0)).run_id
            body = SubmissionPatch(repo_url=str(repos[0].folder))
            await corrected(made.caller, made.hack_id, one.sub_id, body)
            assert await made.statuses() == ["pending"]
            await made.start()
            await made.courtroom.analyst.work_once()
            assert hold.begun[-1].url == str(repos[0].folder)
            assert (await made.submission(0)).run_id not in (None, first)

    run(work())


def test_analyze_by_api_takes_a_scope(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            org_id = (await api.get("/organizers/me"))["org_id"]
            made = await hackathon(api.courtroom, caller_of(org_id))
            one = await submission(api.courtroom, made, status="failed")
            path = f"/hackathons/{made.hack_id}"
            job = await api.done("POST", f"{path}/analyze", {"scope": "failed"})
            assert (job["scope"], job["sub_id"], job["trial"]) == ("failed", None, True)
            assert code_of(await api("POST", f"{path}/analyze", {"sub_id": one.sub_id})) == (
                409,
                "JOB_ACTIVE",
            )
            await api.courtroom.jobs.settle()
            await api.done("POST", f"{path}/jobs/{job['job_id']}/cancel")
            await api.courtroom.jobs.settle()
            assert code_of(await api("POST", f"{path}/analyze", {"scope": "some"})) == (
                422,
                "INVALID",
            )

    run(go())
