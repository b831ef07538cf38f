"""Vibejudge beside a real pricekeeper: its advice, its quotas, its absence."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import pytest
from tests.systems.vibejudge.budgets.support import Case, case, check_books, records
from tests.systems.vibejudge.pricekeeper.support import (
    Elsewhere,
    Keeper,
    dispatched,
    judged,
    linked,
    waiting,
)
from tests.systems.vibejudge.repos.support import Repo
from tests.systems.vibejudge.support import NOW, run

from tablewright.clock import ManualClock
from tablewright.service.kit.outbox.messages import Message
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm.failures import BudgetRefused
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.stand_in import StandIn, serving
from tablewright.testing.backends import Backend

TODAY = f"{NOW:%Y-%m-%d}"


@pytest.fixture
def keeper(engine_backend: Backend, clock: ManualClock, tmp_path: Path) -> Keeper:
    return Keeper(engine_backend, clock, tmp_path)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repos" / "app")
    made.commit({"app.py": "def main():\n    return 1\n", "README.md": "# App\n"})
    return made


def local(repo: Repo) -> dict[str, object]:
    return {"allow_local_paths": True, "local_root": repo.folder.parent}


async def analysed(courtroom: Courtroom, made: Case) -> tuple[str, str]:
    """What has become of a job, and of the submission."""
    job = await courtroom.jobs.start(made.caller, made.hackathon.hack_id)
    await courtroom.analyst.work_once()
    after = await courtroom.db.require(job_reads.job(job.hack_id, job.job_id))
    sent = made.submission
    submission = await courtroom.db.require(reads.submission(sent.hack_id, sent.sub_id))
    return after.status, submission.status


def micros(amount: Decimal) -> int:
    return int((amount * 10**6).to_integral_value(ROUND_HALF_EVEN))


def test_scenario_20_spend_arrives_once_however_long_pricekeeper_was_away(
    keeper: Keeper, clock: ManualClock, repo: Repo
) -> None:
    """pricekeeper down: run completes, spend arrives once."""
    stand_in = StandIn()

    async def while_away(models: str) -> dict[str, Decimal]:
        async with linked(keeper, stand_in, models, **local(repo)) as courtroom:
            made = await case(courtroom, repo_url=str(repo.folder))
            assert await analysed(courtroom, made) == ("completed", "completed")
            cost = await check_books(courtroom, made)
            assert set(cost.cost_by_model) == {"gpt-4.1-mini"}
            # More often than any other message is tried: spend is never given up.
            for _ in range(17):
                await dispatched(courtroom)
                clock.advance(4400)
            assert {each.attempts for each in await waiting(courtroom)} == {17}
            found = await records(courtroom, made.submission)
            assert len(found) == 4
            return {each.agent_name: each.total_cost_usd for each in found}

    async def once_back(models: str) -> None:
        async with linked(keeper, stand_in, models) as courtroom:
            # Sent, and dead before it was noted: it is sent again.
            (first, *_) = await waiting(courtroom)
            await courtroom.pricekeeper.sink.send(Message.of("vibejudge", first))
            elsewhere = Elsewhere()
            await dispatched(courtroom, elsewhere)
            assert await waiting(courtroom) == []
            await dispatched(courtroom, elsewhere)
            assert elsewhere.got == []

    with serving(stand_in) as models:
        with keeper.up() as service:
            keeper.provision(service)
        costs = run(while_away(models))
        with keeper.up() as service:
            run(once_back(models))
            for agent in ALL_AGENTS:
                # On the day of the call, not on that of the report.
                told = keeper.spent(service, agent, TODAY)
                assert (told["requests"], told["unpriced"]) == (1, 0)
                assert told["cost_usd_micros"] == micros(costs[agent]) > 0


def test_its_advice_goes_first_and_its_prices_too(keeper: Keeper) -> None:
    stand_in = StandIn()

    async def use(models: str) -> None:
        async with linked(keeper, stand_in, models) as courtroom:
            made = await case(courtroom)
            said = await judged(courtroom, made)
            (cost,) = said.costs
            assert (said.model_id, cost.label) == ("gpt-4.1-nano", "cheap")
            exact = cost.usage.input * Decimal(7) + cost.usage.output * Decimal(11)
            assert 0 <= cost.total_usd - exact / 10**12 < Decimal("0.000000002")
            assert courtroom.models.rate_version.endswith("+pricekeeper")
            await dispatched(courtroom)

    with serving(stand_in) as models, keeper.up() as service:
        keeper.provision(service, quotas={"quick": 0, "cheap": 10_000_000})
        run(use(models))
        assert keeper.spent(service, "bug_hunter", TODAY)["requests"] == 1


def test_no_quota_is_as_no_budget(keeper: Keeper, repo: Repo) -> None:
    stand_in = StandIn()

    async def use(models: str) -> None:
        async with linked(keeper, stand_in, models, **local(repo)) as courtroom:
            made = await case(courtroom, repo_url=str(repo.folder))
            with pytest.raises(BudgetRefused, match="pricekeeper"):
                await judged(courtroom, made)
            assert await analysed(courtroom, made) == ("failed", "pending")
            told = await courtroom.budgets.estimate(made.caller, made.hackathon.hack_id)
            assert told.no_quota
            assert told.total_usd > 0
            assert not told.enough
            assert stand_in.asked == []
            assert (await check_books(courtroom, made)).budget_remaining_usd == 5

    with serving(stand_in) as models, keeper.up() as service:
        keeper.provision(service, quotas={"_all": 0})
        run(use(models))


def test_a_report_that_it_refuses_is_a_dead_letter_and_an_alert(keeper: Keeper) -> None:
    stand_in = StandIn()
    other = {"bug_hunter": {"label": "unheard-of", "model_id": "gpt-4.1-mini"}}

    async def called(models: str) -> None:
        async with linked(keeper, stand_in, models) as courtroom:
            await judged(courtroom, await case(courtroom, agent_models=other))

    async def told(models: str) -> None:
        async with linked(keeper, stand_in, models) as courtroom:
            elsewhere = Elsewhere()
            await dispatched(courtroom, elsewhere)
            await dispatched(courtroom, elsewhere)
            (dead,) = await waiting(courtroom, "DEAD")
            assert dead.kind == "vibejudge.spend"
            assert "UNKNOWN_LABEL" in (dead.error or "")
            (alert,) = elsewhere.got
            assert alert.kind == "vibejudge.spend_refused"
            report = dead.body["report"]
            assert isinstance(report, dict)
            assert str(report["request_id"]) in alert.text

    with serving(stand_in) as models:
        with keeper.up() as service:
            keeper.provision(service)
        run(called(models))
        with keeper.up():
            run(told(models))
