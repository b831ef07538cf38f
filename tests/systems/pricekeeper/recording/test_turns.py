"""A flush is made while the one before it is on its way; it is sent, and told of, after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    ORG,
    WEB,
    account_of,
    check_books,
    flushes,
    recording,
    results,
    rows_of,
    usage,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import flushing
from tablewright.systems.pricekeeper.service.recording.turns import Turn
from tablewright.testing import injected
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]
PREMIUM = UsageId(ORG, WEB, "premium", "20261120")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of flushes, in the order in which the totals hear of them."""
    numbers: list[int] = []
    committed = flushing.Flushing._committed

    def noted(self: flushing.Flushing, made: Any) -> None:
        numbers.append(made.number)
        committed(self, made)

    monkeypatch.setattr(flushing.Flushing, "_committed", noted)
    return numbers


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of what was made ahead: whether it could be sent."""
    found: list[bool] = []
    settle = flushing.Flushing._settle

    async def noted(self: flushing.Flushing, entries: Any, turn: Turn, ready: Any = None) -> None:
        found.append(ready is not None)
        await settle(self, entries, turn, ready)

    monkeypatch.setattr(flushing.Flushing, "_settle", noted)
    return found


def run(backend: Backend, clock: ManualClock, case: Case) -> list[RequestEvent]:
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with recording(backend, clock, heard=heard) as keeper:
            await case(keeper)

    asyncio.run(go())
    return flushes(heard)


def test_whole_groups_are_made_ahead(
    engine_backend: Backend, clock: ManualClock, told: list[int], ahead: list[bool]
) -> None:
    async def case(keeper: Keeper) -> None:
        outcomes = await keeper.recorder.record(
            await account_of(keeper), [usage() for _ in range(450)]
        )
        assert results(outcomes) == ["recorded"] * 450
        assert (await check_books(keeper))[PREMIUM] == 450

    assert len(run(engine_backend, clock, case)) == 5
    assert any(ahead)
    # The last one is not whole, and waits for company instead.
    assert not ahead[-1]
    assert told == sorted(told)


def test_what_was_made_behind_a_refused_flush_is_made_anew(
    engine_backend: Backend, clock: ManualClock, told: list[int], ahead: list[bool]
) -> None:
    async def case(keeper: Keeper) -> None:
        account, known = await account_of(keeper), usage()
        await keeper.recorder.record(account, [known])
        reports = [known, *(usage() for _ in range(300))]
        outcomes = await keeper.recorder.record(account, reports)
        assert results(outcomes) == ["duplicate"] + ["recorded"] * 300
        assert (await check_books(keeper))[PREMIUM] == 301

    run(engine_backend, clock, case)
    # The known one, the group that is refused, and the one behind it.
    assert ahead[:3] == [False, False, False]
    assert told == sorted(told)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("TransactWriteItems", drop=True, after=True, times=2),
        Fault("TransactWriteItems", error="ThrottlingException", times=3),
        Fault("TransactWriteItems", error="InternalServerError", times=2),
    ],
)
def test_a_store_in_trouble(
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    told: list[int],
    fault: Fault,
) -> None:
    async def case(keeper: Keeper) -> None:
        account = await account_of(keeper)
        await keeper.recorder.record(account, [usage()])
        with injected(tablewright_engine, fault):
            outcomes = await keeper.recorder.record(account, [usage() for _ in range(400)])
        assert results(outcomes) == ["recorded"] * 400
        assert len(await rows_of(keeper)) == 401
        assert (await check_books(keeper))[PREMIUM] == 401

    run(engine_backend, clock, case)
    assert told == sorted(told)


def test_what_waited_too_long_is_made_anew(
    engine_backend: Backend,
    clock: ManualClock,
    ahead: list[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its marks would not be fresh any more."""
    monkeypatch.setattr(flushing, "AHEAD_SECS", 0.0)

    async def case(keeper: Keeper) -> None:
        outcomes = await keeper.recorder.record(
            await account_of(keeper), [usage() for _ in range(300)]
        )
        assert results(outcomes) == ["recorded"] * 300
        assert (await check_books(keeper))[PREMIUM] == 300

    run(engine_backend, clock, case)
    assert not any(ahead)


# --- turns by themselves -------------------------------------------------------------------------


def test_turns_come_one_after_the_other() -> None:
    order: list[str] = []

    async def flush(name: str, turn: Turn, straight: bool) -> None:
        as_made = await turn.come()
        order.append(f"{name} sent {as_made}")
        await asyncio.sleep(0)
        if not straight:
            turn.spoil()
            await asyncio.sleep(0)
        await turn.pass_on()
        order.append(f"{name} told")
        turn.end()

    async def go() -> None:
        first = Turn()
        second = Turn(first)
        third = Turn(second)
        await asyncio.gather(
            flush("third", third, True), flush("second", second, False), flush("first", first, True)
        )
        assert Turn(third).is_next

    asyncio.run(go())
    places = {each: place for place, each in enumerate(order)}
    assert places["first told"] < places["second told"] < places["third told"]
    assert places["first sent True"] < places["second sent True"]
    # The second was made in another way, so the third waits for its end and is made anew.
    assert places["second told"] < places["third sent False"]
