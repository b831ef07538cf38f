"""Flushes that meet trouble: every report counts once, and nobody pays for another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    ORG,
    WEB,
    account_of,
    check_books,
    counted,
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
from tablewright.model import put
from tablewright.systems.pricekeeper.config import Label
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.samples import label_named
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import flushing, lane
from tablewright.testing import injected
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]
PREMIUM = UsageId(ORG, WEB, "premium", "20261120")
FLUSH = "TransactWriteItems"


def run(backend: Backend, clock: ManualClock, case: Case, **options: Any) -> list[RequestEvent]:
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with recording(backend, clock, heard=heard, **options) as keeper:
            await case(keeper)

    asyncio.run(go())
    return heard


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up soon."""
    monkeypatch.setattr(flushing, "PATIENCE_SECS", 0.3)
    monkeypatch.setattr(lane, "PATIENCE_SECS", 0.3)


# --- answers that get lost -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        Fault(FLUSH, drop=True, after=True, times=1),
        Fault(FLUSH, error="InternalServerError", after=True, times=2),
        Fault(FLUSH, drop=True, times=1),
        Fault(FLUSH, error="InternalServerError", times=3),
        Fault(FLUSH, error="ThrottlingException", times=3),
        Fault(
            FLUSH,
            error="TransactionCanceledException",
            reason="TransactionConflict",
            members=[0, 1],
            times=3,
        ),
        Fault(FLUSH, error="TransactionInProgressException", times=1),
    ],
    ids=lambda fault: f"{fault.error or 'drop'}{'-after' if fault.after else ''}",
)
def test_a_lost_answer_is_asked_for_again(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, fault: Fault
) -> None:
    async def case(keeper: Keeper) -> None:
        with injected(tablewright_engine, fault):
            outcomes = await record(keeper, usage(), usage())
        assert results(outcomes) == ["recorded", "recorded"]
        await check_books(keeper)

    run(engine_backend, clock, case)


@pytest.mark.usefixtures("hasty")
def test_a_timeout_after_the_commit(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 4: the caller hears 503, repeats, and was counted once."""

    async def case(keeper: Keeper) -> None:
        sent = usage()
        with injected(tablewright_engine, Fault(FLUSH, drop=True, after=True)):
            (open_,) = await record(keeper, sent)
        assert open_.problem is not None
        assert (open_.problem.status, open_.problem.code) == (503, "STORE_UNAVAILABLE")
        assert "Retry-After" in open_.problem.headers
        assert results(await record(keeper, sent)) == ["duplicate"]
        assert (await counted(keeper, PREMIUM))["requests"] == 1

    run(engine_backend, clock, case)


@pytest.mark.usefixtures("hasty")
def test_a_store_that_stays_away_hits_only_its_callers(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        sent = [usage() for _ in range(3)]
        with injected(tablewright_engine, Fault(FLUSH, error="InternalServerError")):
            assert results(await record(keeper, *sent)) == ["STORE_UNAVAILABLE"] * 3
        assert not await rows_of(keeper)
        assert results(await record(keeper, usage())) == ["recorded"]
        assert results(await record(keeper, *sent)) == ["recorded"] * 3
        await check_books(keeper)

    run(engine_backend, clock, case)


@pytest.mark.usefixtures("hasty")
def test_conflicts_without_end(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    fault = Fault(
        FLUSH, error="TransactionCanceledException", reason="TransactionConflict", members=[1]
    )

    async def case(keeper: Keeper) -> None:
        with injected(tablewright_engine, fault):
            assert results(await record(keeper, usage())) == ["STORE_UNAVAILABLE"]
        assert results(await record(keeper, usage())) == ["recorded"]

    run(engine_backend, clock, case)


def test_a_store_that_never_answers(
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The callers are told after a while, and the lane goes on."""
    monkeypatch.setattr(flushing, "FLUSH_SECS", 0.2)

    async def case(keeper: Keeper) -> None:
        account = await account_of(keeper)
        await keeper.recorder.record(account, [usage()])
        waiting = asyncio.Event()
        drive = keeper.db.drive

        async def stuck(flow: Any, *begun: Any) -> Any:
            if not waiting.is_set():
                waiting.set()
                await asyncio.sleep(30)
            return await drive(flow, *begun)

        monkeypatch.setattr(keeper.db, "drive", stuck)
        first = asyncio.create_task(keeper.recorder.record(account, [usage()]))
        await waiting.wait()
        second = asyncio.create_task(keeper.recorder.record(account, [usage()]))
        assert results(await first) == ["STORE_UNAVAILABLE"]
        assert results(await second) == ["recorded"]

    run(engine_backend, clock, case)


# --- refusals ------------------------------------------------------------------------------------


def test_duplicates_leave_the_group(engine_backend: Backend, clock: ManualClock) -> None:
    """All of them by one answer, and the rest goes on in one more transaction."""

    async def case(keeper: Keeper) -> None:
        known = [usage() for _ in range(40)]
        await record(keeper, *known)
        new = [usage() for _ in range(40)]
        mixed = [each for pair in zip(known, new, strict=True) for each in pair]
        assert results(await record(keeper, *mixed)) == ["duplicate", "recorded"] * 40
        assert (await check_books(keeper))[PREMIUM] == 80

    heard = flushes(run(engine_backend, clock, case))
    assert [event.error for event in heard] == [None, "TransactionCanceledException", None]
    assert [event.write_units for event in heard] == [82, 0, 82]


def test_nothing_but_duplicates_writes_nothing(engine_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        known = [usage() for _ in range(99)]
        await record(keeper, *known)
        assert set(results(await record(keeper, *known))) == {"duplicate"}

    heard = flushes(run(engine_backend, clock, case))
    assert [event.error for event in heard] == [None, "TransactionCanceledException"]


def test_a_duplicate_and_a_conflict_at_once(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """More than one reason: what is settled is settled, what is passing is tried again."""

    async def case(keeper: Keeper) -> None:
        known, new = usage(), usage()
        await record(keeper, known)
        conflict = Fault(
            FLUSH,
            error="TransactionCanceledException",
            reason="TransactionConflict",
            members=[1, 2],
            times=2,
        )
        with injected(tablewright_engine, conflict):
            assert results(await record(keeper, known, new)) == ["duplicate", "recorded"]
        assert (await check_books(keeper))[PREMIUM] == 2

    run(engine_backend, clock, case)


def test_a_report_that_the_store_does_not_take_fails_alone(
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever is wrong with one row, its neighbours are recorded."""
    bad = usage()
    submit = tablewright_engine.submit

    def refusing(operation: str, request: dict[str, Any], **options: Any) -> Any:
        for member in request.get("TransactItems", ()):
            item = member.get("Put", {}).get("Item", {})
            if item.get("request_id") == {"S": bad.request_id}:
                # What no number may be: DynamoDB refuses the whole request for it.
                item["input_tokens"] = {"N": "many"}
        return submit(operation, request, **options)

    async def case(keeper: Keeper) -> None:
        outcomes = await record(keeper, *(usage() for _ in range(5)), bad, usage())
        assert results(outcomes) == ["recorded"] * 5 + ["INTERNAL", "recorded"]
        assert (await check_books(keeper))[PREMIUM] == 6

    with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(tablewright_engine, "submit", refusing)
        run(engine_backend, clock, case)
    assert bad.request_id in caplog.text


def test_a_flush_whose_token_was_forgotten(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """The answer is lost, and when it is asked for again, the store knows the token no more."""
    submit = tablewright_engine.submit
    forgotten: list[str] = []

    def forgetting(operation: str, request: dict[str, Any], **options: Any) -> Any:
        if operation == FLUSH:
            token = request["ClientRequestToken"]
            if token in forgotten:
                request = {**request, "ClientRequestToken": token[::-1]}
            forgotten.append(token)
        return submit(operation, request, **options)

    async def case(keeper: Keeper) -> None:
        with injected(tablewright_engine, Fault(FLUSH, drop=True, after=True, times=1)):
            outcomes = await record(keeper, usage(), usage())
        assert results(outcomes) == ["recorded", "recorded"]
        assert (await check_books(keeper))[PREMIUM] == 2

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tablewright_engine, "submit", forgetting)
        run(engine_backend, clock, case)
    assert forgotten[0] == forgotten[1]


def test_own_spend_is_told_after_each_commit(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each flush under its number, and numbers rise; duplicates add nothing."""
    told: list[tuple[int, int]] = []

    async def case(keeper: Keeper) -> None:
        flushed = keeper.totals.flushed

        def noted(writer: Any, number: int, deltas: Any) -> None:
            told.append((number, sum(each.requests for each in deltas.values())))
            flushed(writer, number, deltas)

        monkeypatch.setattr(keeper.totals, "flushed", noted)
        known = usage()
        await record(keeper, known)
        await record(keeper, known, usage(), usage())
        await record(keeper, *(usage() for _ in range(150)))

    run(engine_backend, clock, case)
    assert [requests for _, requests in told] == [1, 2, 99, 51]
    numbers = [number for number, _ in told]
    assert numbers == sorted(set(numbers))


def test_groups_of_many_counts_hold_a_hundred_actions(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Each label brings a counter of its own."""

    async def case(keeper: Keeper) -> None:
        labels = [f"label-{n:02d}" for n in range(70)]
        for name in labels:
            model: Label = label_named("economy").model_copy(update={"label": name})
            await keeper.db.run(put(model))
        outcomes = await record(keeper, *(usage(label=name) for name in labels))
        assert results(outcomes) == ["recorded"] * 70
        assert len(await check_books(keeper)) == 70

    heard = flushes(run(engine_backend, clock, case, flush_millis=0))
    # 50 rows with 50 counters, then the other 20.
    assert [event.write_units for event in heard] == [200, 80]


def test_the_number_of_shards_of_a_day_stays(engine_backend: Backend, clock: ManualClock) -> None:
    """A new number of shards counts from the next day on."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        org = org_with(agg_shard_count=3, version=1)
        await keeper.db.run(put(org))
        keeper.directory.forget(ORG)
        marks = keeper.recorder.markers
        account = await account_of(keeper)
        assert account.org.agg_shard_count == 3
        assert (await marks.shards({PREMIUM: account}))[PREMIUM] == 8
        tomorrow = PREMIUM._replace(day="20261121")
        assert (await marks.shards({tomorrow: account}))[tomorrow] == 3

    run(engine_backend, clock, case)
