"""The ledger as a book: looked up, exported, reconciled, repriced."""

from __future__ import annotations

import asyncio
import csv
import io
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.systems.pricekeeper.access.support import ADMIN, refused
from tests.systems.pricekeeper.recording.support import (
    BATCH,
    NOW,
    ORG,
    START,
    WEB,
    account_of,
    check_books,
    counted,
    org_with,
    record,
    recording,
    rows_of,
    usage,
)

from tablewright.clock import ManualClock
from tablewright.model import attr, delete, put, update
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.rules.corrections import Correction
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.samples import price_of
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.ledger import export, reconciling
from tablewright.systems.pricekeeper.service.ledger.scanning import Days
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey
from tablewright.systems.pricekeeper.spend import Total, UsageCounter
from tablewright.systems.pricekeeper.workers import aggregator
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]
TODAY, YESTERDAY = "20261120", "20261119"
PREMIUM = UsageId(ORG, WEB, "premium", TODAY)
HOUR = 3600


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciling, "SETTLE_SECS", 0.01)


def run(backend: Backend, clock: ManualClock, case: Case, **changes: Any) -> None:
    async def go() -> None:
        async with recording(backend, clock, org_with(**changes)) as keeper:
            await case(keeper)

    asyncio.run(go())


async def table_of(pieces: AsyncIterator[bytes]) -> list[dict[str, str]]:
    """CSV as a spreadsheet reads it."""
    text = b"".join([piece async for piece in pieces]).decode()
    return list(csv.DictReader(io.StringIO(text)))


# --- looking up and exporting --------------------------------------------------------------------


def test_what_is_not_there(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        row = usage()
        await record(keeper, row)
        problem = await refused(keeper.ledger.record(ORG, BATCH, row.request_id))
        assert problem.status == 404
        clock.advance(36 * 86_400)
        assert (await refused(keeper.ledger.record(ORG, WEB, row.request_id))).status == 404

    run(tablewright_backend, clock, case)


def test_every_row_is_exported(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        mine = [usage(timestamp=START - n * 60) for n in range(250)]
        await record(keeper, *mine)
        await record(keeper, usage(), app_id=BATCH)
        lines = await table_of(keeper.ledger.export_ledger(ORG, WEB))
        assert sorted(line["request_id"] for line in lines) == sorted(u.request_id for u in mine)
        assert {line["cost_usd"] for line in lines} == {"0.0081"}
        assert len(await table_of(keeper.ledger.export_ledger(ORG))) == 251
        assert {line["app_id"] for line in await table_of(keeper.ledger.export_ledger(ORG))} == {
            WEB,
            BATCH,
        }

    run(tablewright_backend, clock, case)


def test_days_of_an_export(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(), usage(timestamp=START - 20 * HOUR))
        lines = await table_of(keeper.ledger.export_ledger(ORG, WEB, Days(last=YESTERDAY)))
        assert [line["day"] for line in lines] == ["2026-11-19"]
        lines = await table_of(keeper.ledger.export_ledger(ORG, WEB, Days(TODAY, TODAY)))
        assert [line["day"] for line in lines] == ["2026-11-20"]

    run(tablewright_backend, clock, case)


def test_totals_are_exported(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(), usage(label="standard"), usage(timestamp=START - 20 * HOUR))
        clock.advance(200)
        await run_once(aggregator.worker(keeper))
        lines = await table_of(keeper.ledger.export_totals(ORG, WEB, "20261101", TODAY))
        found = {(line["day"], line["label"]): int(line["requests"]) for line in lines}
        assert found == {
            ("2026-11-19", "_all"): 1,
            ("2026-11-20", "_all"): 2,
            ("2026-11-19", "premium"): 1,
            ("2026-11-20", "premium"): 1,
            ("2026-11-20", "standard"): 1,
        }

    run(tablewright_backend, clock, case)


def test_no_cell_is_a_formula(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage()
        await record(keeper, sent)
        account = await account_of(keeper)
        for reason in ("=1+1", "@SUM(A1)", "-2+3", "+1", "\t=1", 'a "quoted", thing'):
            change = Correction(str(uuid.uuid4()), reason, output_tokens=-1)
            await keeper.corrections.correct(account, sent.request_id, change, ADMIN)
        lines = await table_of(keeper.ledger.export_ledger(ORG, WEB))
        reasons = {line["reason"] for line in lines}
        assert reasons == {"", "'=1+1", "'@SUM(A1)", "'-2+3", "'+1", "'\t=1", 'a "quoted", thing'}
        # Numbers stay numbers, below zero too.
        assert {line["output_tokens"] for line in lines} == {"300", "-1"}
        assert "-0.000015" in {line["cost_usd"] for line in lines}

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize(
    ("picos", "text"),
    [
        (0, "0"),
        (1, "0.000000000001"),
        (10**12, "1"),
        (-15 * 10**11, "-1.5"),
        (10**24, "1" + "0" * 12),
    ],
)
def test_dollars_are_exact(picos: int, text: str) -> None:
    assert export.usd(picos) == text


# --- reconciling ---------------------------------------------------------------------------------


def test_books_that_balance(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage(label=name) for name in ("premium", "standard") * 5))
        await record(keeper, usage(), app_id=BATCH)
        found = await keeper.ledger.reconcile(ORG)
        assert (found.apps, found.rows, found.counts) == (2, 11, 3)
        assert found.clean
        assert not found.differences

    run(tablewright_backend, clock, case)


async def tamper(keeper: Keeper, **changes: int) -> None:
    """Somebody has changed a counter by hand."""
    writer = keeper.recorder.writer
    assert writer is not None
    counter: Any = UsageCounter
    changed = update(UsageCounter, ORG, WEB, "premium", int(writer) % 8, TODAY)
    await keeper.db.run(
        changed.do(*(attr(getattr(counter, name)).add(by) for name, by in changes.items()))
    )


def test_a_counter_that_lacks_something(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(5)))
        await tamper(keeper, cost_usd_picos=-7, requests=-1, rev=-1)
        found = await keeper.ledger.reconcile(ORG, WEB)
        (difference,) = found.differences
        assert (difference.key, difference.state) == (PREMIUM, "drift")
        assert (difference.missing.cost_usd_picos, difference.missing.requests) == (7, 1)
        assert not found.clean
        fixed = await keeper.ledger.reconcile(ORG, WEB, fix=True)
        assert [each.state for each in fixed.differences] == ["fixed"]
        await check_books(keeper)
        assert not (await keeper.ledger.reconcile(ORG, WEB)).differences

    run(tablewright_backend, clock, case)


def test_a_counter_that_has_too_much(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Rows may have been removed on purpose: it takes force, and totals follow all the same."""

    async def case(keeper: Keeper) -> None:
        sent = [usage() for _ in range(5)]
        outcomes = await record(keeper, *sent)
        clock.advance(200)
        await run_once(aggregator.worker(keeper))
        assert outcomes[0].row is not None
        await keeper.db.run(delete(outcomes[0].row))
        for options in ({}, {"fix": True}):
            found = await keeper.ledger.reconcile(ORG, WEB, **options)
            assert [each.state for each in found.differences] == ["above"]
        found = await keeper.ledger.reconcile(ORG, WEB, fix=True, force=True)
        assert [each.state for each in found.differences] == ["fixed"]
        amounts = await counted(keeper, PREMIUM)
        assert (amounts["requests"], amounts["input_tokens"]) == (4, 4 * 1200)
        clock.advance(200)
        await run_once(aggregator.worker(keeper), fence=2)
        lines = await table_of(keeper.ledger.export_totals(ORG, WEB, TODAY, TODAY))
        assert {line["requests"] for line in lines} == {"4"}
        assert (await keeper.ledger.reconcile(ORG, WEB)).clean

    run(tablewright_backend, clock, case)


def test_a_total_that_is_not_the_sum(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        clock.advance(200)
        await run_once(aggregator.worker(keeper))
        total = update(Total, f"ORG#{ORG}#APP#{WEB}", "premium", f"DAY#{TODAY}")
        await keeper.db.run(total.do(attr(Total.cost_usd_picos).add(5)))
        found = await keeper.ledger.reconcile(ORG, WEB)
        assert [each.state for each in found.differences] == ["total"]
        await keeper.ledger.reconcile(ORG, WEB, fix=True)
        await run_once(aggregator.worker(keeper), fence=2)
        assert not (await keeper.ledger.reconcile(ORG, WEB)).differences

    run(tablewright_backend, clock, case)


def test_a_total_that_was_never_made(tablewright_backend: Backend, clock: ManualClock) -> None:
    """As long as its mark says that somebody will, it is on its way."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        assert not (await keeper.ledger.reconcile(ORG, WEB)).differences
        clock.advance(1000)
        found = await keeper.ledger.reconcile(ORG, WEB, fix=True)
        assert [each.state for each in found.differences] == ["fixed"]
        await run_once(aggregator.worker(keeper))
        clock.advance(1000)
        assert not (await keeper.ledger.reconcile(ORG, WEB)).differences

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize(
    "key",
    [
        TotalKey(f"ORG#{ORG}", "premium", f"DAY#{TODAY}"),
        TotalKey(f"ORG#{ORG}", ALL, f"DAY#{TODAY}"),
        TotalKey(f"ORG#{ORG}#APP#{WEB}", ALL, f"DAY#{TODAY}"),
        TotalKey(f"ORG#{ORG}#APP#{WEB}", "premium", "WEEK#2026-W47"),
        TotalKey(f"ORG#{ORG}", ALL, "MONTH#202611"),
    ],
    ids="/".join,
)
def test_a_sum_of_counts_that_is_not_their_sum(
    tablewright_backend: Backend, clock: ManualClock, key: TotalKey
) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(), usage(label="standard"), usage(timestamp=START - 20 * HOUR))
        await record(keeper, usage(), app_id=BATCH)
        clock.advance(1000)
        await run_once(aggregator.worker(keeper))
        assert (await keeper.ledger.reconcile(ORG)).clean
        wrong = update(Total, *key).do(attr(Total.cost_usd_picos).add(-5), attr(Total.rev).add(-1))
        await keeper.db.run(wrong)
        found = await keeper.ledger.reconcile(ORG)
        (one,) = found.totals
        assert (one.key, one.sum.minus(one.stored).cost_usd_picos) == (key, 5)
        assert not found.clean
        of_app = await keeper.ledger.reconcile(ORG, WEB)
        assert [each.key for each in of_app.totals] == [key] * ("#APP#" in key.scope)
        assert (await keeper.ledger.reconcile(ORG, fix=True)).clean
        clock.advance(1000)
        await run_once(aggregator.worker(keeper), fence=2)
        assert not (await keeper.ledger.reconcile(ORG)).totals

    run(tablewright_backend, clock, case)


def test_a_counter_without_any_row(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        (outcome,) = await record(keeper, usage())
        await record(keeper, usage(label="standard"))
        clock.advance(1000)
        await run_once(aggregator.worker(keeper))
        assert outcome.row is not None
        await keeper.db.run(delete(outcome.row))
        (difference,) = (await keeper.ledger.reconcile(ORG)).differences
        assert (difference.key, difference.state) == (PREMIUM, "above")
        assert (await keeper.ledger.reconcile(ORG, fix=True, force=True)).clean
        assert (await counted(keeper, PREMIUM))["requests"] == 0

    run(tablewright_backend, clock, case)


def test_records_that_come_in_meanwhile_are_no_drift(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(20)))
        going = True

        async def busy() -> None:
            while going:
                await record(keeper, *(usage() for _ in range(3)))
                await asyncio.sleep(0)

        task = asyncio.create_task(busy())
        try:
            for _ in range(3):
                found = await keeper.ledger.reconcile(ORG, WEB, fix=True)
                assert {each.state for each in found.differences} <= {"busy"}
                assert not found.totals
        finally:
            going = False
            await task
        await check_books(keeper)

    run(tablewright_backend, clock, case)


def test_what_the_fold_has_missed(engine_backend: Backend, clock: ManualClock) -> None:
    """As long as the fold may still count it, it is left to it."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, *(usage() for _ in range(6)))
        waiting = await keeper.ledger.reconcile(ORG, WEB, fix=True)
        assert [each.state for each in waiting.differences] == ["waiting"]
        assert waiting.clean
        clock.advance(26 * HOUR)
        found = await keeper.ledger.reconcile(ORG, WEB, fix=True)
        assert [each.state for each in found.differences] == ["fixed"]
        assert (await check_books(keeper))[PREMIUM] == 6

    run(engine_backend, clock, case, write_mode="stream")


def test_days_that_have_begun_to_end_are_left_alone(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(timestamp=START - 2 * HOUR), usage())
        clock.advance(35 * 86_400 - HOUR)
        assert len(await rows_of(keeper)) == 1
        found = await keeper.ledger.reconcile(ORG, WEB, fix=True, force=True)
        assert (found.counts, found.differences) == (0, [])
        assert (await counted(keeper, PREMIUM))["requests"] == 2

    run(tablewright_backend, clock, case)


def test_nobody_to_reconcile(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        assert (await refused(keeper.ledger.reconcile(str(uuid.uuid4()), WEB))).status == 404

    run(tablewright_backend, clock, case)


# --- repricing -----------------------------------------------------------------------------------


def test_a_price_that_came_late(tablewright_backend: Backend, clock: ManualClock) -> None:
    """What had none, and what had another one."""

    async def case(keeper: Keeper) -> None:
        model = "late-model"
        unpriced = usage(bedrock_model_id=model)
        claimed = usage(bedrock_model_id=model, cost_usd_micros=1)
        await record(keeper, unpriced, claimed, usage(), usage(label="standard"))
        price = price_of("premium", NOW - timedelta(days=3))
        await keeper.db.run(put(price.model_copy(update={"bedrock_model_id": model})))
        half = price_of("standard", NOW - timedelta(days=2), percent=50)
        await keeper.db.run(put(half))
        clock.advance(600)  # longer than prices are kept

        seen = await keeper.ledger.reprice(ORG)
        assert (seen.rows, seen.changed, seen.applied) == (4, 3, 0)
        full, standard = 8_100_000_000, 1200 * 1_000_000 + 300 * 5_000_000
        assert seen.by_label == {"premium": 2 * full - 1_000_000, "standard": -standard // 2}
        assert len(await rows_of(keeper)) == 4

        done = await keeper.ledger.reprice(ORG, apply=ADMIN)
        assert (done.changed, done.applied, done.refused) == (3, 3, [])
        assert done.difference_picos == seen.difference_picos
        rows = await rows_of(keeper)
        assert sum(row.cost_usd_picos for row in rows) == 3 * full + standard // 2
        await check_books(keeper)

        again = await keeper.ledger.reprice(ORG, apply=ADMIN)
        assert (again.rows, again.changed) == (4, 0)

    run(tablewright_backend, clock, case)


def test_corrections_by_people_stay(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage()
        await record(keeper, sent)
        account = await account_of(keeper)
        refund = Correction(str(uuid.uuid4()), "refund", cost_picos=-1_000_000_000)
        await keeper.corrections.correct(account, sent.request_id, refund, ADMIN)
        for percent in (50, 80):
            await keeper.db.run(put(price_of("premium", NOW - timedelta(days=2), percent=percent)))
            clock.advance(600)
            done = await keeper.ledger.reprice(ORG, WEB, apply=ADMIN)
            assert done.applied == 1
            found = await keeper.ledger.record(ORG, WEB, sent.request_id)
            assert found.row.net_cost_picos == 8_100_000_000 * percent // 100 - 1_000_000_000
        assert len((await keeper.ledger.record(ORG, WEB, sent.request_id)).corrections) == 3

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize("percent", [50, 200])
def test_tokens_are_repriced_as_they_are_now(
    tablewright_backend: Backend, clock: ManualClock, percent: int
) -> None:
    async def case(keeper: Keeper) -> None:
        gone, half = usage(), usage()
        await record(keeper, gone, half)
        await correct(keeper, gone.request_id, input_tokens=-1200, output_tokens=-300)
        await correct(keeper, half.request_id, input_tokens=-600, output_tokens=-150)
        # Whoever has said what it costs has the last word.
        await correct(keeper, half.request_id, output_tokens=-50, cost_picos=0)
        await keeper.db.run(put(price_of("premium", NOW - timedelta(days=2), percent=percent)))
        clock.advance(600)
        done = await keeper.ledger.reprice(ORG, WEB, apply=ADMIN)
        assert (done.changed, done.applied, done.refused) == (1, 1, [])
        nothing = (await keeper.ledger.record(ORG, WEB, gone.request_id)).row
        assert (nothing.net_cost_picos, nothing.net_input_tokens) == (0, 0)
        rest = (await keeper.ledger.record(ORG, WEB, half.request_id)).row
        assert rest.net_cost_picos == 8_100_000_000 // 2 * percent // 100
        assert (await keeper.ledger.reprice(ORG, WEB)).changed == 0
        await check_books(keeper)

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize("percent", [50, 200])
def test_tokens_are_corrected_at_the_price_of_the_record_now(
    tablewright_backend: Backend, clock: ManualClock, percent: int
) -> None:
    async def case(keeper: Keeper) -> None:
        late = usage(bedrock_model_id="late-model")
        records = [usage(), late]
        await record(keeper, *records)
        price = price_of("premium", NOW - timedelta(days=2), percent=percent)
        await keeper.db.run(put(price))
        await keeper.db.run(put(price.model_copy(update={"bedrock_model_id": "late-model"})))
        clock.advance(600)
        assert (await keeper.ledger.reprice(ORG, WEB, apply=ADMIN)).applied == 2
        for sent in records:
            for _ in range(2):
                await correct(keeper, sent.request_id, input_tokens=-600, output_tokens=-150)
            left = (await keeper.ledger.record(ORG, WEB, sent.request_id)).row
            assert (left.net_cost_picos, left.net_input_tokens) == (0, 0)
        assert (await keeper.ledger.reprice(ORG, WEB)).changed == 0

    run(tablewright_backend, clock, case)


async def correct(keeper: Keeper, request_id: str, **amounts: int) -> None:
    correction = Correction(str(uuid.uuid4()), "a test", **amounts)
    await keeper.corrections.correct(await account_of(keeper), request_id, correction, ADMIN)


def test_only_what_is_asked_for(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(), usage(timestamp=START - 20 * HOUR), usage(label="standard"))
        await keeper.db.run(put(price_of("premium", datetime(2026, 11, 1, tzinfo=UTC), percent=10)))
        clock.advance(600)
        seen = await keeper.ledger.reprice(ORG, WEB, days=Days(TODAY, TODAY), label="premium")
        assert (seen.rows, seen.changed) == (1, 1)
        assert [each.day for each in seen.examples] == [TODAY]

    run(tablewright_backend, clock, case)
