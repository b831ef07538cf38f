"""Several processes on one store: aggregators that are stopped, bursts, alerts."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.systems.pricekeeper.spending.support import (
    ORG,
    START,
    USD,
    keeping,
    org_of,
    set_up,
    spend,
    stored,
)
from tests.systems.pricekeeper.spending.test_alerts import outbox

from tablewright.clock import Clock, FileClock, ManualClock
from tablewright.engine import Engine
from tablewright.systems.pricekeeper.rules.calendar import calendar_of
from tablewright.systems.pricekeeper.rules.figures import in_all
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import scope_of
from tablewright.testing.backends import Backend, over_http

PATIENCE_SECS = 120
COMMAND = (sys.executable, "-m", "tests.systems.pricekeeper.spending.processes")


def processes(*arguments: object) -> list[Any]:
    """What the processes have told."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def do(backend: Backend, clock: Clock, *work: Any) -> list[Any]:
    """Run coroutine functions with a keeper of this process."""

    async def go() -> list[Any]:
        async with keeping(backend, clock) as (keeper,):
            return [await each(keeper) for each in work]

    return asyncio.run(go())


async def premium_micros(keeper: Keeper) -> int:
    """What was spent with the best label, by the counters."""
    sums = await keeper.totals.sum_org_day(ORG, keeper_day(keeper))
    found = in_all(each.figures for each in sums if each.key.label == "premium")
    return found.cost_usd_picos // 10**6


def keeper_day(keeper: Keeper) -> str:
    """The organisation's day."""
    return calendar_of(org_of()).day(keeper.clock.now())


def test_scenario_06_an_aggregator_that_was_stopped_is_refused(
    tablewright_engine: Engine, tmp_path: Path
) -> None:
    """Scenario 6: past its lease, it cannot write what it has summed; rev never falls.

    Of two sums of the same, it is the fence that decides: see test_totals_only_grow.
    """
    path = tmp_path / "clock"
    clock = FileClock(path)

    async def paid(keeper: Keeper) -> None:
        await spend(keeper, "premium", 5)

    async def total(keeper: Keeper) -> tuple[int, int]:
        found = await stored(keeper, day=keeper_day(keeper))
        assert found is not None
        return found.rev, found.fence

    with over_http(tablewright_engine) as backend:
        do(backend, clock, set_up, paid)
        assert processes("stopped", backend.url, path) == [
            {"fence": None},
            {"fence": 2, "ended": "done"},
            {"fence": 1, "ended": "refused"},
        ]
        assert do(backend, clock, total) == [(2, 2)]


def test_scenario_20_ten_processes_cross_95_percent(tablewright_engine: Engine) -> None:
    """Scenario 20: one alert, and one message."""
    clock = ManualClock(START)

    async def prepare(keeper: Keeper) -> None:
        await set_up(keeper, alert_pcts=(95,))

    async def told(keeper: Keeper) -> tuple[int, int]:
        messages = await outbox(keeper, scope_of(ORG))
        return len(await keeper.alerts.of_org(ORG)), len(messages)

    with over_http(tablewright_engine) as backend:
        do(backend, clock, prepare)
        results = processes("cross", backend.url, 10, 955_000)
        assert results == [{"premium": 1}] * 10
        assert do(backend, clock, told) == [(1, 1)]


def test_scenario_14_a_burst_overruns_a_limit_by_little(tablewright_engine: Engine) -> None:
    """Scenario 14: ten calls a second of $0.0165 by four processes, and a limit of $10.

    Clocks go ten times as fast, so the store seems ten times as slow.
    """
    clock = ManualClock(START)
    with over_http(tablewright_engine) as backend:
        do(backend, clock, set_up)
        results = processes("burst", backend.url, 4, 10, 16_500, 0.4)
        assert [result["standard"] for result in results] == [1] * 4
        (spent,) = do(backend, clock, premium_micros)
        assert 10 * USD <= spent <= 10.5 * USD, spent


def test_scenario_14_with_reservations_nothing_is_overrun(tablewright_engine: Engine) -> None:
    """Scenario 14: and as much is spent as can be."""
    clock = ManualClock(START)

    async def prepare(keeper: Keeper) -> None:
        since = START - 30 * 86_400
        await set_up(
            keeper,
            quotas={"premium": 2 * USD},
            reservations="on",
            reservations_from_epoch=since,
            model_ordering=["premium"],
        )

    with over_http(tablewright_engine) as backend:
        do(backend, clock, prepare)
        processes("reserved", backend.url, 4, 10, 16_500, 0.4)
        (spent,) = do(backend, clock, premium_micros)
        assert 2 * USD - 16_500 < spent <= 2 * USD
