"""Several processes on one store, and processes that are killed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    ORG,
    WEB,
    account_of,
    check_books,
    counted,
    recording,
    results,
    rows_of,
    usage,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.testing.backends import Backend, at_endpoint, over_http
from tablewright.testing.process import EngineProcess

PREMIUM = UsageId(ORG, WEB, "premium", "20261120")


def program(*arguments: object) -> list[Any]:
    """What the processes were told."""
    command = [sys.executable, "-m", "tests.systems.pricekeeper.recording.processes"]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def prepared(backend: Backend, clock: ManualClock) -> None:
    """The settings are there."""

    async def go() -> None:
        async with recording(backend, clock):
            pass

    asyncio.run(go())


def test_one_id_from_four_processes(tablewright_engine: Engine, clock: ManualClock) -> None:
    """Scenario 1: a thousand times the same id counts once."""
    with over_http(tablewright_engine) as backend:
        prepared(backend, clock)
        told = program("same", backend.url, uuid.uuid4(), 4, 250)
        all_told: Counter[str] = sum(map(Counter, told), Counter())
        assert all_told == {"recorded": 1, "duplicate": 999}

        async def look() -> None:
            async with recording(backend, clock) as keeper:
                assert (await counted(keeper, PREMIUM))["requests"] == 1
                assert len(await rows_of(keeper)) == 1

        asyncio.run(look())


def test_killed_at_every_step(tablewright_engine: Engine, clock: ManualClock) -> None:
    """Scenario 3: whatever a process was doing, what is sent again is counted once."""
    with over_http(tablewright_engine) as backend:
        prepared(backend, clock)
        runs = program("killed", backend.url, 8)
        # Leases, settings, prices, marks, flushes: each is a step.
        assert len(runs) >= 14
        assert any(run["told"] is None for run in runs)
        for run in runs:
            assert set(run["repeated"]) <= {"recorded", "duplicate"}
            if run["told"] is not None:
                assert set(run["repeated"]) == {"duplicate"}

        async def look() -> None:
            async with recording(backend, clock) as keeper:
                rows = await rows_of(keeper)
                sent = [each for run in runs for each in run["ids"]]
                assert sorted(row.request_id for row in rows) == sorted(sent)
                assert (await check_books(keeper))[PREMIUM] == len(sent)

        asyncio.run(look())
    # Some were killed after the commit, and before anybody was told.
    lost = [run for run in runs if run["told"] is None]
    assert any(set(run["repeated"]) == {"duplicate"} for run in lost)
    assert any("recorded" in run["repeated"] for run in lost)


@pytest.mark.e2e
def test_the_store_is_killed(tmp_path: Path, clock: ManualClock) -> None:
    """In the middle of the work, and comes back: nothing is lost, nothing counts twice."""
    with EngineProcess(data=tmp_path) as engine:
        with at_endpoint(engine.url) as backend:

            async def send(keeper: Keeper, sent: list[str]) -> None:
                account = await account_of(keeper)
                for _ in range(30):
                    ids = [str(uuid.uuid4()) for _ in range(5)]
                    sent += ids
                    told = await keeper.recorder.record(account, [usage(each) for each in ids])
                    assert set(results(told)) <= {"recorded", "duplicate"}

            async def go() -> None:
                async with recording(backend, clock) as keeper:
                    sent: list[str] = []
                    senders = [asyncio.create_task(send(keeper, sent)) for _ in range(4)]
                    await asyncio.sleep(0.05)
                    engine.kill()
                    await asyncio.to_thread(engine.start)
                    await asyncio.gather(*senders)
                    rows = await rows_of(keeper)
                    assert sorted(row.request_id for row in rows) == sorted(sent)
                    assert (await check_books(keeper))[PREMIUM] == len(sent)

            asyncio.run(go())
