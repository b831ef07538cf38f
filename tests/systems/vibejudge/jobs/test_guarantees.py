"""Whatever happens to a process: each submission is published once, and counted once."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.systems.vibejudge.jobs.support import (
    Case,
    Hold,
    case_on,
    counts,
    process_on,
    repositories,
)
from tests.systems.vibejudge.support import NOW, courtroom_on, refused, run, submission

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.service import conflicts
from tablewright.systems.vibejudge import job_writes, reads, writes
from tablewright.systems.vibejudge.analysing import AnalysisFailed
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.service.analyst import finding
from tablewright.systems.vibejudge.service.jobs.filling import Filling
from tablewright.testing import injected
from tablewright.testing.backends import Backend

LEASE = 120


def test_several_processes_share_the_work_and_each_does_other_parts(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 8)
        async with case_on(tablewright_backend, clock, repos, concurrent=2) as made:
            async with process_on(tablewright_backend, clock, repos, concurrent=2) as second:
                job = await made.start()
                shares = await asyncio.gather(
                    made.courtroom.analyst.work_once(), second.analyst.work_once()
                )
                assert sum(shares) == 8
                assert min(shares) > 0
                ended = await made.job(job.job_id)
                assert (ended.status, counts(ended)) == ("completed", (8, 8, 0, 0, 0))
                assert {each.attempt for each in (await made.tasks(job.job_id)).values()} == {1}
                cost = await made.courtroom.db.require(reads.hackathon_cost(made.hack_id))
                assert cost.submissions_analyzed == 8

    run(work())


def test_a_lost_lease_is_taken_over_and_the_first_worker_publishes_nothing(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        (repo,) = repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            async with process_on(tablewright_backend, clock, repos) as second:
                hold.held = {str(repo.folder)}
                job = await made.start()
                slow = asyncio.create_task(made.courtroom.analyst.work_once())
                await hold.until(1)
                assert await second.analyst.work_once() == 0
                clock.advance(LEASE)
                hold.held.clear()
                assert await second.analyst.work_once() == 1
                published, card = await made.submission(0), await made.summary(0)
                # The first one wakes up, looks at what came later, and can do nothing.
                repo.commit({"more.py": "x = 1\n"}, "More")
                hold.opened.set()
                await slow
                assert await made.submission(0) == published
                assert await made.summary(0) == card
                ended = await made.job(job.job_id)
                assert (ended.status, counts(ended)) == ("completed", (1, 1, 0, 0, 0))
                (only,) = await made.runs(0)
                assert only.run_id == published.run_id

    run(work())


def test_a_process_that_stops_puts_its_tasks_back_and_that_is_no_attempt(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        (repo,) = repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            hold.held = {str(repo.folder)}
            job = await made.start()
            working = asyncio.create_task(made.courtroom.analyst.work_once())
            await hold.until(1)
            await made.courtroom.analyst.close()
            working.cancel()
            (task,) = (await made.tasks(job.job_id)).values()
            assert (task.state, task.attempt, task.tries) == ("queued", 1, 0)
            hold.held.clear()
            async with process_on(tablewright_backend, clock, repos) as second:
                assert await second.analyst.work_once() == 1
            assert await made.states(job.job_id) == ["done"]
            assert len(await made.runs(0)) == 1

    run(work())


def test_a_process_that_dies_before_the_tasks_are_there(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 24)
        async with case_on(tablewright_backend, clock, repos) as made:
            jobs, db = made.courtroom.jobs, made.courtroom.db
            with monkeypatch.context() as dead:
                dead.setattr(Filling, "fill", _nothing)
                job = await made.start()
            # It had come as far as this.
            some = [Filling(made.courtroom)._task(job, each) for each in made.submissions[:3]]
            await db.run(job_writes.queue_tasks(job, some, [], NOW))
            assert await made.courtroom.analyst.work_once() == 0
            # Not while whoever began may still be at it.
            await jobs.sweep()
            assert (await made.job(job.job_id)).status == "queued"
            clock.advance(60)
            await asyncio.gather(jobs.sweep(), jobs.sweep())
            found = await made.job(job.job_id)
            assert (found.status, counts(found)) == ("running", (24, 0, 0, 0, 0))
            assert await made.courtroom.analyst.work_once() == 24
            assert (await made.job(job.job_id)).status == "completed"

    run(work())


async def _nothing(*_: object) -> None:
    return


def test_a_process_that_dies_in_the_middle_of_resuming(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 3)
        async with case_on(tablewright_backend, clock, repos) as made:
            courtroom, jobs = made.courtroom, made.courtroom.jobs
            hold.held = {str(repos[0].folder)}
            job = await made.start()
            working = asyncio.create_task(courtroom.analyst.work_once())
            async with asyncio.timeout(20):
                while (await made.job(job.job_id)).completed_submissions < 2:
                    await asyncio.sleep(0.01)
            await jobs.cancel(made.caller, made.hack_id, job.job_id)
            await working
            await jobs.settle()
            # One more is handed in, and one is withdrawn, before it goes on.
            (other,) = repositories(tmp_path / "more", 1)
            late = await submission(courtroom, made.hackathon, repo_url=str(other.folder))
            with monkeypatch.context() as dead:
                dead.setattr(Filling, "fill", _nothing)
                await jobs.resume(made.caller, made.hack_id, job.job_id)
                await jobs.settle()
            await courtroom.db.run(
                writes.withdraw(await made.submission(0), made.hackathon.org_id, NOW)
            )
            clock.advance(60)
            await jobs.sweep()
            assert counts(await made.job(job.job_id)) == (4, 2, 0, 0, 1)
            assert await courtroom.analyst.work_once() == 1
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (4, 3, 0, 0, 1))
            found = await courtroom.db.require(reads.submission(made.hack_id, late.sub_id))
            assert found.status == "completed"

    run(work())


def test_a_process_that_dies_between_the_last_result_and_the_end(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        async with case_on(tablewright_backend, clock, repositories(tmp_path, 1)) as made:
            jobs = made.courtroom.jobs
            job = await made.start()
            with monkeypatch.context() as dead:
                dead.setattr(jobs, "finish_if_done", _nothing)
                await made.courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "running"
            # By as many as like to.
            await asyncio.gather(jobs.sweep(), jobs.sweep(), jobs.finish_if_done(job))
            ended = await made.job(job.job_id)
            assert (ended.status, ended.completed_at) == ("completed", NOW)
            assert await made.status() == ("completed", None)

    run(work())


def test_a_team_that_withdraws_before_and_while_it_is_analysed(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 3)
        async with case_on(tablewright_backend, clock, repos) as made:
            db = made.courtroom.db
            hold.held = {str(repos[0].folder)}
            job = await made.start()
            await db.run(writes.withdraw(await made.submission(1), made.hackathon.org_id, NOW))
            working = asyncio.create_task(made.courtroom.analyst.work_once())
            await hold.until(2)
            await db.run(writes.withdraw(await made.submission(0), made.hackathon.org_id, NOW))
            hold.opened.set()
            await working
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (3, 1, 0, 0, 2))
            assert await made.statuses() == ["withdrawn", "withdrawn", "completed"]
            assert [await made.summary(n) for n in (0, 1)] == [None, None]
            assert len(await db.run(reads.leaderboard(made.hack_id))) == 1

    run(work())


def test_a_cancelled_job_waits_for_a_worker_that_has_died(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with case_on(tablewright_backend, clock, repos) as made:
            async with process_on(tablewright_backend, clock, repos, concurrent=1) as dying:
                hold.held = {str(each.folder) for each in repos}
                job = await made.start()
                dead = asyncio.create_task(dying.analyst.work_once())
                await hold.until(1)
                jobs = made.courtroom.jobs
                await jobs.cancel(made.caller, made.hack_id, job.job_id)
                await jobs.settle()
                # Nobody may start another while somebody may be at work on this one.
                assert sorted(await made.states(job.job_id)) == ["cancelled", "leased"]
                again = await refused(jobs.start(made.caller, made.hack_id))
                assert again.code == "JOB_ACTIVE"
                await jobs.sweep()
                assert await made.status() == ("analyzing", job.job_id)
                clock.advance(LEASE)
                await jobs.sweep()
                ended = await made.job(job.job_id)
                assert (ended.status, counts(ended)) == ("cancelled", (2, 0, 0, 0, 2))
                assert await made.statuses() == ["pending", "pending"]
                assert await made.status() == ("configured", None)
                # It was only asleep: nothing comes of it.
                hold.opened.set()
                await dead
                assert await made.statuses() == ["pending", "pending"]
                assert await made.job(job.job_id) == ended

    run(work())


def test_a_cancellation_in_another_process_is_noticed(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tablewright.systems.vibejudge.service.analyst import analyst

    monkeypatch.setattr(analyst, "_LOOK_SECS", 0.05)

    async def work() -> None:
        (repo,) = repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            async with process_on(tablewright_backend, clock, repos) as second:
                hold.held = {str(repo.folder)}
                job = await made.start()
                working = asyncio.create_task(_turning(second.analyst))
                await hold.until(1)
                await made.courtroom.jobs.cancel(made.caller, made.hack_id, job.job_id)
                async with asyncio.timeout(10):
                    while (await made.job(job.job_id)).status != "cancelled":
                        await asyncio.sleep(0.02)
                working.cancel()
                assert await made.statuses() == ["pending"]

    run(work())


async def _turning(analyst: object) -> None:
    while True:
        await analyst.turn()  # type: ignore[attr-defined]


def test_what_passes_is_tried_three_times_and_what_does_not_once(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            away = RepoError("REPO_UNREACHABLE", "the host did not give the repository")
            hold.errors = [away, AnalysisFailed("ANALYSIS_FAILED", "the analysis broke off")]
            job = await made.start()
            for attempt, pause in ((1, 5), (2, 20)):
                assert await made.courtroom.analyst.work_once() == 1
                (task,) = (await made.tasks(job.job_id)).values()
                assert (task.state, task.tries) == ("queued", attempt)
                assert task.due_at == made.courtroom.now() + timedelta(seconds=pause)
                clock.advance(pause)
            await made.courtroom.analyst.work_once()
            assert await made.statuses() == ["completed"]

            hold.errors = [away, away, away]
            job = await made.start()
            for _ in range(3):
                await made.courtroom.analyst.work_once()
                clock.advance(60)
            ended = await made.job(job.job_id)
            # None could be analysed: the job has failed, and can be resumed.
            assert (ended.status, counts(ended)) == ("failed", (1, 0, 1, 0, 0))
            assert (await made.submission(0)).error_message == away.reason
            await made.courtroom.jobs.resume(made.caller, made.hack_id, job.job_id)
            hold.errors = [RepoError("REPO_NOT_FOUND", "there is no such repository")]
            assert await made.courtroom.analyst.work_once() == 1
            assert counts(await made.job(job.job_id)) == (1, 0, 1, 0, 0)
            (task,) = (await made.tasks(job.job_id)).values()
            assert (task.error_code, task.attempt) == ("REPO_NOT_FOUND", 4)

    run(work())


def test_a_task_that_kills_three_processes_is_given_up(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            job = await made.start()
            for _ in range(3):
                async with process_on(tablewright_backend, clock, repos) as dying:
                    (task,) = (await made.tasks(job.job_id)).values()
                    assert await dying.analyst._claiming.claim(task) is not None
                clock.advance(LEASE)
            await made.courtroom.analyst.work_once()
            (task,) = (await made.tasks(job.job_id)).values()
            assert (task.state, task.error_code) == ("failed", "ATTEMPTS_USED_UP")
            assert hold.begun == []

    run(work())


def test_clocks_that_are_wrong(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 1)
        fast = ManualClock(clock.now() + 7200)
        async with case_on(tablewright_backend, clock, repos) as made:
            async with process_on(tablewright_backend, fast, repos) as ahead:
                job = await made.on(ahead).start()
                (task,) = (await made.tasks(job.job_id)).values()
                assert await ahead.analyst._claiming.claim(task) is not None
            # It died; by our clock its lease ends in two hours.
            assert await made.courtroom.analyst.work_once() == 0
            await made.courtroom.jobs.sweep()
            assert await made.courtroom.analyst.work_once() == 1
            assert (await made.job(job.job_id)).status == "completed"

    run(work())


def test_others_in_the_way_are_waited_for_and_then_told(
    tmp_path: Path,
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conflicts, "_LONGEST_SECS", 0.01)

    def conflict(times: int | None = None) -> Fault:
        return Fault(
            "TransactWriteItems",
            error="TransactionCanceledException",
            reason="TransactionConflict",
            members=[1],
            times=times,
        )

    async def work() -> None:
        async with case_on(engine_backend, clock, repositories(tmp_path, 1), quick=True) as made:
            with injected(tablewright_engine, conflict(5)):
                job = await made.start()
            with injected(tablewright_engine, conflict(9)):
                assert await made.courtroom.analyst.work_once() == 1
            assert (await made.job(job.job_id)).status == "completed"
            with injected(tablewright_engine, conflict()):
                problem = await refused(made.courtroom.jobs.start(made.caller, made.hack_id))
            assert (problem.status, problem.code) == (503, "STORE_BUSY")
            assert await made.status() == ("completed", None)

    run(work())


#: Of a job with two submissions; one more than it writes.
WRITES = 24


@pytest.mark.parametrize("last", range(0, WRITES, 3))
def test_at_any_moment_the_process_may_die(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold, last: int
) -> None:
    """After so many writes its process is gone; others bring the job to its end."""

    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with case_on(tablewright_backend, clock, repos) as made:
            async with process_on(tablewright_backend, clock, repos) as dying:
                dying.db._transport = gone = Gone(dying.db._transport, last)
                lost = [asyncio.create_task(_whole(made.on(dying)))]
                async with asyncio.timeout(20):
                    while not (gone.hangs or lost[0].done()):
                        await asyncio.sleep(0.01)
                lost += [task for _, task in dying.analyst._in_work.values()]
                for task in lost:
                    task.cancel()
                await asyncio.wait(lost)
            job = next(iter(await made.courtroom.jobs.of(made.caller, made.hack_id)), None)
            job = job or await made.start()
            for _ in range(2):
                clock.advance(LEASE)
                await made.courtroom.jobs.sweep()
                await made.courtroom.analyst.work_once()
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (2, 2, 0, 0, 0))
            assert await made.status() == ("completed", None)
            assert await made.statuses() == ["completed"] * 2
            assert [len(await made.runs(n)) for n in (0, 1)] == [1, 1]
            cost = await made.courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert cost.submissions_analyzed == 2

    run(work())


async def _whole(made: Case) -> None:
    await made.start()
    await made.courtroom.analyst.work_once()


class Gone:
    """Lets so many writes through, and then nothing any more: not even an error."""

    def __init__(self, inner: Any, writes: int) -> None:
        self._inner = inner
        self._left = writes
        self.hangs = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def send(self, step: Any) -> Any:
        request = getattr(step, "request", step)
        self._left -= request.operation in ("PutItem", "UpdateItem", "TransactWriteItems")
        if self._left < 0:
            self.hangs = True
            await asyncio.Event().wait()
        return await self._inner.send(step)


# --- what it costs -------------------------------------------------------------------------------


def test_what_an_idle_process_reads(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One look at the index every two seconds, half a unit each."""

    async def work() -> None:
        heard: list[RequestEvent] = []
        monkeypatch.setattr(finding, "IDLE_SECS", 0.1)
        async with courtroom_on(engine_backend, clock, heard=heard) as courtroom:
            began = time.monotonic()
            while time.monotonic() - began < 0.55:
                await courtroom.analyst.turn()
            assert {each.pattern for each in heard} == {"jobs_at_work"}
            assert 4 <= len(heard) <= (time.monotonic() - began) / 0.1 + 1
            units = sum(part.read_units for each in heard for part in each.consumed)
            assert units == len(heard) / 2

    run(work())


def test_a_job_is_noticed_at_once(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        async with case_on(tablewright_backend, clock, repositories(tmp_path, 1)) as made:
            turning = asyncio.create_task(_turning(made.courtroom.analyst))
            await asyncio.sleep(0.1)
            began = time.monotonic()
            await made.start()
            await hold.until(1)
            assert time.monotonic() - began < 1.0
            turning.cancel()

    run(work())


def test_who_ends_a_job_late_does_not_end_it_once_it_is_resumed(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 1)
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def stopped(hack_id: str) -> None:
            reached.set()
            await go_on.wait()

        async with case_on(tablewright_backend, clock, repos) as made:
            async with process_on(tablewright_backend, clock, repos) as second:
                hold.errors = [RepoError("REPO_NOT_FOUND", "it is gone")]
                monkeypatch.setattr(made.courtroom.jobs.comparing, "compare", stopped)
                job = await made.start()
                slow = asyncio.create_task(made.courtroom.analyst.work_once())
                await reached.wait()
                await second.jobs.sweep()
                assert (await made.job(job.job_id)).status == "failed"
                await second.jobs.resume(made.caller, made.hack_id, job.job_id)
                await second.jobs.settle()
                go_on.set()
                await slow
                ended = await made.job(job.job_id)
                assert (ended.status, counts(ended)) == ("completed", (1, 1, 0, 0, 0))
                assert await made.status() == ("completed", None)

    run(work())


def test_what_is_frozen_after_a_first_attempt_is_looked_at(
    tmp_path: Path, tablewright_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        (repo,) = repos = repositories(tmp_path, 1)
        async with case_on(tablewright_backend, clock, repos) as made:
            hold.errors = [RepoError("REPO_UNREACHABLE", "it does not answer")]
            await made.start()
            assert await made.courtroom.analyst.work_once() == 1
            frozen = repo.git("rev-parse", "HEAD").strip()
            await made.courtroom.db.run(
                writes.freeze_submission(await made.submission(0), frozen, NOW)
            )
            repo.commit({"late.py": "x = 1\n"}, "After the end")
            clock.advance(60)
            assert await made.courtroom.analyst.work_once() == 1
            (only,) = await made.runs(0)
            assert (only.status, only.commit_sha) == ("completed", frozen)

    run(work())
