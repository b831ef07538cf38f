"""A table that has few units: an analysis waits for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.systems.vibejudge.budgets.support import MODELS
from tests.systems.vibejudge.jobs.support import (
    Hold,
    case,
    case_on,
    counts,
    process_on,
    repositories,
)
from tests.systems.vibejudge.judging.support import RUBRIC
from tests.systems.vibejudge.support import QUICK, organizer, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault, Realism
from tablewright.service.conflicts import RETRIES
from tablewright.systems.vibejudge.llm.calls import Reply
from tablewright.systems.vibejudge.llm.openai import OpenAiCompatible
from tablewright.systems.vibejudge.stand_in import StandIn, serving
from tablewright.testing.backends import Backend


def test_what_is_refused_for_a_moment_is_not_analysed_again(
    tmp_path: Path,
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    hold: Hold,
) -> None:
    """Refused more often than a request would be repeated that somebody waits for."""
    refusals = Fault(
        operations={"PutItem"},
        error="ProvisionedThroughputExceededException",
        times=4 * QUICK.attempts,
    )

    async def work() -> None:
        async with case_on(engine_backend, clock, repositories(tmp_path, 1), quick=True) as made:
            job = await made.start()
            tablewright_engine.realism = Realism(faults=(refusals,))
            await made.courtroom.analyst.work_once()
            assert counts(await made.job(job.job_id)) == (1, 1, 0, 0, 0)
            (task,) = (await made.tasks(job.job_id)).values()
            assert task.attempt == 1
            assert len(hold.begun) == 1

    run(work())


def test_an_answer_is_not_thrown_away_since_it_cannot_be_booked_at_once(
    tmp_path: Path,
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is paid for: to ask once more would be to pay twice."""
    refusals = Fault(
        operations={"TransactWriteItems"},
        error="ProvisionedThroughputExceededException",
        times=QUICK.attempts * (RETRIES + 1),
    )
    call, stand_in = OpenAiCompatible.call, StandIn()

    async def few_units_then(self: OpenAiCompatible, request: Any) -> Reply:
        reply = await call(self, request)
        tablewright_engine.realism = Realism(faults=(refusals,))
        return reply

    monkeypatch.setattr(OpenAiCompatible, "call", few_units_then)

    async def work(url: str) -> None:
        repos = repositories(tmp_path, 1)
        options = {"openai_url": f"{url}/v1", "openai_key": stand_in.key, "quick": True}
        async with process_on(engine_backend, clock, repos, opened=True, **options) as courtroom:
            one = {"name": "One", "dimensions": [{**RUBRIC["dimensions"][1], "weight": "1"}]}
            said = {"rubric": one, "agents_enabled": ["bug_hunter"], "agent_models": MODELS}
            caller = await organizer(courtroom)
            made = await case(courtroom, caller, repos, agent_provider="openai", **said)
            job = await made.start()
            await courtroom.analyst.work_once()
            assert counts(await made.job(job.job_id)) == (1, 1, 0, 0, 0)
            assert len(stand_in.asked) == 1

    with serving(stand_in) as url:
        run(work(url))
