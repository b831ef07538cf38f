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
from tests.systems.vibejudge.budgets.support import MODELS, name_model
from tests.systems.vibejudge.jobs.support import (
    Case,
    Hold,
    case,
    counts,
    process_on,
    repositories,
)
from tests.systems.vibejudge.support import moment, organizer, refused, run, wanted

from tablewright.clock import ManualClock, SystemClock
from tablewright.engine import Engine
from tablewright.service.preconditions import Precondition
from tablewright.systems.vibejudge import job_reads, reads, task_writes
from tablewright.systems.vibejudge.analysing.__main__ import analysed
from tablewright.systems.vibejudge.analysis import AgentScore, CostRecord
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm import asking as asking_calls
from tablewright.systems.vibejudge.llm.agents import Judged, ModelAgents
from tablewright.systems.vibejudge.rules.verdicts import verdict
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


#: What makes an answer unusable, for all agents.
TROUBLES = {
    "throttled": Manner(fault="throttled"),
    "refused": Manner(fault="refused"),
    "down": Manner(fault="unavailable"),
    "no json": Manner(spoilt="json"),
    "cites what is not there": Manner(mind="careless"),
}


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


def test_rules_judge_for_a_model_that_gives_no_usable_answer(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 1)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            made = await asking(courtroom, repos)
            monkeypatch.setattr(asking_calls, "FIRST_PAUSE", 0.01)
            told = {}
            for name, manner in TROUBLES.items():
                # Each agent is asked again a few times, or once more, and gets the same.
                stand_in.next = [manner] * 16
                job = await made.start()
                await courtroom.analyst.work_once()
                assert (await made.job(job.job_id)).status == "completed"
                summary = await made.summary(0)
                assert summary is not None
                found = await courtroom.db.run(
                    reads.agent_scores(made.submissions[0].sub_id, summary.run_id)
                )
                assert {each.model_id for each in found} == {"static"}
                assert not summary.partial
                assert len([f for f in summary.flags if f.startswith("static_fallback:")]) == 4
                told[name] = summary.overall_score
                clock.advance(60)
            # Nobody gains or loses by what is wrong with a model: it is what the rules say.
            static = analysed(hold.begun[-1]).results
            expected = verdict(made.hackathon, static)
            assert expected is not None
            assert set(told.values()) == {expected.overall_score}
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


def test_a_model_without_a_price_is_refused_when_it_is_chosen_and_at_the_start(
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
            unknown = {"bug_hunter": {"label": "x", "model_id": "gpt-4.1-minni"}}
            made = await asking(courtroom, repos)
            # It had a price when it was saved.
            await name_model(courtroom, made.hack_id, "gpt-4.1-minni")
            problem = await refused(courtroom.jobs.start(made.caller, made.hack_id))
            assert (problem.status, problem.code) == (409, "UNKNOWN_MODEL")
            assert "gpt-4.1-mini" in str(problem.detail)
            assert stand_in.asked == []

            wrong = wanted(agent_provider="openai", agent_models={**MODELS, **unknown})
            problem = await refused(courtroom.hackathons.create(made.caller, wrong))
            assert problem.status == 422
            (error,) = problem.errors
            assert error.field == "body.agent_models.bug_hunter.model_id"
            assert "Known models are, for example, gpt-4.1-mini" in error.message

            alias = {"innovation": {"label": "s", "model_id": "anthropic.claude-sonnet-4-20250514"}}
            known = wanted(agent_provider="bedrock", agent_models=alias)
            saved = await courtroom.hackathons.create(made.caller, known)
            priced = await courtroom.models.agents(saved).priced("innovation")
            assert priced.model.model_id == "us.anthropic.claude-sonnet-4-20250514-v1:0"
            await courtroom.models.close()

    run(work())


def test_a_wrong_key_is_told_with_the_setting_and_the_rest_is_done_with_the_right_one(
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
            stand_in.key = "another"
            job = await made.start()
            await courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "failed"
            (task,) = (await made.tasks(job.job_id)).values()
            assert (task.state, task.error_code) == ("blocked", "MODEL_REFUSED")
            message = (await made.submission(0)).error_message or ""
            assert message.startswith("Authentication at the model provider failed")
            assert "Incorrect API key" in message
            assert "openai_key in [vibejudge]" in message
            assert all(each.total_cost_usd == 0 for each in await calls(made))

            stand_in.key = "stand-in"
            await courtroom.jobs.resume(made.caller, made.hack_id, job.job_id)
            await courtroom.analyst.work_once()
            assert (await made.job(job.job_id)).status == "completed"
            assert (await made.submission(0)).error_message is None
            await courtroom.blobs.close()
            await courtroom.models.close()

    run(work())


def test_refunds_are_used_inside_a_job(
    tmp_path: Path,
    tablewright_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    models: tuple[StandIn, dict[str, Any]],
) -> None:
    """What is enough for one call after the other is enough for all at once, and never exceeded."""
    stand_in, options = models

    async def work() -> None:
        repos = repositories(tmp_path, 6)
        async with process_on(tablewright_backend, clock, repos, **options) as courtroom:
            rich = await asking(courtroom, repos[:1])
            await rich.start()
            await courtroom.analyst.work_once()
            spent = await calls(rich)
            # Of a fresh hackathon: 24 calls cost six times that, and the last one has to be
            # covered at the most that it may cost.
            each = sum((call.total_cost_usd for call in spent), Decimal(0))
            told = await courtroom.budgets.estimate(rich.caller, rich.hack_id)
            budget = 6 * each + told.total_usd
            assert budget < 6 * told.total_usd
            stand_in.always = Manner(slow=0.05)
            made = await case(
                courtroom,
                rich.caller,
                repos,
                name="Tight",
                agent_provider="openai",
                agent_models=MODELS,
                budget_limit_usd=str(budget),
            )
            job = await made.start()
            await courtroom.analyst.work_once()
            assert counts(await made.job(job.job_id)) == (6, 6, 0, 0, 0)
            cost = await courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert cost.total_cost_usd == 6 * each
            assert cost.budget_remaining_usd == budget - 6 * each
            await courtroom.blobs.close()
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
            assert latest.start_date is not None
            assert latest.end_date is not None
            dates = {"start_date": moment(latest.start_date), "end_date": moment(latest.end_date)}
            asks = wanted(
                agent_provider="openai", agent_models=MODELS, budget_limit_usd="0", **dates
            )
            said = Precondition.seen(revision(latest))
            await courtroom.hackathons.edit(made.caller, latest.hack_id, asks, said)
            job = await made.start()
            await courtroom.analyst.work_once()
            assert await made.states(job.job_id) == ["blocked"]
            after = await made.submission(0)
            assert (before.status, after.status) == ("completed", "completed")
            assert (after.rank_score, after.run_id) == (before.rank_score, before.run_id)
            assert "and $0" in (after.error_message or "")
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
