"""Lanes: reports of one organisation go together and in order; lanes come and go."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import uuid4

import pytest
from tests.systems.pricekeeper.recording.support import (
    ORG,
    START,
    account_of,
    check_books,
    flushes,
    org_with,
    record,
    recording,
    results,
    rows_of,
    usage,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import flushing, lane
from tablewright.systems.pricekeeper.service.recording.entry import Entry
from tablewright.systems.pricekeeper.service.recording.turns import Turn
from tablewright.testing import injected
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]


def run(backend: Backend, clock: ManualClock, case: Case, **options: Any) -> list[RequestEvent]:
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with recording(backend, clock, heard=heard, **options) as keeper:
            await case(keeper)

    asyncio.run(go())
    return heard


def test_reports_at_the_same_time_share_a_flush(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        account = await account_of(keeper)
        await keeper.recorder.record(account, [usage()])
        singles = (keeper.recorder.record(account, [usage()]) for _ in range(60))
        outcomes = await asyncio.gather(*singles)
        assert all(results(each) == ["recorded"] for each in outcomes)
        await check_books(keeper)

    heard = flushes(run(engine_backend, clock, case))
    assert [event.write_units for event in heard] == [4, 122]


def test_a_report_alone_does_not_wait(engine_backend: Backend, clock: ManualClock) -> None:
    """However long the lane may wait for company."""

    async def case(keeper: Keeper) -> None:
        async with asyncio.timeout(5):
            assert results(await record(keeper, usage())) == ["recorded"]

    run(engine_backend, clock, case, flush_millis=1000)


def test_what_comes_during_a_flush_is_the_next_group(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        account = await account_of(keeper)
        await keeper.recorder.record(account, [usage()])
        heard.clear()
        gate, drive = asyncio.Event(), keeper.db.drive

        async def held(flow: Any, *begun: Any) -> Any:
            await gate.wait()
            return await drive(flow, *begun)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(keeper.db, "drive", held)
            first = asyncio.create_task(keeper.recorder.record(account, [usage()]))
            await asyncio.sleep(0.01)
            rest = [
                asyncio.create_task(keeper.recorder.record(account, [usage()])) for _ in range(7)
            ]
            await asyncio.sleep(0.01)
            gate.set()
            for each in (first, *rest):
                assert results(await each) == ["recorded"]

    heard: list[RequestEvent] = []

    async def go() -> None:
        async with recording(engine_backend, clock, heard=heard) as keeper:
            await case(keeper)

    asyncio.run(go())
    assert [event.write_units for event in flushes(heard)] == [4, 16]


def test_the_same_id_from_two_requests_at_once(engine_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        account, sent = await account_of(keeper), usage()
        several = (keeper.recorder.record(account, [sent]) for _ in range(20))
        found = [results(each)[0] for each in await asyncio.gather(*several)]
        assert sorted(found) == ["duplicate"] * 19 + ["recorded"]
        assert len(await rows_of(keeper)) == 1

    run(engine_backend, clock, case)


def test_a_lane_that_is_idle_is_gone(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stays behind, however many organisations have come by."""
    settled = 0

    async def case(keeper: Keeper) -> None:
        nonlocal settled
        recorder = keeper.recorder
        app = (await account_of(keeper)).app

        async def at_once(entries: list[Entry], turn: Turn) -> None:
            nonlocal settled
            await asyncio.sleep(0)
            for entry in entries:
                settled += 1
                entry.ticket.settle(entry.place, _some(entry))

        monkeypatch.setattr(recorder._flushing, "flush", at_once)
        org = org_with()
        await recorder.record(Account(org, app), [usage()])
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(100):
            many = [Account(org_with(str(uuid4())), app) for _ in range(50)]
            await asyncio.gather(*(recorder.record(each, [usage()]) for each in many))
        del many
        gc.collect()
        assert not recorder._lanes
        assert len(gc.get_objects()) - before < 500

    run(engine_backend, clock, case)
    assert settled == 5001


def _some(entry: Entry) -> Any:
    from tablewright.systems.pricekeeper.service.recording.outcome import rejected, unavailable

    return rejected(entry.usage, unavailable())


def test_too_many_waiting_reports_are_refused_at_once(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "MAX_WAITING", 200)

    async def case(keeper: Keeper) -> None:
        account = await account_of(keeper)
        requests = [[usage() for _ in range(100)] for _ in range(5)]
        found = await asyncio.gather(
            *(keeper.recorder.record(account, request) for request in requests)
        )
        told = [results(each)[0] for each in found]
        assert told.count("OVERLOADED") == 3
        assert told.count("recorded") == 2

    run(engine_backend, clock, case)


def test_who_has_waited_too_long_hears_it(
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While the store is away, a queue is not worked off flush by flush."""
    monkeypatch.setattr(flushing, "PATIENCE_SECS", 0.2)
    monkeypatch.setattr(lane, "PATIENCE_SECS", 0.2)

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        away = Fault("TransactWriteItems", error="ServiceUnavailableException")
        with injected(tablewright_engine, away):
            async with asyncio.timeout(2):
                outcomes = await record(keeper, *(usage() for _ in range(2000)))
        assert set(results(outcomes)) == {"STORE_UNAVAILABLE"}

    run(engine_backend, clock, case)


def test_the_end_of_a_process_writes_what_was_accepted(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with recording(engine_backend, clock) as keeper:
            account = await account_of(keeper)
            reports = [usage() for _ in range(300)]
            accepted = asyncio.ensure_future(keeper.recorder.record(account, reports))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await keeper.recorder.close()
            assert accepted.done()
            assert set(results(await accepted)) == {"recorded"}
            with pytest.raises(Problem) as late:
                await keeper.recorder.record(account, [usage()])
            assert (late.value.status, late.value.code) == (503, "SHUTTING_DOWN")
            assert len(await rows_of(keeper)) == 300
            await check_books(keeper)

    asyncio.run(go())


def test_a_caller_that_goes_away_is_recorded_all_the_same(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        account, sent = await account_of(keeper), usage()
        gone = asyncio.create_task(keeper.recorder.record(account, [sent]))
        while not keeper.recorder._lanes:
            await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        assert results(await record(keeper, sent)) == ["duplicate"]

    run(engine_backend, clock, case)


def test_organisations_have_lanes_of_their_own(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """A flush that hangs holds up nobody else."""
    other = str(uuid4())

    async def go() -> None:
        async with recording(engine_backend, clock, org_with(), org_with(other)) as keeper:
            mine, theirs = await account_of(keeper), await account_of(keeper, org_id=other)
            await keeper.recorder.record(mine, [usage()])
            await keeper.recorder.record(theirs, [usage()])
            stuck, drive = asyncio.Event(), keeper.db.drive

            async def held(flow: Any, *begun: Any) -> Any:
                if not stuck.is_set():
                    stuck.set()
                    await asyncio.sleep(0.5)
                return await drive(flow, *begun)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(keeper.db, "drive", held)
                slow = asyncio.create_task(keeper.recorder.record(mine, [usage()]))
                await stuck.wait()
                async with asyncio.timeout(0.4):
                    quick = await keeper.recorder.record(theirs, [usage(timestamp=START)])
                assert results(quick) == ["recorded"]
                assert not slow.done()
                assert results(await slow) == ["recorded"]
            await check_books(keeper, org_id=ORG)
            await check_books(keeper, org_id=other)

    asyncio.run(go())
