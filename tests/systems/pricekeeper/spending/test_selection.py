"""Selections: which label, how quickly that is known, and what it costs to know."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.systems.pricekeeper.spending.support import (
    ORG,
    START,
    TODAY,
    USD,
    Meter,
    account_of,
    aggregate,
    app_of,
    change,
    keeping,
    select,
    set_up,
    spend,
    stored,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.pricekeeper.reads import exhausted
from tablewright.systems.pricekeeper.shapes import ALL, scope_of
from tablewright.testing.backends import Backend

DAY_SECS, HOUR = 86_400, 3600
#: Midnight in New York, 17 hours from now.
DAY_ENDS = START + 17 * HOUR


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


# --- the chain -----------------------------------------------------------------------------------


def test_scenario_10_the_chain_is_used_up(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Scenario 10."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            for label, micros in (("premium", 10), ("standard", 5), ("economy", 2)):
                assert (await select(keeper)).choice.recommended == label
                await spend(keeper, label, micros * USD - 1)
                clock.advance(2)
                assert (await select(keeper)).choice.recommended == label
                await spend(keeper, label, 1)
                clock.advance(2)
            found = await select(keeper)
            assert found.choice.recommended is None
            assert found.retry_after == DAY_ENDS - clock.now()
            row = await keeper.db.run(exhausted(scope_of(ORG), TODAY))
            assert row is not None
            assert row.exhausted_labels == {"premium", "standard", "economy"}
            assert (row.active_model_label, row.previous_model_label) == (None, "economy")
            # And then it is another day.
            clock.set(DAY_ENDS)
            assert (await select(keeper)).choice.recommended == "premium"

    asyncio.run(scenario())


def test_scenario_10_what_closes_it_decides_when_it_opens(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 10: a week's limit opens on Monday, a month's on the first."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(
                keeper,
                model_ordering=["premium"],
                quotas={},
                quotas_week={"premium": 3 * USD},
                quotas_month={"_all": 8 * USD},
            )
            await spend(keeper, "premium", 3 * USD)
            monday = DAY_ENDS + 2 * DAY_SECS
            assert (await select(keeper)).choice.reopens == monday
            await aggregate(keeper)
            clock.set(monday)
            assert (await select(keeper)).choice.recommended == "premium"
            await spend(keeper, "premium", 5 * USD)
            first = DAY_ENDS + 10 * DAY_SECS
            assert (await select(keeper)).choice.reopens == first

    asyncio.run(scenario())


def test_scenario_11_two_apps_with_other_orderings(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 11: neither is pushed off a label that is open."""

    async def scenario() -> None:
        apps = (
            app_of("web"),
            app_of("batch", model_ordering=["economy", "standard", "premium"]),
        )
        async with keeping(tablewright_backend, clock, 2) as (web, batch):
            await set_up(web, *apps)
            await spend(web, "premium", 10 * USD)
            clock.advance(2)
            assert (await select(web, "web")).choice.recommended == "standard"
            assert (await select(batch, "batch")).choice.recommended == "economy"
            await spend(batch, "economy", 2 * USD, app_id="batch")
            clock.advance(2)
            assert (await select(batch, "batch")).choice.recommended == "standard"
            assert (await select(web, "web")).choice.recommended == "standard"
            await spend(web, "standard", 5 * USD)
            clock.advance(2)
            assert (await select(web, "web")).choice.recommended is None
            assert (await select(batch, "batch")).choice.recommended is None

    asyncio.run(scenario())


def test_scenario_12_a_raised_quota_opens_the_label(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 12: within half a minute, in every process."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one)
            await spend(one, "premium", 10 * USD)
            clock.advance(2)
            assert [(await select(each)).choice.recommended for each in (one, other)] == [
                "standard",
                "standard",
            ]
            await change(one, quotas={"premium": 20 * USD, "standard": None, "economy": None})
            assert (await select(one)).choice.recommended == "premium"
            clock.advance(30)
            assert (await select(other)).choice.recommended == "premium"
            # Lowered again, it closes under the new version.
            await change(one, quotas={"premium": USD, "standard": None, "economy": None})
            assert (await select(one)).choice.recommended == "standard"
            row = await one.db.run(exhausted(scope_of(ORG), TODAY))
            account = await account_of(one)
            assert row is not None
            assert row.config_version == account.org.version

    asyncio.run(scenario())


def test_settings_that_are_old_close_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one)
            await select(other)
            await spend(one, "premium", 10 * USD)
            await change(one, quotas={"premium": 20 * USD, "standard": 0, "economy": None})
            await spend(one, "premium", 10 * USD)
            clock.advance(2)
            assert (await select(one)).choice.recommended == "economy"
            before = await one.db.run(exhausted(scope_of(ORG), TODAY))
            # The other one still has the old limits. It notices, by the row of newer settings.
            await select(other)
            assert await one.db.run(exhausted(scope_of(ORG), TODAY)) == before
            assert (await select(other)).choice.recommended == "economy"

    asyncio.run(scenario())


def test_scenario_13_both_levels_and_weeks(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 13: the app has room, the organisation has not; a week's limit spans days."""

    async def scenario() -> None:
        apps = (app_of("web", quotas={"premium": 8 * USD}), app_of("batch", quotas={}))
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, *apps, quota_scope="BOTH", quotas_week={"standard": 6 * USD})
            await spend(keeper, "premium", 3 * USD)
            await spend(keeper, "premium", 7 * USD, app_id="batch")
            clock.advance(2)
            found = await select(keeper)
            (org, own) = found.choice.labels[0].standings
            assert (org.over, own.over) == (True, False)
            assert found.choice.recommended == "standard"
            await spend(keeper, "standard", 4 * USD)
            await aggregate(keeper)
            clock.set(DAY_ENDS)
            await spend(keeper, "standard", 2 * USD)
            await spend(keeper, "premium", 8 * USD)
            clock.advance(2)
            found = await select(keeper)
            # Of today's limit for standard, three dollars are left.
            assert [each.open for each in found.choice.labels] == [False, False, True]
            by_app = await keeper.db.run(exhausted(scope_of(ORG, "web"), "20261121"))
            by_org = await keeper.db.run(exhausted(scope_of(ORG), "20261121"))
            assert by_app is not None
            assert by_org is not None
            assert (by_app.exhausted_labels, by_org.exhausted_labels) == ({"premium"}, {"standard"})

    asyncio.run(scenario())


def test_without_stickiness_spend_alone_decides(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, sticky_fallback_enabled=False)
            await spend(keeper, "premium", 10 * USD)
            clock.advance(2)
            assert (await select(keeper)).choice.recommended == "standard"
            assert await keeper.db.run(exhausted(scope_of(ORG), TODAY)) is None

    asyncio.run(scenario())


# --- how much is known ---------------------------------------------------------------------------


def test_own_records_are_known_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            account = await account_of(keeper)
            assert (await keeper.selector.guidance(account)).spend_usd_micros == 0
            for number in range(1, 6):
                await spend(keeper, "premium", 1000)
                guidance = await keeper.selector.guidance(account)
                assert guidance.spend_usd_micros == number * 1000
            # Also when totals are made in between, by whomever.
            await aggregate(keeper)
            clock.advance(1)
            assert (await keeper.selector.guidance(account)).spend_usd_micros == 5000
            await spend(keeper, "premium", 1000)
            assert (await keeper.selector.guidance(account)).spend_usd_micros == 6000

    asyncio.run(scenario())


def test_own_records_of_several_labels_are_not_counted_twice(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """A flush of one label says nothing of the other; totals of all labels hold both."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one, quotas={"_all": 100 * USD}, model_ordering=["premium", "standard"])
            account = await account_of(one)
            await spend(one, "premium", 1000)
            for number in range(1, 40):
                await spend(one, "standard", 1000)
                if number % 10 == 0:
                    clock.advance(60)
                    await aggregate(other)
            clock.advance(60)
            await aggregate(other)
            clock.advance(60)
            await aggregate(other)
            clock.advance(1)
            assert (await one.selector.guidance(account)).spend_usd_micros == 40_000

    asyncio.run(scenario())


def test_near_a_limit_others_are_known_within_a_second(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one)
            await spend(one, "premium", 9_500_000)
            for each in (one, other):
                await select(each)
            clock.advance(1)
            assert (await select(other)).choice.mode == "TIGHT"
            await spend(one, "premium", 400_000)
            clock.advance(1)
            found = await select(other)
            assert found.choice.pct == pytest.approx(99)
            assert found.guidance().lag_ms == 0

    asyncio.run(scenario())


def test_near_a_limit_all_limits_of_the_label_are_fresh(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """What is told to be as old as the oldest of them is two seconds old at most."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, quotas_month={ALL: 1000 * USD})
            await spend(keeper, "premium", 9_600_000)
            await aggregate(keeper)
            for _ in range(3):
                clock.advance(20)
                told = (await select(keeper)).guidance()
                assert (told.mode, told.recommended_label) == ("TIGHT", "premium")
                assert told.lag_ms <= 2000

    asyncio.run(scenario())


def test_much_spend_of_ones_own_makes_one_look(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Without an aggregator: what others spend is seen by whoever spends more than 1 %."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one)
            await select(one)
            await spend(other, "premium", 2 * USD)
            clock.advance(2)
            await spend(one, "premium", 90_000)
            assert (await select(one)).choice.pct == pytest.approx(0.9)
            await spend(one, "premium", 20_000)
            clock.advance(1)
            assert (await select(one)).choice.pct == pytest.approx(21.1)
            # What it found is there for everybody.
            total = await stored(other, "premium")
            assert total is not None
            assert total.cost_usd_micros == 2_110_000

    asyncio.run(scenario())


def test_a_late_aggregator_is_noticed(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one)
            await select(one)
            await spend(other, "premium", 50_000)
            clock.advance(59)
            assert (await select(one)).choice.pct == 0
            clock.advance(1)
            found = await select(one)
            assert (found.choice.pct, found.guidance().lag_ms) == (0.5, 0)

    asyncio.run(scenario())


def test_nothing_is_closed_by_an_estimate(tablewright_backend: Backend, clock: ManualClock) -> None:
    """A total that holds an own flush without saying so looks like more than there is."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 6 * USD)
            await aggregate(keeper)
            total = await stored(keeper, "premium")
            assert total is not None
            await keeper.db.run(put(total.model_copy(update={"seen": {}})))
            # Its six dollars count twice, for the moment.
            found = await select(keeper)
            assert (found.choice.recommended, found.choice.labels[0].pct) == ("standard", 120)
            assert await keeper.db.run(exhausted(scope_of(ORG), TODAY)) is None
            clock.advance(1)
            found = await select(keeper)
            assert (found.choice.recommended, found.choice.labels[0].pct) == ("premium", 60)

    asyncio.run(scenario())


# --- what it costs -------------------------------------------------------------------------------


def test_a_warm_selection_reads_nothing(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await select(keeper)
            meter = Meter(keeper)
            for _ in range(100):
                await select(keeper)
                await keeper.selector.guidance(await account_of(keeper))
            assert (meter.events, meter.units) == ([], (0, 0))
            # One caller reads for all, once a second.
            clock.advance(1)
            account = await account_of(keeper)
            await asyncio.gather(*(keeper.selector.select(account) for _ in range(50)))
            assert meter.patterns() == ["selection_state"] * 2
            # Two rows of closed labels and three totals, none of which is there.
            if tablewright_backend.engine is not None:
                assert meter.units == (2.5, 0)

    asyncio.run(scenario())


def test_counters_are_summed_at_most_once_a_second(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 9_600_000)
            await select(keeper)
            meter = Meter(keeper)
            for _ in range(10):
                await select(keeper, force=True)
            assert "checked_usage" not in meter.patterns()
            clock.advance(1)
            await asyncio.gather(*(select(keeper, force=True) for _ in range(10)))
            assert meter.patterns().count("checked_usage") == 1

    asyncio.run(scenario())


def test_what_is_closed_is_not_looked_at_any_more(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, quotas={"premium": USD, "standard": None, "economy": None})
            await spend(keeper, "premium", USD)
            clock.advance(1)
            await select(keeper)
            meter = Meter(keeper)
            for _ in range(5):
                clock.advance(1)
                assert (await select(keeper)).choice.recommended == "standard"
            # The models of this test have no prices; one that is missing is looked for again.
            assert set(meter.patterns()) == {"selection_state", "prices_of_model"}

    asyncio.run(scenario())


def test_guidance_is_quick(tablewright_backend: Backend, clock: ManualClock) -> None:
    """It is worked out for every report: three labels with four limits each."""

    async def scenario() -> None:
        limits = {"premium": USD, "standard": USD, "economy": None, "_all": 5 * USD}
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, quotas=limits, quotas_month=limits)
            await spend(keeper, "premium", 1000)
            account = await account_of(keeper)
            guidance = keeper.selector.guidance
            await guidance(account)
            best = float("inf")
            for _ in range(5):
                began = time.process_time()
                for _ in range(200):
                    await guidance(account)
                best = min(best, (time.process_time() - began) / 200)
            # 300 us is what we want; a loaded machine gets some more.
            assert best < 0.0006, f"{best * 1e6:.0f} us"

    asyncio.run(scenario())
