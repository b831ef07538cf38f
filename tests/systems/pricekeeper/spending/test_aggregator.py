"""Totals: what the counters say, for every scope, label and period, and nothing less."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from itertools import count
from uuid import UUID, uuid4

import pytest
from tests.systems.pricekeeper.access.support import ADMIN
from tests.systems.pricekeeper.spending.support import (
    NOW,
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
    org_of,
    select,
    set_up,
    spend,
    stored,
    used,
)

from tablewright.clock import ManualClock
from tablewright.engine import Fault
from tablewright.model import put
from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem
from tablewright.service.workers import Held, run_once
from tablewright.systems.pricekeeper.reads import total_of_period
from tablewright.systems.pricekeeper.recording import publish_total
from tablewright.systems.pricekeeper.rules.calendar import periods_of
from tablewright.systems.pricekeeper.rules.corrections import Correction
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.totals.aggregating import Superseded
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of, slot_of
from tablewright.systems.pricekeeper.workers import aggregator, finaliser
from tablewright.systems.pricekeeper.workers.aggregator import Aggregator
from tablewright.systems.pricekeeper.workers.finaliser import Finaliser
from tablewright.testing import injected
from tablewright.testing.backends import Backend

HOUR, DAY_SECS = 3600, 86_400
DAY_ENDS = START + 17 * HOUR
MONDAY = "20261116"


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


async def finish(keeper: Keeper) -> None:
    held = Held("finaliser", f"{slot_of(ORG):02d}", "test", 1, float("inf"))
    await Finaliser(keeper).run(held)


async def micros(keeper: Keeper, *where: str | None, **more: str) -> int | None:
    found = await stored(keeper, *where, **more)  # type: ignore[arg-type]
    return None if found is None else found.cost_usd_micros


# --- sums ----------------------------------------------------------------------------------------


def test_the_first_sum_of_several_counts_has_seen_what_this_process_wrote(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            for label in ("premium", "standard", "premium"):
                await spend(keeper, label, USD)
            await aggregate(keeper)
            clock.advance(2)
            periods = (periods_of(TODAY).of(window) for window in ("DAY", "WEEK", "MONTH"))
            wanted = [TotalKey(scope_of(ORG), ALL, period) for period in periods]
            found = await keeper.totals.spend(await account_of(keeper), wanted)
            assert [each.picos for each in found.values()] == [3 * USD * USD] * 3
            assert [each.own_picos for each in found.values()] == [0, 0, 0]

    asyncio.run(scenario())


def test_every_total_of_what_was_spent(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one, app_of("web"), app_of("batch"), late_window_hours=120)
            await spend(one, "premium", 1)
            await spend(other, "premium", 10)
            await spend(one, "standard", 100)
            await spend(one, "premium", 1000, app_id="batch")
            # Monday of the same week, and the first of the same month.
            await spend(other, "premium", 10_000, at=START - 4 * DAY_SECS)
            await aggregate(one)
            assert await micros(one) == 1111
            assert await micros(one, "premium") == 1011
            assert await micros(one, "standard") == 100
            assert await micros(one, "premium", "web") == 11
            assert await micros(one, ALL, "web") == 111
            assert await micros(one, ALL, "batch") == 1000
            assert await micros(one, "premium", "web", day=MONDAY) == 10_000
            assert await micros(one, window="WEEK") == 11_111
            assert await micros(one, "premium", "web", window="MONTH") == 10_011
            whole = await stored(one)
            assert whole is not None
            assert (whole.labels, whole.requests, whole.rev) == ({"premium", "standard"}, 4, 4)
            count = await stored(one, "premium", "web")
            assert count is not None
            assert (count.shard_count, count.quota_usd_micros, count.final) == (8, None, False)
            limited = await stored(one, "premium")
            assert limited is not None
            assert limited.quota_usd_micros == 10 * USD
            assert limited.expires_at_epoch == NOW + timedelta(hours=17, days=400)
            assert one.recorder.writer in count.seen

    asyncio.run(scenario())


def test_scenario_09_what_comes_in_late_lands_on_its_day(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 9's second half: the total of yesterday, of the week and of the month."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 5)
            await aggregate(keeper)
            clock.set(DAY_ENDS + 600)
            await spend(keeper, "premium", 7, at=DAY_ENDS - 60)
            await aggregate(keeper)
            assert await micros(keeper) == 12
            assert await micros(keeper, day="20261121") is None
            assert await micros(keeper, window="WEEK") == 12

    asyncio.run(scenario())


def test_the_last_sum_comes_after_the_last_flush(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """A count is summed until its mark has ended, and then never again."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 5)
            worker = Aggregator(keeper)
            sums = []
            for _ in range(6):
                meter = Meter(keeper)
                await aggregate(keeper, aggregator=worker)
                sums.append(meter.patterns().count("usage_shards"))
                last = meter
                clock.advance(60)
            # Marked for three minutes: at 0, 60, 120 and 180 seconds.
            assert sums == [1, 1, 1, 1, 0, 0]
            assert last.patterns() == ["dirty_counts"]
            # Another process finds that it is done, and looks no further.
            meter = Meter(keeper)
            await aggregate(keeper, aggregator=(fresh := Aggregator(keeper)))
            assert "usage_shards" not in meter.patterns()
            assert "publish_total" not in meter.patterns()
            meter.events.clear()
            await aggregate(keeper, aggregator=fresh)
            assert meter.patterns() == ["dirty_counts"]

    asyncio.run(scenario())


def test_a_sum_made_by_a_process_is_rolled_up_too(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It may be the last one of its count; then the aggregator need not sum it, only add it up."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            app = app_of(quotas={"premium": 5 * USD})
            await set_up(keeper, app, quota_scope="APP", model_ordering=["premium"])
            await aggregate(keeper)
            await spend(keeper, "premium", 1000)
            clock.advance(300)
            await select(keeper, force=True)
            assert await micros(keeper, "premium", "web") == 1000
            assert await micros(keeper) is None
            await aggregate(keeper)
            assert await micros(keeper) == 1000
            assert await micros(keeper, ALL, "web", window="MONTH") == 1000

    asyncio.run(scenario())


def test_burn(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            for _ in range(15):
                clock.advance(60)
                await spend(keeper, "premium", 1000)
                await aggregate(keeper)
            total = await stored(keeper, "premium")
            assert total is not None
            # A thousand a minute.
            assert total.burn_micros_per_hour == pytest.approx(60_000, rel=0.02)
            found = await select(keeper)
            left = (10 * USD - 15_000) / 60_000 * 3600
            assert found.choice.time_left == pytest.approx(left, rel=0.02)

    asyncio.run(scenario())


# --- what goes wrong -----------------------------------------------------------------------------


def test_scenario_07_unprocessed_keys_make_no_partial_total(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 7: some keys of every read are left out, or all of them."""
    engine = tablewright_backend.engine
    if engine is None:
        pytest.skip("faults need an engine of ours")

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2, quick=True) as (keeper, other):
            await set_up(keeper, app_of("web"), app_of("batch"))
            outcomes: Counter[str] = Counter()
            for number in range(1, 31):
                await spend(keeper, "premium", 1)
                await spend(other, "premium", 1, app_id="batch")
                part = 1.0 if number % 5 == 0 else 0.5
                with injected(engine, Fault("BatchGetItem", unprocessed=part)):
                    for work in (aggregate(keeper), select(other, force=True)):
                        try:
                            await work
                        except (TablewrightError, Problem) as error:
                            outcomes[type(error).__name__] += 1
                        else:
                            outcomes["done"] += 1
                total = await stored(keeper)
                # What is published is what there was at some moment: both, at most one behind.
                if total is not None:
                    assert total.cost_usd_micros == total.rev
                    parts = [await stored(keeper, ALL, app) for app in ("web", "batch")]
                    assert total.rev <= sum(part.rev for part in parts if part is not None)
                clock.advance(60)
            assert {"done", "BatchIncomplete", "Problem"} <= outcomes.keys()
            await aggregate(keeper)
            assert await micros(keeper) == 60

    asyncio.run(scenario())


def test_totals_only_grow(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Whoever has seen less than what is stored is refused, whatever the fence."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 1)
            await aggregate(keeper, fence=1)
            old = await stored(keeper)
            assert old is not None
            await spend(keeper, "premium", 1)
            await aggregate(keeper, fence=2)
            with pytest.raises(TablewrightError):
                await keeper.db.run(publish_total(old.model_copy(update={"fence": 9})))
            with pytest.raises(Superseded):
                await aggregate(keeper, fence=1)
            total = await stored(keeper)
            assert total is not None
            assert (total.rev, total.fence) == (2, 2)

    asyncio.run(scenario())


def test_a_process_does_not_pass_a_later_fence(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It publishes under the fence that it has read; whoever aggregates has the last word."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 2) as (one, other):
            await set_up(one)
            await spend(one, "premium", 1)
            await aggregate(one, fence=1)
            account = await account_of(other)
            key = account.key(account.limits("premium")[0], TODAY)
            await other.totals.spend(account, [key])
            await aggregate(one, fence=2)
            clock.advance(5)
            await other.totals.sum(account, [key], {})
            total = await stored(one, "premium")
            assert total is not None
            assert (total.fence, total.as_of_ms) == (2, NOW)
            # Once it has read that fence, it may.
            clock.advance(5)
            await other.totals.spend(account, [key], force=True)
            total = await stored(one, "premium")
            assert total is not None
            assert (total.fence, total.as_of_ms) == (2, NOW + timedelta(seconds=10))

    asyncio.run(scenario())


def test_one_organisation_that_fails_stops_no_other(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    other = next(org for number in count() if slot_of(org := str(UUID(int=number))) == slot_of(ORG))

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await keeper.db.run(put(org_of(org_id=other)))
            await keeper.db.run(put(app_of().model_copy(update={"org_id": other})))
            await spend(keeper, "premium", 1)
            account = await keeper.directory.account(other, "web")
            await keeper.recorder.record(account, [used("premium", 1, START)])
            await aggregate(keeper, fence=1)
            # A fence from the future, on one total of one of them.
            total = await stored(keeper, "premium", "web")
            assert total is not None
            await keeper.db.run(put(total.model_copy(update={"fence": 99})))
            await spend(keeper, "premium", 1)
            await keeper.recorder.record(account, [used("premium", 1, START)])
            with pytest.raises(Superseded):
                await aggregate(keeper, fence=2)
            whole = await keeper.db.run(total_of_period(scope_of(other), ALL, f"DAY#{TODAY}"))
            assert whole is not None
            assert (whole.rev, whole.fence) == (2, 2)

    asyncio.run(scenario())


# --- final ---------------------------------------------------------------------------------------


def test_a_day_is_final_after_the_window(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 5)
            clock.set(DAY_ENDS + 49 * HOUR)
            await finish(keeper)
            assert await stored(keeper) is None
            await aggregate(keeper)
            clock.advance(-1)
            await finish(keeper)
            total = await stored(keeper)
            assert total is not None
            assert not total.final
            clock.advance(1)
            await finish(keeper)
            for where in ((), ("premium",), ("premium", "web"), (ALL, "web")):
                total = await stored(keeper, *where)
                assert total is not None
                assert total.final
            # A process that starts anew leaves it so.
            await aggregate(keeper, fence=2)
            total = await stored(keeper)
            assert total is not None
            assert total.final

    asyncio.run(scenario())


def test_the_limit_of_the_time_stays(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 5)
            await aggregate(keeper)
            clock.set(DAY_ENDS + 60)
            await change(keeper, quotas={"premium": 7 * USD, "_all": None})
            await spend(keeper, "premium", 5, at=DAY_ENDS - 60)
            await spend(keeper, "premium", 5)
            await aggregate(keeper)
            for day, quota in ((TODAY, 10), ("20261121", 7)):
                total = await stored(keeper, "premium", day=day)
                assert total is not None
                assert total.quota_usd_micros == quota * USD

    asyncio.run(scenario())


def test_workers_are_what_a_process_runs(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 5)
            done = await run_once(aggregator.worker(keeper))
            assert len(done) == 16
            assert await micros(keeper) == 5
            clock.set(DAY_ENDS + 60 * HOUR)
            await run_once(aggregator.worker(keeper), fence=2)
            await run_once(finaliser.worker(keeper))
            total = await stored(keeper)
            assert total is not None
            assert total.final

    asyncio.run(scenario())


# --- corrections ---------------------------------------------------------------------------------


def test_a_correction_opens_a_final_day(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Long after its marks are gone: all of its counts still make up the day."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, app_of("web"), app_of("batch"))
            (outcome,) = await spend(keeper, "premium", 100)
            await spend(keeper, "standard", 10)
            await spend(keeper, "premium", 1, app_id="batch")
            await aggregate(keeper)
            clock.set(DAY_ENDS + 50 * HOUR)
            await aggregate(keeper, fence=2)
            await finish(keeper)
            clock.advance(20 * DAY_SECS)
            account = await account_of(keeper)
            wrong = Correction(str(uuid4()), "a test", cost_picos=-40 * 10**6)
            await keeper.corrections.correct(account, outcome.request_id, wrong, ADMIN)
            opened = await stored(keeper)
            assert opened is not None
            assert (opened.final, opened.cost_usd_micros) == (False, 111)
            clock.advance(300)
            await aggregate(keeper, fence=3)
            await finish(keeper)
            for where, left in (((), 71), (("premium",), 61), (("premium", "web"), 60)):
                total = await stored(keeper, *where)
                assert total is not None
                assert (total.cost_usd_micros, total.final) == (left, True)
            assert await micros(keeper, window="MONTH") == 71

    asyncio.run(scenario())


def test_what_comes_later_than_the_window_used_to_be(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Marks of the day ended by the shorter window; all of its counts still make up the day."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, app_of("web"), app_of("batch"))
            await spend(keeper, "premium", 1000, 2000)
            await spend(keeper, "standard", 500, app_id="batch")
            clock.advance(300)
            await aggregate(keeper)
            clock.advance(10 * DAY_SECS)
            await change(keeper, late_window_hours=720)
            await spend(keeper, "economy", 70, at=START)
            clock.advance(300)
            await aggregate(keeper, fence=2)
            assert await micros(keeper) == 3570
            assert await micros(keeper, "economy") == 70
            assert await micros(keeper, ALL, "web") == 3070
            assert await micros(keeper, window="WEEK") == 3570
            assert await micros(keeper, window="MONTH") == 3570

    asyncio.run(scenario())
