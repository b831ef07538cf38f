"""What an analysis would cost: of the requests that would be made."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from tests.systems.vibejudge.budgets.support import Case, case, name_model
from tests.systems.vibejudge.repos.support import Repo
from tests.systems.vibejudge.support import courtroom_on, hackathon, refused, run, submission

from tablewright.clock import ManualClock
from tablewright.systems.vibejudge.llm.context import MOST_BYTES, material_of
from tablewright.systems.vibejudge.repos.reading import snapshot_of_url
from tablewright.systems.vibejudge.rules.rates import usd
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing.backends import Backend

NOWHERE = {"openai_url": "http://127.0.0.1:9/v1"}


@pytest.fixture
def repos(tmp_path: Path) -> list[Repo]:
    """A small one and a larger one."""
    made = [Repo(tmp_path / "small"), Repo(tmp_path / "large")]
    made[0].commit({"app.py": "print('hello')\n", "README.md": "# Hello\n"})
    made[1].commit({f"part{n}.py": f"def part():\n    return {n}\n" * 40 for n in range(9)})
    return made


def test_an_estimate_is_what_the_first_calls_will_set_aside(
    engine_backend: Backend, clock: ManualClock, repos: list[Repo], tmp_path: Path
) -> None:
    async def reserved(courtroom: Courtroom, made: Case, repo: Repo) -> Decimal:
        snapshot = snapshot_of_url(str(repo.folder), access=courtroom.access)
        material = material_of(snapshot, made.hackathon.agents_enabled)
        found = await courtroom.models.agents(made.hackathon).estimates(material)
        return sum((each.amount for each in found.values()), Decimal(0))

    async def check() -> None:
        local = {"allow_local_paths": True, "local_root": tmp_path, **NOWHERE}
        async with courtroom_on(engine_backend, clock, **local) as courtroom:
            made = await case(courtroom, agents_enabled=["bug_hunter", "ai_detection"], **ONLY)
            for repo in repos:
                await submission(courtroom, made.hackathon, repo_url=str(repo.folder))
            await submission(courtroom, made.hackathon, status="withdrawn")
            await submission(courtroom, made.hackathon, disqualified_reason="Copied")
            told = await courtroom.budgets.estimate(made.caller, made.hackathon.hack_id)
            both = [await reserved(courtroom, made, repo) for repo in repos]
            assert both[0] < both[1]
            # That of the case itself and that of who is disqualified, and may come back, are
            # nowhere to be read, and taken to be like the two.
            assert (told.basis, told.submissions, told.sampled, told.passed_over) == (
                "sampled",
                4,
                2,
                2,
            )
            assert told.submission_usd == usd(sum(both) / 2)
            assert told.total_usd == usd(sum(both) * 2)
            assert set(told.agents) == {"bug_hunter", "ai_detection"}
            assert told.enough
            assert told.rate_version == courtroom.models.rate_version

    run(check())


ONLY = {
    "rubric": {
        "name": "Two",
        "dimensions": [
            {"name": "code", "weight": "0.5", "agent": "bug_hunter"},
            {"name": "honest", "weight": "0.5", "agent": "ai_detection"},
        ],
    }
}


def test_what_cannot_be_read_is_taken_to_be_as_large_as_can_be(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with courtroom_on(engine_backend, clock, **NOWHERE) as courtroom:
            made = await case(courtroom, "0.1")
            gone = "/nowhere/at/all"
            await submission(courtroom, made.hackathon, repo_url=gone)
            told = await courtroom.budgets.estimate(made.caller, made.hackathon.hack_id)
            assert (told.basis, told.sampled) == ("most", 0)
            rate = Decimal("0.0000004")
            least = 2 * 4 * (MOST_BYTES // 3) * rate
            assert least < told.total_usd < 2 * least
            assert not told.enough

    run(check())


def test_nothing_is_asked_and_nothing_is_known(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with courtroom_on(engine_backend, clock, **NOWHERE) as courtroom:
            free = await case(courtroom, agent_provider="static", agent_models={})
            told = await courtroom.budgets.estimate(free.caller, free.hackathon.hack_id)
            assert (told.basis, told.total_usd, told.enough) == ("free", 0, True)
            made = await another(courtroom, free, {})
            await name_model(courtroom, made, "nobody-knows")
            problem = await refused(courtroom.budgets.estimate(free.caller, made))
            assert (problem.status, problem.code) == (409, "UNKNOWN_MODEL")
        async with courtroom_on(engine_backend, clock) as courtroom:
            problem = await refused(courtroom.budgets.estimate(free.caller, made))
            assert (problem.status, problem.code) == (409, "MODELS_NOT_CONFIGURED")

    run(check())


async def another(courtroom: Courtroom, known: Case, models: object) -> str:
    """Another hackathon of the same organiser, with one submission."""
    made = await hackathon(
        courtroom, known.caller, name="Other", agent_provider="openai", agent_models=models
    )
    await submission(courtroom, made)
    return made.hack_id
