"""The demo of a running system: whole at any hour, quick, and repeatable."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from tests.service.support import asgi

from tablewright.clock import Clock, ManualClock
from tablewright.engine import Engine
from tablewright.service.kit import audit
from tablewright.systems.pricekeeper.live_demo import fill
from tablewright.systems.pricekeeper.live_demo.cast import (
    INSURANCE,
    LABS,
    ORGS,
    RETAIL,
    usd,
    zone_near,
)
from tablewright.systems.pricekeeper.live_demo.filling import near
from tablewright.systems.pricekeeper.live_demo.traffic import Traffic
from tablewright.systems.pricekeeper.reads import total_of_period
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.calendar import calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.changes import new_app, new_org
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.service.aggregates import Sheet
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import ALL, scope_of
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import in_process

#: A Thursday; and moments at which calendars are awkward.
START = int(datetime(2026, 11, 19, 15, 30, tzinfo=UTC).timestamp())
HOUR = 3600


@asynccontextmanager
async def filled(engine: Engine, clock: Clock, times: int = 1) -> AsyncIterator[Keeper]:
    with in_process(engine) as backend:
        async with asgi(system, backend, clock=clock) as (_, runtime):
            keeper = Keeper(runtime)
            async with keeper.lifespan():
                for _ in range(times):
                    await fill(keeper)
                yield keeper


def accounts(plan_index: int, now: int) -> dict[str, Account]:
    plan = ORGS[plan_index]
    org = new_org(plan.org_id, plan.body(now), now)
    return {
        app.app_id: Account(org, new_app(plan.org_id, app.app_id, app.body, now))
        for app in plan.apps
    }


# --- what was called -----------------------------------------------------------------------------


@pytest.mark.parametrize("hours", range(0, 24 * 7, 5))
def test_at_any_hour_premium_of_the_retailer_is_used_up_and_the_next_one_is_not(hours: int) -> None:
    now = START + hours * HOUR
    traffic = Traffic(RETAIL, accounts(0, now), now)
    spent: dict[str, int] = {}
    for call in traffic.of_day(traffic.today):
        spent[call.usage.label] = spent.get(call.usage.label, 0) + call.priced.cost_picos
        assert call.usage.timestamp < now
    assert spent["premium"] >= usd(24) * PICOS
    assert 0 < spent["standard"] < usd(18) * PICOS


@pytest.mark.parametrize("plan", range(3))
def test_limits_are_kept_but_for_the_last_call(plan: int) -> None:
    known = accounts(plan, START)
    traffic = Traffic(ORGS[plan], known, START)
    for day in [*traffic.days_before(20), traffic.today]:
        spent: dict[tuple[str, str], int] = {}
        dearest = 0
        for call in traffic.of_day(day):
            cost = call.priced.cost_picos
            assert call.priced.source == "PRICE"
            dearest = max(dearest, cost)
            for limit in known[call.app_id].limits(call.usage.label):
                if limit.window == "DAY" and limit.quota_micros is not None:
                    place = (limit.scope, limit.label)
                    assert spent.get(place, 0) < limit.quota_micros * PICOS
                    spent[place] = spent.get(place, 0) + cost


def test_the_same_clock_gives_the_same_calls_in_the_order_of_time() -> None:
    days = [Traffic(LABS, accounts(2, START), START).of_day("20261119") for _ in range(2)]
    assert days[0] == days[1]
    moments = [call.usage.timestamp for call in days[0]]
    assert all(first <= second for first, second in pairwise(moments))
    assert len({call.usage.request_id for call in days[0]}) == len(days[0])


@pytest.mark.parametrize("hours", range(0, 24 * 2, 3))
@pytest.mark.parametrize("plan", ORGS, ids=lambda plan: plan.name)
def test_somewhere_it_is_always_the_wanted_time_of_day(plan: object, hours: int) -> None:
    from zoneinfo import ZoneInfo

    assert hasattr(plan, "hour")
    now = START + hours * HOUR
    local = datetime.fromtimestamp(now, ZoneInfo(zone_near(plan.hour, now)))
    apart = abs(local.hour + local.minute / 60 - plan.hour)
    assert min(apart, 24 - apart) <= 2.0


@pytest.mark.parametrize("dollars", [0.1, 0.97, 3.17, 9.371, 24.0, 118.3])
def test_a_limit_near_what_is_spent_is_tight_and_not_reached(dollars: float) -> None:
    limit = near(usd(dollars))
    assert usd(dollars) < limit
    assert usd(dollars) / limit >= 0.95


# --- what is filled ------------------------------------------------------------------------------


def test_everything_agrees_and_looks_like_something() -> None:
    async def scenario() -> None:
        with Engine.memory() as engine:
            async with filled(engine, ManualClock(START)) as keeper:
                for plan in ORGS:
                    done = await keeper.ledger.reconcile(plan.org_id)
                    assert done.clean, done.differences
                    assert not done.differences
                    assert done.rows > 100
                await _check_standing(keeper)
                for plan in ORGS:
                    await _check_sums(keeper, plan.org_id)
                await _check_log(keeper)

    asyncio.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["2026-10-25T01:10", "2027-01-01T00:01"])
def test_it_is_whole_when_clocks_are_set_and_when_a_year_begins(moment: str) -> None:
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()

    async def scenario() -> None:
        with Engine.memory() as engine:
            async with filled(engine, ManualClock(now)) as keeper:
                for plan in ORGS:
                    assert not (await keeper.ledger.reconcile(plan.org_id)).differences
                await _check_standing(keeper)

    asyncio.run(scenario())


async def _check_standing(keeper: Keeper) -> None:
    shop = await keeper.directory.account(RETAIL.org_id, "shop-assistant")
    choice = (await keeper.selector.select(shop)).choice
    assert choice.recommended == "standard"
    assert [each.exhausted for each in choice.labels] == [True, False, False]
    agent = await keeper.directory.account(LABS.org_id, "research-agent")
    assert (await keeper.selector.select(agent)).choice.mode == "TIGHT"
    triage = await keeper.directory.account(INSURANCE.org_id, "claims-triage")
    assert (await keeper.selector.select(triage)).choice.mode == "NORMAL"
    told = await keeper.alerts.of_org(RETAIL.org_id)
    assert {(each.label, each.pct) for each in told if each.period.startswith("DAY#")} >= {
        ("premium", 100),
    }
    (waiting,) = await keeper.prices.changes.waiting()
    assert waiting.bedrock_model_id == "amazon.nova-lite-v1:0"
    org = await keeper.orgs.get(RETAIL.org_id)
    assert org.late_window_hours == 48


async def _check_sums(keeper: Keeper, org_id: str) -> None:
    """Organisations are sums of apps, all labels sums of labels, weeks and months sums of days."""
    org = await keeper.orgs.get(org_id)
    days = calendar_of(org)
    today = days.day(keeper.now())
    for app in await keeper.orgs.apps.page(org_id):
        sheet = Sheet(org, app)
        for window in ("WEEK", "MONTH"):
            found = await keeper.aggregates.between(sheet, "20260920", today, window)
            for item in found.items:
                whole = sum(each.cost_usd_micros for each in item.models.values())
                assert abs(whole - item.totals.cost_usd_micros) <= len(item.models)
    months = {periods_of(day).month for day in (today, "20261001")}
    for month in months:
        inside = [
            await keeper.db.run(total_of_period(scope_of(org_id), ALL, f"DAY#{day}"))
            for day in days.days(month)
        ]
        total = await keeper.db.run(total_of_period(scope_of(org_id), ALL, month))
        assert total is not None
        assert total.cost_usd_picos == sum(each.cost_usd_picos for each in inside if each)
        assert total.requests == sum(each.requests for each in inside if each) > 0
        apps = [
            await keeper.db.run(total_of_period(scope_of(org_id, app.app_id), ALL, month))
            for app in await keeper.orgs.apps.page(org_id)
        ]
        assert total.cost_usd_picos == sum(each.cost_usd_picos for each in apps if each)


async def _check_log(keeper: Keeper) -> None:
    page = await audit.entries(keeper.db, until=keeper.clock.now() + 1, limit=100)
    actions = [entry.action for entry in page]
    assert actions.count("record.correct") == 1
    assert actions.count("org.create") == 3
    assert "credential.rotate" in actions


@pytest.mark.slow
def test_a_second_attempt_adds_nothing_also_an_hour_later() -> None:
    """The first one may have been killed at the very end."""

    async def scenario() -> None:
        clock = ManualClock(START)
        with Engine.memory() as engine:
            async with filled(engine, clock) as keeper:
                first = await _state(keeper)
                clock.advance(HOUR)
                await fill(keeper)
                assert await _state(keeper) == first
                for plan in ORGS:
                    assert (await keeper.ledger.reconcile(plan.org_id)).clean

    asyncio.run(scenario())


async def _state(keeper: Keeper) -> dict[str, object]:
    found: dict[str, object] = {}
    for plan in ORGS:
        org = await keeper.orgs.get(plan.org_id)
        sheet = Sheet(org)
        history = await keeper.aggregates.between(sheet, "20260920", "20261119", "DAY")
        found[plan.name] = (
            org.version,
            [(item.period, item.totals) for item in history.items],
            [app.version for app in await keeper.orgs.apps.page(plan.org_id)],
        )
    return found


@pytest.mark.slow
def test_an_attempt_that_was_killed_is_finished_by_the_next_one() -> None:
    """The second organisation was created, and nothing of it recorded."""

    async def scenario() -> None:
        clock = ManualClock(START)
        with Engine.memory() as engine, in_process(engine) as backend:
            async with asgi(system, backend, clock=clock) as (_, runtime):
                keeper = Keeper(runtime)
                async with keeper.lifespan():
                    await _stopped_at(keeper, INSURANCE.org_id)
                    clock.advance(120)
                    await fill(keeper)
                    for plan in ORGS:
                        done = await keeper.ledger.reconcile(plan.org_id)
                        assert done.clean
                        assert done.rows > 100
                    await _check_standing(keeper)

    asyncio.run(scenario())


class Killed(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


async def _stopped_at(keeper: Keeper, org_id: str) -> None:
    """The process ends when the organisation's first report would be recorded."""
    real = keeper.recorder.record

    async def record(account: Account, usages: object) -> object:
        if account.org_id == org_id:
            raise Killed
        return await real(account, usages)  # type: ignore[arg-type]

    keeper.recorder.record = record  # type: ignore[assignment, method-assign]
    with pytest.raises(Killed):
        await fill(keeper)
    keeper.recorder.record = real  # type: ignore[method-assign]


@pytest.mark.slow
@pytest.mark.alone
def test_it_is_quick() -> None:
    """In time of the processor: what else the machine does is not its fault."""

    async def scenario() -> float:
        with Engine.memory() as engine, in_process(engine) as backend:
            async with asgi(system, backend, clock=ManualClock(START)) as (_, runtime):
                keeper = Keeper(runtime)
                async with keeper.lifespan():
                    began = time.process_time()
                    await fill(keeper)
                    return time.process_time() - began

    assert asyncio.run(scenario()) < 3.0
