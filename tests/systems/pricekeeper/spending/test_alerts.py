"""Alerts: once for each limit, period and percentage, whoever notices."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.systems.pricekeeper.access.support import refused
from tests.systems.pricekeeper.spending.support import (
    ORG,
    START,
    USD,
    Meter,
    account_of,
    aggregate,
    app_of,
    keeping,
    select,
    set_up,
    spend,
    stored,
    used,
)

from tablewright.clock import ManualClock
from tablewright.model.errors import TablewrightError
from tablewright.service.kit.entities import OutboxEntry, pending_in
from tablewright.service.kit.patterns import latest_messages_in
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import scope_of
from tablewright.testing.backends import Backend


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


async def outbox(keeper: Keeper, scope: str) -> list[OutboxEntry]:
    found = [each async for each in keeper.db.iterate(latest_messages_in(pending_in(scope)))]
    return [each for each in reversed(found) if each.subject == scope]


async def use_without_a_price(keeper: Keeper) -> None:
    usage = replace(used("premium", 0, keeper.clock.now()), cost_usd_micros=None)
    (outcome,) = await keeper.recorder.record(await account_of(keeper), [usage])
    assert outcome.flags == {"unpriced"}


def test_each_percentage_is_told_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 3) as keepers:
            one = keepers[0]
            await set_up(one, alert_pcts=(50, 95))
            told = []
            for micros in (4 * USD, 2 * USD, 3 * USD, 500_000, 500_000):
                await spend(one, "premium", micros)
                clock.advance(60)
                for keeper in keepers:
                    await select(keeper)
                    await aggregate(keeper)
                told.append(len(await outbox(one, scope_of(ORG))))
            assert told == [0, 1, 1, 2, 2]
            alerts = await one.alerts.of_org(ORG)
            assert [(each.pct, each.spend) for each in alerts] == [(95, 9_500_000), (50, 6 * USD)]
            message = (await outbox(one, scope_of(ORG)))[0]
            assert message.kind == "alert.reached"
            assert message.body["title"] == "Sample: 50 % of a limit is spent"
            assert message.body["text"] == (
                "Sample has spent $6.00 of $10.00 for premium in the day 20261120."
            )

    asyncio.run(scenario())


def test_every_limit_has_its_own(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            app = app_of(quotas={"_all": 2 * USD})
            await set_up(
                keeper, app, quota_scope="BOTH", alert_pcts=(100,), quotas_month={"_all": USD}
            )
            await spend(keeper, "economy", 2 * USD)
            await aggregate(keeper)
            alerts = await keeper.alerts.of_org(ORG)
            told = {(each.scope, each.period, each.label) for each in alerts}
            assert told == {
                (scope_of(ORG), "DAY#20261120", "economy"),
                (scope_of(ORG), "MONTH#202611", "_all"),
                (scope_of(ORG, "web"), "DAY#20261120", "_all"),
            }
            assert len(await keeper.alerts.of_org(ORG, "web")) == 1
            found, cursor = await keeper.alerts.everywhere(None, 10, None)
            assert (len(found), cursor) == (3, None)
            assert (await refused(keeper.alerts.of_org(ORG[:-1] + "f"))).status == 404

    asyncio.run(scenario())


def test_usage_without_a_price_is_told_once_a_day(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            for _ in range(2):
                await use_without_a_price(keeper)
                await aggregate(keeper)
                clock.advance(60)
            (message,) = await outbox(keeper, scope_of(ORG, "web"))
            assert message.kind == "usage.unpriced"
            # And a process that has told it does not try again.
            meter = Meter(keeper)
            await use_without_a_price(keeper)
            await aggregate(keeper)
            assert "remember_alert" not in " ".join(meter.patterns())

    asyncio.run(scenario())


def test_usage_without_a_price_is_told_whoever_sums_it_first(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """The answer to a report sums up what its limits rest on, and publishes that."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, app_of(quotas={"premium": 10 * USD}), quota_scope="BOTH")
            await use_without_a_price(keeper)
            await keeper.selector.guidance(await account_of(keeper))
            assert (await stored(keeper, "premium", "web")) is not None
            await aggregate(keeper)
            (message,) = await outbox(keeper, scope_of(ORG, "web"))
            assert message.kind == "usage.unpriced"

    asyncio.run(scenario())


def test_what_an_aggregator_left_untold_is_told_by_the_next(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It died after its last sum, before it could tell."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one, alert_pcts=(50,))
            await use_without_a_price(one)
            await spend(one, "premium", 6 * USD)
            clock.advance(300)
            with monkeypatch.context() as died:
                died.setattr(one.alerts, "reached", _dead)
                with pytest.raises(TablewrightError):
                    await aggregate(one)
            assert await outbox(one, scope_of(ORG)) == []
            clock.advance(60)
            await aggregate(other, fence=2)
            assert [each.kind for each in await outbox(one, scope_of(ORG))] == ["alert.reached"]
            told = await outbox(one, scope_of(ORG, "web"))
            assert [each.kind for each in told] == ["usage.unpriced"]

    asyncio.run(scenario())


async def _dead(*_: object) -> None:
    raise TablewrightError("gone")


def test_a_new_day_shows_no_percentage_of_the_old(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, quotas={"premium": USD, "standard": USD, "economy": None})
            await spend(keeper, "premium", USD)
            await aggregate(keeper)
            shown = 'pricekeeper_quota_percent{label="premium"'
            assert shown in keeper.runtime.metrics.text().decode()
            clock.advance(86_400)
            await spend(keeper, "standard", 1)
            await aggregate(keeper)
            text = keeper.runtime.metrics.text().decode()
            assert shown not in text
            assert 'pricekeeper_quota_percent{label="standard"' in text

    asyncio.run(scenario())


def test_scenario_20_ten_processes_cross_95_percent(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 20, within one loop; test_processes has the one with real processes."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 10) as keepers:
            await set_up(keepers[0], alert_pcts=(95,))
            await asyncio.gather(*(spend(each, "premium", 960_000) for each in keepers))
            clock.advance(1)
            await asyncio.gather(*(select(each, force=True) for each in keepers))
            assert len(await outbox(keepers[0], scope_of(ORG))) == 1
            assert len(await keepers[0].alerts.of_org(ORG)) == 1

    asyncio.run(scenario())
