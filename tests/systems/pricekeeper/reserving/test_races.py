"""Real processes at once: no limit is overrun, and a secret is handed over once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from tests.systems.pricekeeper.access.support import ADMIN, client, keeping
from tests.systems.pricekeeper.reserving.support import (
    CENT,
    account_of,
    app_with,
    granted,
    open_reservations,
    org_with,
    rows,
    store,
)

from tablewright.clock import ManualClock, SystemClock
from tablewright.engine import Engine
from tablewright.service.workers import run_once, runner
from tablewright.systems.pricekeeper.samples import ORG
from tablewright.systems.pricekeeper.workers import sweeper
from tablewright.testing.backends import in_process

QUOTA = 100 * CENT
MOST = 3 * CENT


def race(url: str, job: str, processes: int, argument: str) -> list[dict[str, int]]:
    """What each of some processes says that start at the same moment."""
    command = [sys.executable, "-m", "tests.systems.pricekeeper.reserving.racer", url, job]
    racers = [
        subprocess.Popen(
            [*command, str(number), argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    try:
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        return [json.loads(racer.communicate(timeout=120)[0]) for racer in racers]
    finally:
        for racer in racers:
            racer.kill()
            racer.wait()


def now() -> datetime:
    return datetime.now(UTC)


def test_scenario_14_with_reservations_no_process_overruns_a_limit(
    tablewright_engine: Engine, tablewright_url: str
) -> None:
    """Scenario 14: four processes spend as fast as they can, and some calls never report."""

    async def prepare() -> None:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, SystemClock()) as keeper:
                org = org_with(
                    quotas={"premium": QUOTA, "standard": None},
                    reservations_from_epoch=now() - timedelta(days=3),
                )
                await store(keeper, org, app_with())

    async def look() -> None:
        with in_process(tablewright_engine) as backend:
            clock = ManualClock()
            async with keeping(backend, clock) as keeper:
                spent = sum(row.cost_usd_picos for row in await rows(keeper)) // 1_000_000
                open_ones = await open_reservations(keeper)
                day = (await account_of(keeper)).calendar.day(keeper.now())
                promised = sum(each.reserved_picos for each in open_ones) // 1_000_000
                assert spent == sum(each["spent"] for each in told)
                assert promised == sum(each["left"] for each in told)
                assert await granted(keeper, day=day) == spent + promised
                # Not a micro-dollar more, and not much less: everybody went on until it was full.
                assert QUOTA - MOST < spent + promised <= QUOTA
                # What nobody reported is free once its time is over.
                clock.advance(121)
                await run_once(sweeper.worker(keeper))
                assert await granted(keeper, day=day) == spent
                assert await open_reservations(keeper) == []

    asyncio.run(prepare())
    told = race(tablewright_url, "spend", 4, str(MOST))
    assert sum(each["calls"] for each in told) > QUOTA // MOST
    asyncio.run(look())


def test_scenario_15_of_fifty_who_redeem_in_two_processes_one_is_served(
    tablewright_engine: Engine, tablewright_url: str
) -> None:
    """Scenario 15."""

    async def token() -> str:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, SystemClock()) as keeper:
                await client(keeper)
                return (await keeper.credentials.rotate(ORG, None, ADMIN)).token

    told = race(tablewright_url, "redeem", 2, asyncio.run(token()))
    assert sum(each["served"] for each in told) == 1
    assert sum(each["refused"] for each in told) == 49


@pytest.mark.slow
def test_scenario_14_what_is_abandoned_is_free_within_ten_seconds(
    tablewright_engine: Engine,
) -> None:
    """Scenario 14, in real time, with the worker as it runs in the process."""

    async def scenario() -> float:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, SystemClock()) as keeper:
                org = org_with(reservations_from_epoch=now() - timedelta(days=3))
                await store(keeper, org, app_with())
                account = await account_of(keeper)
                day = account.calendar.day(keeper.now())
                async with runner(keeper.runtime, [sweeper.worker(keeper)]):
                    # So that the sweeper has just been there when the promise ends.
                    await asyncio.sleep(2)
                    made = await keeper.reservations.reserve(account, "premium", 50 * CENT, 5)
                    ends = made.reservation.expires_epoch.timestamp()
                    while await granted(keeper, day=day):
                        await asyncio.sleep(0.05)
                    return keeper.clock.now() - ends

    assert 0 <= asyncio.run(scenario()) <= 10
