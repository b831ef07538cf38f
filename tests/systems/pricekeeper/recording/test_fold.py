"""Organisations whose counters follow from the ledger's stream."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    ORG,
    WEB,
    account_of,
    check_books,
    counted,
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
from tablewright.model import put
from tablewright.model.errors import TablewrightError
from tablewright.service.workers import Held, run_once
from tablewright.systems.pricekeeper.config import Label
from tablewright.systems.pricekeeper.reads import dirty_counts_of_day
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.samples import label_named
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import slot_of
from tablewright.systems.pricekeeper.workers import fold
from tablewright.testing import injected
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]
TODAY = "20261120"
PREMIUM = UsageId(ORG, WEB, "premium", TODAY)


def run(backend: Backend, clock: ManualClock, case: Case, **changes: Any) -> list[RequestEvent]:
    heard: list[RequestEvent] = []

    async def go() -> None:
        org = org_with(write_mode="stream", **changes)
        async with recording(backend, clock, org, heard=heard) as keeper:
            await case(keeper)

    asyncio.run(go())
    return heard


async def folded(keeper: Keeper) -> None:
    await run_once(fold.worker(keeper))


def test_a_report_is_one_put(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        (outcome,) = await record(keeper, usage())
        assert outcome.result == "recorded"
        assert outcome.row is not None
        assert outcome.row.mode == "S"
        assert (await counted(keeper, PREMIUM))["requests"] == 0
        await folded(keeper)
        assert (await check_books(keeper))[PREMIUM] == 1

    heard = run(tablewright_backend, clock, case)
    (put_,) = [event for event in heard if event.pattern == "record_for_stream"]
    assert put_.write_units == 1
    assert not [event for event in heard if event.pattern == "flush"]


def test_the_same_rules_for_repeats(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage()
        changed = replace(sent, input_tokens=1)
        assert results(await record(keeper, sent, sent, changed, usage())) == [
            "recorded",
            "duplicate",
            "REQUEST_ID_REUSED",
            "recorded",
        ]
        assert results(await record(keeper, sent, changed)) == ["duplicate", "REQUEST_ID_REUSED"]
        await folded(keeper)
        assert (await check_books(keeper))[PREMIUM] == 2

    run(tablewright_backend, clock, case)


def test_a_lost_answer(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        with injected(tablewright_engine, Fault("PutItem", drop=True, after=True, times=1)):
            assert results(await record(keeper, usage())) == ["recorded"]
        assert len(await rows_of(keeper)) == 1

    run(engine_backend, clock, case)


def test_exact_rows_are_passed_over(tablewright_backend: Backend, clock: ManualClock) -> None:
    """An organisation may change its mind in the middle of a day."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(), usage())
        for version, mode in ((1, "exact"), (2, "stream")):
            await keeper.db.run(put(org_with(write_mode=mode, version=version)))
            keeper.directory.forget(ORG)
            await record(keeper, usage())
        await folded(keeper)
        assert (await check_books(keeper))[PREMIUM] == 4
        assert [row.mode for row in await rows_of(keeper)].count("E") == 1

    run(tablewright_backend, clock, case)


def test_folding_again_counts_nothing_twice(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(30)))
        await folded(keeper)
        # Another process, which knows nothing of the first one.
        await folded(keeper)
        await record(keeper, *(usage() for _ in range(5)))
        await folded(keeper)
        assert (await check_books(keeper))[PREMIUM] == 35

    run(tablewright_backend, clock, case)


def test_two_folds_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    """One was stopped past its lease, and goes on beside the other."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(10)))
        slow, quick = fold.Fold(keeper), fold.Fold(keeper)
        await slow.run(Held("fold", "", "slow", 1, 0))
        await record(keeper, *(usage() for _ in range(10)))
        await quick.run(Held("fold", "", "quick", 2, 0))
        await record(keeper, *(usage() for _ in range(10)))
        with pytest.raises(TablewrightError):
            await slow.run(Held("fold", "", "slow", 1, 0))
        await quick.run(Held("fold", "", "quick", 2, 0))
        # It has found out where the other one is.
        await slow.run(Held("fold", "", "slow", 1, 0))
        assert (await check_books(keeper))[PREMIUM] == 30

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize("after", [False, True])
def test_a_fold_that_breaks_off(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, after: bool
) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(20)))
        worker = fold.Fold(keeper)
        held = Held("fold", "", "me", 1, 0)
        lost = Fault("TransactWriteItems", drop=True, after=after)
        task = asyncio.create_task(worker.run(held))
        with injected(tablewright_engine, lost):
            await asyncio.sleep(0.2)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await worker.run(held)
        assert (await check_books(keeper))[PREMIUM] == 20

    run(engine_backend, clock, case)


def test_a_piece_holds_a_hundred_actions(engine_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        labels = [f"label-{n:03d}" for n in range(120)]
        for name in labels:
            model: Label = label_named("economy").model_copy(update={"label": name})
            await keeper.db.run(put(model))
        outcomes = await record(keeper, *(usage(label=name) for name in labels))
        assert set(results(outcomes)) == {"recorded"}
        await folded(keeper)
        assert len(await check_books(keeper)) == 120

    heard = run(engine_backend, clock, case)
    pieces = [event for event in heard if event.pattern == "fold"]
    assert max(event.write_units for event in pieces) <= 200


def test_the_fold_marks_what_it_counts(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        marks = dirty_counts_of_day(slot_of(ORG), ORG, TODAY)
        assert not [mark async for mark in keeper.db.iterate(marks)]
        await folded(keeper)
        assert [mark.label async for mark in keeper.db.iterate(marks)] == ["premium"]

    run(tablewright_backend, clock, case)


def test_with_reservations_records_are_exact(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Gates move with the records."""

    async def case(keeper: Keeper) -> None:
        (outcome,) = await record(keeper, usage())
        assert outcome.row is not None
        assert outcome.row.mode == "E"
        assert (await account_of(keeper)).org.write_mode == "stream"

    run(tablewright_backend, clock, case, reservations="on")


def test_a_fold_that_stood_still_for_two_days(
    engine_backend: Backend, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """The stream has dropped records: it says so, and goes on with what is there."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(8)))
        await folded(keeper)
        await record(keeper, *(usage() for _ in range(8)))
        clock.advance(30 * 3600)
        late = [usage(timestamp=int(clock.now())) for _ in range(8)]
        await record(keeper, *late)
        engine = engine_backend.engine
        assert engine is not None
        _prune(engine)
        with caplog.at_level(logging.ERROR):
            await folded(keeper)
        assert "reconcile --fix" in caplog.text
        assert (await counted(keeper, PREMIUM))["requests"] == 8
        tomorrow = PREMIUM._replace(day="20261121")
        assert (await counted(keeper, tomorrow))["requests"] == 8

    run(engine_backend, clock, case)


def _prune(engine: Engine) -> None:
    """What the engine does in the background: drop records that are older than a day."""
    from tablewright.engine.streams.recording import RETENTION_SECONDS, prune_slice

    horizon = engine.clock.now() - RETENTION_SECONDS
    while engine.store.run(lambda transaction: prune_slice(transaction, horizon)):
        pass


def test_what_is_not_the_folds_is_not_read() -> None:
    """A glance at the text is enough to pass over a record that was counted with its flush."""
    only = fold.OnlyStreamed(fold.table)
    text = '{"SequenceNumber":"7","Keys":{"PK":{"S":"a"}},"NewImage":{"mode":{"S":"%s"}}}'
    assert only.read((text % "E").encode()) == {"SequenceNumber": "7"}
    assert only.read((text % "S").encode())["NewImage"] == {"mode": {"S": "S"}}
