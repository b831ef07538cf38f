"""Many at once: turns within a process, patience between processes."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack

import pytest
from tests.systems.kurukshetra.checkout.crowds import Crowd
from tests.systems.kurukshetra.checkout.support import check_seats, checkout, ready
from tests.systems.kurukshetra.support import EVENT, event_made, festival_on, registered, run

from tablewright.clock import ManualClock
from tablewright.service.gathering import at_most
from tablewright.systems.kurukshetra.sandbox import sandbox
from tablewright.systems.kurukshetra.service.turns import Turns
from tablewright.testing.backends import Backend


def test_turns_come_in_order_and_leave_nothing_behind() -> None:
    async def check() -> None:
        turns, seen = Turns(), []

        async def one(number: int) -> None:
            async with turns.of("seats"):
                seen.append(number)
                await asyncio.sleep(0)
                seen.append(number)

        tasks = [asyncio.create_task(one(number)) for number in range(5)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert seen == [0, 0, 1, 1, 3, 3, 4, 4]
        assert len(turns) == 0

    run(check())


def test_checkouts_of_one_process_are_never_in_each_others_way(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """64 clients want the same item: with turns, not one transaction is cancelled."""

    async def check() -> None:
        crowd = Crowd()
        async with festival_on(crowd.on(engine_backend), clock, sandbox=True) as festival:
            await event_made(festival, max_teams=60)
            teams = await ready(festival, 64)
            found = await asyncio.gather(
                *(checkout(festival, each) for each in teams), return_exceptions=True
            )
            sold_out = [each for each in found if isinstance(each, Exception)]
            assert [getattr(each, "code", each) for each in sold_out] == ["SOLD_OUT"] * 4
            assert crowd.conflicts == 0
            assert (await check_seats(festival))["pending"] == 60

    run(check())


def test_processes_are_patient_with_each_other(engine_backend: Backend, clock: ManualClock) -> None:
    """Four processes with eight clients each: they do meet, and nobody is told BUSY."""

    async def check() -> None:
        crowd = Crowd()
        with sandbox(clock=clock, deliver=False) as gateway:
            async with AsyncExitStack() as stack:
                opened = [
                    festival_on(crowd.on(engine_backend), clock, sandbox_url=gateway.url)
                    for _ in range(4)
                ]
                processes = [await stack.enter_async_context(each) for each in opened]
                await event_made(processes[0], max_teams=32)
                teams = await ready(processes[0], 32)
                await asyncio.gather(
                    *(checkout(processes[n % 4], each) for n, each in enumerate(teams))
                )
                assert crowd.conflicts > 0
                assert (await check_seats(processes[0]))["pending"] == 32

    run(check())


def test_many_register_at_once_and_nobody_is_told_busy(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """They meet at the day's statistics, of which there are eight."""

    async def check() -> None:
        crowd = Crowd()
        async with festival_on(crowd.on(engine_backend), clock) as festival:
            await event_made(festival)
            people = [registered(festival, EVENT, f"person-{number}") for number in range(64)]
            assert len(await asyncio.gather(*people)) == 64
            assert crowd.conflicts > 0

    run(check())


@pytest.mark.slow
@pytest.mark.alone
def test_many_clients_get_as_much_done_as_few(engine_backend: Backend, clock: ManualClock) -> None:
    """Throughput at 64 clients >= 0.9x that at 8; p95 <= 2 x 64 / throughput; no BUSY answer."""

    async def measured(clients: int) -> tuple[float, float]:
        crowd, took = Crowd(secs=0.01), []
        async with festival_on(crowd.on(engine_backend), clock, sandbox=True) as festival:
            event = f"with-{clients}-clients"
            await event_made(festival, event, max_teams=400)
            teams = await ready(festival, 320, event_id=event)

            async def one(number: int) -> None:
                began = time.perf_counter()
                await checkout(festival, teams[number])
                took.append(time.perf_counter() - began)

            began = time.perf_counter()
            await at_most(clients, [one(number) for number in range(len(teams))])
            rate = len(teams) / (time.perf_counter() - began)
            await check_seats(festival, event)
            return rate, sorted(took)[int(len(took) * 0.95)]

    few, _ = run(measured(8))
    many, p95 = run(measured(64))
    assert many >= 0.9 * few
    assert p95 <= 2 * 64 / many
