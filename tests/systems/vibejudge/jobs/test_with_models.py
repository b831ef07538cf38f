"""Jobs whose agents ask a model, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.systems.vibejudge.budgets.support import MODELS
from tests.systems.vibejudge.jobs.support import (
    Case,
    Hold,
    case,
    counts,
    process_on,
    repositories,
)
from tests.systems.vibejudge.support import organizer, run, wanted

from tablewright.clock import ManualClock, SystemClock
from tablewright.engine import Engine
from tablewright.service.preconditions import Precondition
from tablewright.systems.vibejudge import job_reads, reads, task_writes
from tablewright.systems.vibejudge.analysis import AgentScore, CostRecord
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm.agents import Judged, ModelAgents
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.hackathons import revision
from tablewright.systems.vibejudge.stand_in import Manner, StandIn, serving
from tablewright.systems.vibejudge.table import Agent
from tablewright.testing.backends import Backend, over_http


@pytest.fixture
def models() -> Iterator[tuple[StandIn, dict[str, Any]]]:
    stand_in = StandIn()
    with serving(stand_in) as url:
        yield stand_in, {"openai_url": f"{url}/v1", "openai_key": stand_in.key}


async def asking(courtroom: Courtroom, repos: Any, **said: Any) -> Case:
    caller = await organizer(courtroom)
    given = {"agent_provider": "openai", "agent_models": MODELS, **said}
    return await case(courtroom, caller, repos, **given)


async def calls(made: Case, number: int = 0) -> list[CostRecord]:
    op = reads.costs_of_submission(made.submissions[number].sub_id)
    return [each async for each in made.courtroom.db.iterate(op)]


def test_agents_that_ask_a_model(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
) -> None:
    """Scenario 10 once more, with costs: those of both runs are there."""
    stand_in, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await asking(courtroom, repos)
            spent = []
            for _ in range(2):
                job = await made.start()
                await courtroom.analyst.work_once()
                assert (await made.job(job.job_id)).status == "completed"
                summary = await made.summary(0)
                assert summary is not None
                assert summary.total_cost_usd > 0
                spent.append((summary.run_id, summary.total_cost_usd, summary.total_tokens))
                clock.advance(60)
            found = await calls(made)
            assert Counter(each.run_id for each in found) == {each[0]: 4 for each in spent}
            for run_id, cost, tokens in spent:
                own = [each for each in found if each.run_id == run_id]
                assert sum((each.total_cost_usd for each in own), Decimal(0)) == cost
                assert sum(each.total_tokens for each in own) == tokens
            scores = await courtroom.db.run(
                reads.agent_scores(made.submissions[0].sub_id, spent[0][0])
            )
            assert {each.model_id for each in scores} == {"gpt-4.1-mini"}
            assert all(each.static_scores for each in scores)
            for each in scores:
                assert each.raw_blob_key is not None
                assert await courtroom.blobs.get(each.raw_blob_key)
            (newer, _) = await made.runs(0)
            assert newer.prompt_version == courtroom.models.prompt_version
            assert len(stand_in.asked) == 8
            await courtroom.blobs.close()
            await courtroom.models.close()

    run(work())


def test_an_agent_without_an_answer_makes_it_partial_and_none_makes_it_fail(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
) -> None:
    stand_in, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await asking(courtroom, repos)
            stand_in.next = [Manner(fault="refused")]
            await made.start()
            await courtroom.analyst.work_once()
            summary = await made.summary(0)
            assert summary is not None
            assert summary.partial
            assert len(summary.missing_agents) == 1
            assert len(summary.agent_scores) == 3

            stand_in.next = [Manner(fault="refused")] * 4
            job = await made.start()
            await courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "failed"
            (task,) = (await made.tasks(job.job_id)).values()
            assert task.error_code == "NO_AGENT_ANSWERED"
            # What was found before is still what is shown.
            assert await made.summary(0) == summary
            await courtroom.blobs.close()
            await courtroom.models.close()

    run(work())


def test_without_money_tasks_are_blocked_and_the_rest_is_done_when_there_is_some(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
) -> None:
    stand_in, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 2)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await asking(courtroom, repos, budget_limit_usd="0.005")
            job = await made.start()
            await courtroom.analyst.work_once()
            ended = await made.job(job.job_id)
            total, completed, failed, blocked, cancelled = counts(ended)
            assert (ended.status, total, failed, cancelled) == ("failed", 2, 0, 0)
            assert blocked >= 1
            assert completed + blocked == 2
            assert await made.status() == ("configured", None)
            tasks = (await made.tasks(job.job_id)).values()
            waiting = [each for each in tasks if each.state == "blocked"]
            assert {each.error_code for each in waiting} == {"BUDGET_EXCEEDED"}
            expected = ["completed"] * completed + ["pending"] * blocked
            assert sorted(await made.statuses()) == expected
            asked = Counter(await _asked(made))

            latest = await courtroom.hackathons.owned(made.caller, made.hack_id)
            more = wanted(agent_provider="openai", agent_models=MODELS, budget_limit_usd="5")
            said = Precondition(if_match=f'"{revision(latest)}"')
            await courtroom.hackathons.edit(made.caller, latest.hack_id, more, said)
            clock.advance(60)
            await courtroom.jobs.resume(made.caller, made.hack_id, job.job_id)
            await courtroom.analyst.work_once()
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (2, 2, 0, 0, 0))
            # Whoever has answered was not asked again.
            now = Counter(await _asked(made))
            assert sum(now.values()) == 8
            assert set(now.values()) == {1}
            assert asked <= now
            assert len(stand_in.asked) == 8
            await courtroom.blobs.close()
            await courtroom.models.close()

    run(work())


async def _asked(made: Case) -> list[tuple[int, str]]:
    return [
        (number, each.agent_name)
        for number in range(len(made.submissions))
        for each in await calls(made, number)
    ]


def test_what_goes_wrong_with_one_agent_does_not_waste_what_the_others_say(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A mistake of ours, at once, while the other three still wait for their answers."""
    stand_in, options = models
    stand_in.always = Manner(slow=0.2)
    judge = ModelAgents.judge

    async def mistaken(self: ModelAgents, agent: Agent, *rest: Any) -> Judged:
        if agent == "innovation" and not stand_in.asked:
            raise RuntimeError("nobody thought of this")
        return await judge(self, agent, *rest)

    monkeypatch.setattr(ModelAgents, "judge", mistaken)

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await asking(courtroom, repos)
            job = await made.start()
            await courtroom.analyst.work_once()
            assert await made.states(job.job_id) == ["queued"]
            assert len(stand_in.asked) == 3
            clock.advance(60)
            await courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "completed"
            assert Counter(await _asked(made)) == {(0, agent): 1 for agent in ALL_AGENTS}
            await courtroom.blobs.close()
            await courtroom.models.close()

    run(work())


def test_the_first_answer_counts_if_two_workers_have_one(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is shown of a run is what its score was made of, whoever was late."""
    _, options = models
    judge = ModelAgents.judge

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await asking(courtroom, repos)
            sub_id = made.submissions[0].sub_id

            async def overtaken(self: ModelAgents, agent: Agent, *rest: Any) -> Judged:
                judged = await judge(self, agent, *rest)
                other = AgentScore(
                    sub_id=sub_id,
                    run_id=rest[2].run_id,
                    agent_name=agent,
                    hack_id=made.hack_id,
                    model_id="another worker's",
                    scores=dict.fromkeys(judged.scores, Decimal(1)),
                    overall_score=Decimal(10),
                    confidence=Decimal("0.8"),
                    summary="First.",
                    latency_ms=1,
                    created_at=courtroom.now(),
                )
                await courtroom.db.run(task_writes.store_score(other, once=True))
                return judged

            monkeypatch.setattr(ModelAgents, "judge", overtaken)
            await made.start()
            await courtroom.analyst.work_once()
            summary = await made.summary(0)
            assert summary is not None
            assert summary.overall_score == 10
            found = await courtroom.db.run(reads.agent_scores(sub_id, summary.run_id))
            assert {each.model_id for each in found} == {"another worker's"}
            await courtroom.blobs.close()
            await courtroom.models.close()

    run(work())


def test_a_model_without_a_price_is_not_asked(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
) -> None:
    stand_in, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            unknown = {agent: {"label": "x", "model_id": "nobody-knows"} for agent in ALL_AGENTS}
            made = await asking(courtroom, repos, agent_models=unknown)
            job = await made.start()
            await courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "failed"
            (task,) = (await made.tasks(job.job_id)).values()
            assert (task.state, task.error_code) == ("blocked", "UNKNOWN_MODEL")
            assert stand_in.asked == []
            await courtroom.models.close()

    run(work())


def test_a_second_run_that_is_blocked_leaves_the_result_of_the_first(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
) -> None:
    """Nothing that is pending is ranked: what is ranked is not pending again."""
    _, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await case(courtroom, await organizer(courtroom), repos)
            await made.start()
            await courtroom.analyst.work_once()
            before = await made.submission(0)
            clock.advance(60)
            latest = await courtroom.hackathons.owned(made.caller, made.hack_id)
            unknown = {agent: {"label": "x", "model_id": "nobody-knows"} for agent in ALL_AGENTS}
            asks = wanted(agent_provider="openai", agent_models=unknown)
            said = Precondition.seen(revision(latest))
            await courtroom.hackathons.edit(made.caller, latest.hack_id, asks, said)
            job = await made.start()
            await courtroom.analyst.work_once()
            assert await made.states(job.job_id) == ["blocked"]
            after = await made.submission(0)
            assert (before.status, after.status) == ("completed", "completed")
            assert (after.rank_score, after.run_id) == (before.rank_score, before.run_id)
            await courtroom.models.close()

    run(work())


def test_scenario_07_killed_in_the_middle_of_a_run(
    tmp_path: Path, tablewright_engine: Engine, models: tuple[StandIn, dict[str, Any]]
) -> None:
    """kill -9 mid-run: another finishes, same SHA, counters right, stored agents not rebilled.

    Real processes: one asks, and is killed when two of four agents have answered; the lease is
    short, and the clock is real.
    """
    stand_in, options = models
    slow = Manner(slow=30.0)
    stand_in.next = [Manner(), Manner(), slow, slow]

    async def work(backend: Backend) -> None:
        (repo,) = repos = repositories(tmp_path, 1)
        given = {**options, "lease_secs": 4}
        async with process_on(backend, SystemClock(), repos, **given) as courtroom:
            made = await asking(courtroom, repos)
            job = await made.start()
            worker = _worker(backend, {**given, "local_root": str(tmp_path)})
            try:
                await _until(lambda: _scored(made), 2)
                before = (await made.runs(0))[0]
                assert before.commit_sha == repo.git("rev-parse", "HEAD")
                kept = await _stored(made, before.run_id)
            finally:
                os.kill(worker.pid, signal.SIGKILL)
                worker.wait()
            # The team goes on; what is judged is what was pinned.
            repo.commit({"more.py": "x = 1\n"}, "More")
            stand_in.asked.clear()
            stand_in.next.clear()
            (task,) = (await made.tasks(job.job_id)).values()
            assert task.state == "leased"
            async with asyncio.timeout(30):
                while (await made.job(job.job_id)).status == "running":
                    await courtroom.analyst.work_once()
                    await asyncio.sleep(0.2)
            ended = await made.job(job.job_id)
            assert (ended.status, counts(ended)) == ("completed", (1, 1, 0, 0, 0))
            (after,) = await made.runs(0)
            assert (after.run_id, after.commit_sha) == (before.run_id, before.commit_sha)
            assert (await made.tasks(job.job_id))[task.sub_id].attempt == 2
            # Those that had answered were not asked again, and are not paid for again.
            assert len(stand_in.asked) == 2
            scores = await _stored(made, after.run_id)
            assert len(scores) == 4
            assert {name: scores[name] for name in kept} == kept
            told = Counter((each.agent_name, each.attempt) for each in await calls(made))
            assert {name for name, attempt in told if attempt == 1} == set(kept)
            assert sorted(told.values()) == [1, 1, 1, 1]
            cost = await courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert cost.submissions_analyzed == 1
            # What was asked for when it was killed is set aside still: the sweeper sees to it.
            aside = await courtroom.db.run(job_reads.reservations(made.hack_id))
            assert {each.attempt for each in aside} == {1}
            assert {each.agent_name for each in aside} == set(ALL_AGENTS) - set(kept)
            await courtroom.blobs.close()
            await courtroom.models.close()

    with over_http(tablewright_engine) as backend:
        run(work(backend))


def _worker(backend: Backend, options: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Another process that analyses."""
    assert backend.url is not None
    program = "tests.systems.vibejudge.jobs.working"
    child = subprocess.Popen(
        [sys.executable, "-m", program, backend.url, backend.prefix],
        cwd=Path(__file__).parents[4],
        stdin=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.write(json.dumps({"allow_local_paths": True, **options}).encode())
    child.stdin.close()
    return child


async def _until(ask: Any, count: int) -> None:
    async with asyncio.timeout(40):
        while await ask() < count:
            await asyncio.sleep(0.05)


async def _scored(made: Case) -> int:
    runs = await made.runs(0)
    return len(await _stored(made, runs[0].run_id)) if runs else 0


async def _stored(made: Case, run_id: str) -> dict[str, object]:
    found = await made.courtroom.db.run(reads.agent_scores(made.submissions[0].sub_id, run_id))
    return {each.agent_name: each for each in found}
