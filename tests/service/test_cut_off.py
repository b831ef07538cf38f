"""Who waits for events and is stopped in the very moment that one comes, stops."""

from __future__ import annotations

import asyncio

import pytest
from tests.service.kit.support import in_kit

from tablewright.client import AsyncDb
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.events import Event
from tablewright.service.events import lasting as lasting_module
from tablewright.service.events.lasting import Lookout
from tablewright.service.events.readers import Reader
from tablewright.testing.backends import in_process

#: Long after a test has ended.
NEVER = 3600.0
#: How often the loop goes round between the event and the end: all that can be in between.
ROUNDS = range(6)


async def _rounds(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_reader(rounds: int) -> None:
    async def main() -> None:
        reader = Reader(frozenset({"news"}))
        taking = asyncio.create_task(reader.take(NEVER))
        await _rounds(3)
        reader.give(Event("news", "added", "{}"))
        await _rounds(rounds)
        if taking.cancel():
            await asyncio.wait({taking})
            assert taking.cancelled()
        else:
            assert len(taking.result()) == 1

    asyncio.run(main())


@pytest.mark.parametrize("rounds", ROUNDS)
def test_who_looks_for_lasting_events(
    rounds: int, tablewright_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting_module, "LOOK_SECS", NEVER)

    async def main(db: AsyncDb) -> None:
        lookout = Lookout(db, ManualClock(1_800_000_000.0), "news", lambda event: None)
        (looking,) = (each for each in asyncio.all_tasks() if each.get_name().endswith("of news"))
        await lookout.ready.wait()
        await _rounds(3)
        lookout.wake()
        await _rounds(rounds)
        lookout.stop()
        await asyncio.wait({looking}, timeout=1)
        assert looking.cancelled()

    with in_process(tablewright_engine) as backend:
        in_kit(backend, main)
