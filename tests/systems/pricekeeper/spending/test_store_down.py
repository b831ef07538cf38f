"""Scenario 19, the part of selections: a store that does not answer."""

from __future__ import annotations

import asyncio

import pytest
from tests.systems.pricekeeper.access.support import refused
from tests.systems.pricekeeper.spending.support import (
    ORG,
    START,
    USD,
    account_of,
    keeping,
    select,
    set_up,
    spend,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.testing import injected
from tablewright.testing.backends import Backend, in_process

DOWN = Fault(error="InternalServerError")


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


@pytest.fixture
def backend(tablewright_engine: Engine) -> Backend:
    with in_process(tablewright_engine) as found:
        return found


def test_scenario_19_closed_nobody_gets_an_answer(
    backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def scenario() -> None:
        async with keeping(backend, clock, quick=True) as (keeper,):
            await set_up(keeper)
            await select(keeper)
            clock.advance(2)
            with injected(tablewright_engine, DOWN):
                problem = await refused(keeper.selector.answer(ORG, "web"))
            assert (problem.status, problem.code) == (503, "STORE_UNAVAILABLE")
            assert problem.headers["Retry-After"] == "1"
            # And then it is there again.
            clock.advance(1)
            assert (await keeper.selector.answer(ORG, "web")).choice.recommended == "premium"

    asyncio.run(scenario())


def test_scenario_19_open_the_last_answer_counts_for_ten_minutes(
    backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def scenario() -> None:
        async with keeping(backend, clock, quick=True) as (keeper,):
            await set_up(keeper, fail_mode="open")
            await spend(keeper, "premium", 10 * USD)
            before = await select(keeper)
            assert not before.guidance().stale
            with injected(tablewright_engine, DOWN):
                for secs in (2, 300, 297):
                    clock.advance(secs)
                    found = await keeper.selector.answer(ORG, "web")
                    assert found.choice == before.choice
                    guidance = found.guidance()
                    assert (guidance.stale, guidance.recommended_label) == (True, "standard")
                assert guidance.lag_ms == 599_000
                clock.advance(2)
                problem = await refused(keeper.selector.answer(ORG, "web"))
                assert problem.status == 503
            clock.advance(1)
            assert not (await keeper.selector.answer(ORG, "web")).stale

    asyncio.run(scenario())


def test_open_there_has_to_be_an_answer(
    backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def scenario() -> None:
        async with keeping(backend, clock, quick=True) as (keeper,):
            await set_up(keeper, fail_mode="open")
            await account_of(keeper)
            with injected(tablewright_engine, DOWN):
                assert (await refused(keeper.selector.answer(ORG, "web"))).status == 503

    asyncio.run(scenario())


def test_guidance_never_fails(
    backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    """What was recorded is recorded; that nobody knows the rest is told, not raised."""

    async def scenario() -> None:
        async with keeping(backend, clock, quick=True) as (keeper,):
            await set_up(keeper)
            account = await account_of(keeper)
            await spend(keeper, "premium", USD)
            reads = Fault(("BatchGetItem", "Query"), error="InternalServerError")
            with injected(tablewright_engine, reads):
                guidance = await keeper.selector.guidance(account)
            assert (guidance.stale, guidance.spend_usd_micros) == (True, USD)
            assert guidance.recommended_label == "premium"

    asyncio.run(scenario())


def test_a_store_that_fails_is_not_asked_by_everybody(
    backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def scenario() -> None:
        async with keeping(backend, clock, quick=True) as (keeper,):
            await set_up(keeper)
            account = await account_of(keeper)
            events: list[object] = []
            keeper.db.context = type(keeper.db.context)(
                clock=clock,
                names=keeper.db.context.names,
                retries=keeper.db.context.retries,
                hook=events.append,
            )
            with injected(tablewright_engine, DOWN):
                for _ in range(20):
                    await refused(keeper.selector.select(account))
            assert len(events) == 1

    asyncio.run(scenario())
