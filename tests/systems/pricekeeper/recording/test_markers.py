"""Marks: every count that is written to gets its total, whatever clocks do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    NOW,
    ORG,
    START,
    WEB,
    account_of,
    org_with,
    record,
    recording,
    results,
    usage,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.reads import dirty_counts_of_day, total_of_period
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import markers
from tablewright.systems.pricekeeper.shapes import scope_of, slot_of
from tablewright.systems.pricekeeper.spend import Dirty
from tablewright.systems.pricekeeper.workers import aggregator
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]
TODAY = "20261120"
PREMIUM = UsageId(ORG, WEB, "premium", TODAY)


def run(backend: Backend, clock: ManualClock, *cases: Case) -> list[RequestEvent]:
    """Each case is a process of its own."""
    heard: list[RequestEvent] = []

    async def go(case: Case) -> None:
        async with recording(backend, clock, heard=heard) as keeper:
            await case(keeper)

    for case in cases:
        asyncio.run(go(case))
    return heard


async def mark_of(keeper: Keeper) -> Dirty:
    found = keeper.db.iterate(dirty_counts_of_day(slot_of(ORG), ORG, TODAY))
    (mark,) = [mark async for mark in found]
    return mark


async def total(keeper: Keeper) -> int:
    """The requests of the day, as its total says."""
    found = await keeper.db.run(total_of_period(scope_of(ORG, WEB), "premium", f"DAY#{TODAY}"))
    return found.requests if found is not None else 0


def marked(heard: list[RequestEvent]) -> int:
    return sum(event.pattern == "mark_dirty" for event in heard)


def test_a_count_is_marked_before_it_is_written_to(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        for _ in range(5):
            await record(keeper, usage())
        mark = await mark_of(keeper)
        assert mark.dirty_until_epoch == NOW + timedelta(seconds=180)
        assert mark.shard_count == 8
        assert mark.expires_at_epoch > NOW + timedelta(days=4)

    heard = run(tablewright_backend, clock, case)
    patterns = [each.pattern for each in heard if each.pattern in ("mark_dirty", "flush")]
    assert patterns == ["mark_dirty", *["flush"] * 5]


def test_a_mark_is_made_again_in_time(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Also if the machine was asleep, and only the time of day went on."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        clock.advance(markers.FRESH_SECS - 1)
        await record(keeper, usage())
        clock.advance(2)
        await record(keeper, usage())
        assert (await mark_of(keeper)).dirty_until_epoch.timestamp() == clock.now() + 180

    assert marked(run(tablewright_backend, clock, case)) == 2


def test_marks_do_not_pile_up(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markers, "_KEPT_SECS", 0.0)
    monkeypatch.setattr(markers, "FRESH_SECS", 0.0)

    async def case(keeper: Keeper) -> None:
        for label in ("premium", "standard", "economy") * 3:
            await record(keeper, usage(label=label))
        assert len(keeper.recorder.markers._marks) <= 2

    run(tablewright_backend, clock, case)


def test_a_clock_that_goes_back(tablewright_backend: Backend, clock: ManualClock) -> None:
    """What is written then is in the total, although the last sum seems to be later."""

    async def before(keeper: Keeper) -> None:
        await record(keeper, usage())
        clock.advance(300)
        await run_once(aggregator.worker(keeper))
        assert await total(keeper) == 1
        clock.advance(-600)
        await record(keeper, usage(timestamp=int(clock.now())))

    async def after(keeper: Keeper) -> None:
        """Another process, which has not seen the clock go back; nobody sums meanwhile."""
        await record(keeper, usage(timestamp=int(clock.now())))
        clock.set(START + 900)
        await run_once(aggregator.worker(keeper), fence=2)
        assert await total(keeper) == 3

    run(tablewright_backend, clock, before, after)


def test_a_mark_of_long_ago(tablewright_backend: Backend, clock: ManualClock) -> None:
    """It has ended, and is not deleted yet: a new one takes its place, with the same shards."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        clock.advance(300)
        await run_once(aggregator.worker(keeper))
        clock.set(START + 20 * 86_400)
        await keeper.db.run(put(org_with(agg_shard_count=3, late_window_hours=700, version=1)))
        keeper.directory.forget(ORG)
        account = await account_of(keeper)
        assert (await keeper.recorder.markers.shards({PREMIUM: account}))[PREMIUM] == 8
        assert results(await record(keeper, usage(output_tokens=7))) == ["recorded"]
        clock.advance(300)
        await run_once(aggregator.worker(keeper), fence=2)
        assert await total(keeper) == 2

    run(tablewright_backend, clock, case)
