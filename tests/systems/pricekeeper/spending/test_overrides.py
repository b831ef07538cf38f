"""Closing and opening labels by hand, beside the rules; the API's tests have the rest."""

from __future__ import annotations

import asyncio

import pytest
from tests.systems.pricekeeper.access.support import ADMIN, refused
from tests.systems.pricekeeper.spending.support import (
    ORG,
    START,
    USD,
    change,
    keeping,
    select,
    set_up,
    spend,
)

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


def test_it_counts_until_the_settings_change(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            override = keeper.overrides.override
            await override(ORG, None, ADMIN, exhaust=["premium"], reason="x")
            assert (await select(keeper)).choice.recommended == "standard"
            await change(keeper, org_name="Renamed")
            assert (await select(keeper)).choice.recommended == "premium"
            # A row of older settings is replaced, not added to.
            closed = await override(ORG, None, ADMIN, exhaust=["standard"], reason="x")
            assert closed.labels == ("standard",)
            clock.advance(1)
            assert (await select(keeper)).choice.recommended == "premium"

    asyncio.run(scenario())


def test_by_hand_and_by_spend_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Whoever comes first after a change of settings; nothing that was closed is lost."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock, 4) as keepers:
            one = keepers[0]
            await set_up(one)
            await one.overrides.override(ORG, None, ADMIN, exhaust=["economy"], reason="x")
            await spend(one, "premium", 10 * USD)
            await change(one, org_name="Renamed")
            clock.advance(30)
            by_hand = (
                keeper.overrides.override(ORG, None, ADMIN, exhaust=[label], reason="x")
                for keeper, label in zip(keepers, ("standard", "economy"), strict=False)
            )
            await asyncio.gather(*by_hand, *(select(each, force=True) for each in keepers))
            clock.advance(2)
            found = [(await select(each)).choice for each in keepers]
            assert [choice.recommended for choice in found] == [None] * 4
            assert all(label.exhausted for label in found[0].labels)

    asyncio.run(scenario())


def test_what_has_room_again_can_be_opened(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper)
            await spend(keeper, "premium", 10 * USD)
            clock.advance(1)
            await select(keeper)
            restore = {"restore": ["premium"], "reason": "x"}
            problem = await refused(keeper.overrides.override(ORG, None, ADMIN, **restore))
            assert (problem.status, problem.code) == (409, "LIMIT_REACHED")
            quotas = {"premium": 11 * USD, "standard": 5 * USD, "economy": 2 * USD}
            await change(keeper, quotas=quotas)
            closed = await keeper.overrides.override(ORG, None, ADMIN, **restore)
            assert closed.labels == ()
            clock.advance(1)
            assert (await select(keeper)).choice.recommended == "premium"

    asyncio.run(scenario())


def test_without_stickiness_nothing_can_be_closed(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as (keeper,):
            await set_up(keeper, sticky_fallback_enabled=False)
            override = keeper.overrides.override(ORG, None, ADMIN, exhaust=["premium"], reason="x")
            assert (await refused(override)).code == "STICKY_OFF"

    asyncio.run(scenario())
