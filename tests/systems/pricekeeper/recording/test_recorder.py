"""What becomes of reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    BATCH,
    ORG,
    START,
    WEB,
    account_of,
    app_with,
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
from tablewright.model import put
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.config import Label, Price
from tablewright.systems.pricekeeper.reads import ledger_row
from tablewright.systems.pricekeeper.rules.rows import Sums, UsageId
from tablewright.systems.pricekeeper.samples import label_named, price_of
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import bucket_of
from tablewright.systems.pricekeeper.spend import LEDGER_BYTES, Ledger
from tablewright.testing.backends import Backend
from tablewright.values import item_size

Case = Callable[[Keeper], Coroutine[Any, Any, None]]

TODAY, YESTERDAY = "20261120", "20261119"
PREMIUM = UsageId(ORG, WEB, "premium", TODAY)
HOUR = 3600


def run(backend: Backend, clock: ManualClock, case: Case, **options: Any) -> list[RequestEvent]:
    """Run a case; gives what was asked of the store."""
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with recording(backend, clock, heard=heard, **options) as keeper:
            await case(keeper)

    asyncio.run(go())
    return heard


def test_a_report_is_a_row_and_a_count(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage(cache_read_tokens=40, cache_write_tokens=7)
        (outcome,) = await record(keeper, sent)
        assert outcome.result == "recorded"
        row = outcome.row
        assert row is not None
        # The price of the sample model: 3, 15 and 0.3 dollars for a million tokens.
        assert row.cost_usd_picos == 1200 * 3_000_000 + 300 * 15_000_000 + 40 * 300_000
        assert (row.day, row.label, row.cost_source) == (TODAY, "premium", "PRICE")
        stored = await keeper.db.run(
            ledger_row(ORG, WEB, bucket_of(row.request_id), row.request_id)
        )
        assert stored == row
        amounts = await counted(keeper, PREMIUM)
        assert amounts == {
            "cost_usd_picos": row.cost_usd_picos,
            "input_tokens": 1200,
            "output_tokens": 300,
            "cache_read_tokens": 40,
            "cache_write_tokens": 7,
            "requests": 1,
            "errors": 0,
            "unpriced": 0,
            "rev": 1,
        }

    run(tablewright_backend, clock, case)


def test_the_same_again_is_a_duplicate(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage()
        (first,) = await record(keeper, sent)
        (second,) = await record(keeper, sent)
        assert (second.result, second.row) == ("duplicate", first.row)
        assert (await counted(keeper, PREMIUM))["requests"] == 1

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize(
    "change",
    [
        {"label": "standard"},
        {"timestamp": START - 1},
        {"status": "ERROR"},
        {"input_tokens": 1},
        {"cache_write_tokens": 1},
        {"bedrock_model_id": "another"},
        {"region_class": "geo"},
        {"service_tier": "batch"},
        {"cost_usd_micros": 1},
    ],
)
def test_an_id_with_another_payload_is_refused(
    tablewright_backend: Backend, clock: ManualClock, change: dict[str, Any]
) -> None:
    """Scenario 2: and totals stay as they are."""

    async def case(keeper: Keeper) -> None:
        sent = usage()
        await record(keeper, sent)
        before = await counted(keeper, PREMIUM)
        (outcome,) = await record(keeper, replace(sent, **change))
        assert outcome.problem is not None
        assert (outcome.problem.status, outcome.problem.code) == (409, "REQUEST_ID_REUSED")
        assert await counted(keeper, PREMIUM) == before
        assert len(await rows_of(keeper)) == 1

    run(tablewright_backend, clock, case)


def test_ids_are_an_apps_own(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage()
        assert results(await record(keeper, sent)) == ["recorded"]
        assert results(await record(keeper, sent, app_id=BATCH)) == ["recorded"]
        assert len(await check_books(keeper)) == 2

    run(tablewright_backend, clock, case)


def test_the_same_id_twice_in_a_batch(tablewright_backend: Backend, clock: ManualClock) -> None:
    """The first counts; the rest is compared with it."""

    async def case(keeper: Keeper) -> None:
        sent, other = usage(), usage()
        changed = replace(sent, output_tokens=1)
        outcomes = await record(keeper, sent, other, sent, changed, sent)
        assert results(outcomes) == [
            "recorded",
            "recorded",
            "duplicate",
            "REQUEST_ID_REUSED",
            "duplicate",
        ]
        assert outcomes[2].row == outcomes[0].row
        assert (await counted(keeper, PREMIUM))["requests"] == 2

    run(tablewright_backend, clock, case)


def test_one_bad_report_harms_no_other(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        known = usage()
        await record(keeper, known)
        outcomes = await record(
            keeper,
            usage(),
            usage(label="no-such-label"),
            usage(label="Not#a#label"),
            replace(known, output_tokens=2),
            usage(timestamp=START - 49 * HOUR),
            usage(timestamp=START + 301),
            known,
            usage(timestamp=START + 300),
            usage(timestamp=START - 48 * HOUR),
        )
        assert results(outcomes) == [
            "recorded",
            "UNKNOWN_LABEL",
            "UNKNOWN_LABEL",
            "REQUEST_ID_REUSED",
            "OUTSIDE_WINDOW",
            "OUTSIDE_WINDOW",
            "duplicate",
            "recorded",
            "recorded",
        ]
        statuses = [each.problem.status if each.problem else 0 for each in outcomes]
        assert statuses == [0, 400, 400, 409, 422, 422, 0, 0, 0]
        await check_books(keeper)

    run(tablewright_backend, clock, case)


def test_a_late_repeat_is_still_a_duplicate(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        sent = usage()
        await record(keeper, sent)
        clock.advance(20 * 24 * HOUR)
        outcomes = await record(keeper, sent, replace(sent, input_tokens=1), usage())
        assert results(outcomes) == ["duplicate", "REQUEST_ID_REUSED", "OUTSIDE_WINDOW"]

    run(tablewright_backend, clock, case)


def test_an_unchanged_retry_never_counts_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Even when its row has ended: the window ends before."""

    async def case(keeper: Keeper) -> None:
        sent = usage()
        await record(keeper, sent)
        clock.advance(35 * 24 * HOUR + 1)
        assert results(await record(keeper, sent)) == ["OUTSIDE_WINDOW"]

    run(tablewright_backend, clock, case)


def test_a_report_after_midnight_lands_on_the_day_of_the_call(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 9: a call at 23:59 in New York, sent at 00:10."""

    async def case(keeper: Keeper) -> None:
        midnight = int(datetime(2026, 11, 20, 5, tzinfo=UTC).timestamp())
        clock.set(midnight + 600)
        outcomes = await record(
            keeper, usage(timestamp=midnight - 60), usage(timestamp=midnight + 60)
        )
        assert [each.row.day for each in outcomes if each.row] == [YESTERDAY, TODAY]
        for day in (YESTERDAY, TODAY):
            assert (await counted(keeper, PREMIUM._replace(day=day)))["requests"] == 1

    run(tablewright_backend, clock, case)


def test_errors_are_counted_with_their_tokens(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage(status="ERROR"), usage())
        amounts = await counted(keeper, PREMIUM)
        assert (amounts["requests"], amounts["errors"]) == (2, 1)
        assert amounts["input_tokens"] == 2400

    run(tablewright_backend, clock, case)


def test_a_label_outside_the_ordering_is_counted_and_flagged(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        extra = label_named("economy").model_copy(update={"label": "extra"})
        await keeper.db.run(put(extra))
        (outcome,) = await record(keeper, usage(label="extra"))
        assert (outcome.result, outcome.flags) == ("recorded", {"outside_ordering"})
        assert (await counted(keeper, PREMIUM._replace(label="extra")))["requests"] == 1

    run(tablewright_backend, clock, case)


def test_cost_without_a_price(tablewright_backend: Backend, clock: ManualClock) -> None:
    """The caller's reckoning if there is one, else none at all; never a guess."""

    async def case(keeper: Keeper) -> None:
        claimed = usage(bedrock_model_id="new-model", cost_usd_micros=77)
        unknown = usage(bedrock_model_id="new-model", service_tier="flex")
        first, second = await record(keeper, claimed, unknown)
        assert first.row is not None
        assert second.row is not None
        assert (first.row.cost_source, first.row.cost_usd_picos) == ("CLIENT", 77_000_000)
        assert (second.row.cost_source, second.row.cost_usd_picos) == ("UNPRICED", 0)
        assert (first.flags, second.flags) == (frozenset(), {"unpriced"})
        assert (await counted(keeper, PREMIUM))["unpriced"] == 1
        # What was looked for is kept, so that a price can be put to it later.
        assert second.row.price_id == "region#flex#"
        assert results(await record(keeper, unknown)) == ["duplicate"]
        assert (await record(keeper, unknown))[0].flags == {"unpriced"}

    run(tablewright_backend, clock, case)


def test_where_there_is_a_price_the_callers_is_a_check(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        right, wrong = usage(cost_usd_micros=8100), usage(cost_usd_micros=8101)
        first, second = await record(keeper, right, wrong)
        assert (first.flags, second.flags) == (frozenset(), {"cost_mismatch"})
        assert first.row is not None
        assert second.row is not None
        assert first.row.cost_usd_picos == second.row.cost_usd_picos == 8_100_000_000
        assert (await record(keeper, wrong))[0].flags == {"cost_mismatch"}

    run(tablewright_backend, clock, case)


def test_a_price_change_at_noon(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Scenario 18: calls of either side cost what they cost then."""

    async def case(keeper: Keeper) -> None:
        noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
        changed: Price = price_of("premium", noon, percent=50)
        await keeper.db.run(put(changed))
        clock.set(noon.timestamp() + 60)
        before, after = int(noon.timestamp()) - 1, int(noon.timestamp())
        first, second = await record(keeper, usage(timestamp=before), usage(timestamp=after))
        assert first.row is not None
        assert second.row is not None
        assert first.row.cost_usd_picos == 2 * second.row.cost_usd_picos
        assert second.row.price_id == "region#standard#2026-11-20T12:00:00Z"

    run(tablewright_backend, clock, case)


def test_small_costs_add_up_exactly(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Scenario 18: a millionth of a dollar is more than such a call costs."""

    async def case(keeper: Keeper) -> None:
        small = {"label": "economy", "input_tokens": 20, "output_tokens": 5}
        usages = [usage(**small) for _ in range(500)]
        outcomes = await record(keeper, *usages)
        # A store that is slow leaves some open: callers send them again.
        while "STORE_UNAVAILABLE" in results(outcomes):
            outcomes = await record(keeper, *usages)
        assert set(results(outcomes)) <= {"recorded", "duplicate"}
        row = outcomes[0].row
        assert row is not None
        # 0.06 and 0.24 dollars for a million tokens.
        assert row.cost_usd_picos == 20 * 60_000 + 5 * 240_000
        amounts = await counted(keeper, PREMIUM._replace(label="economy"))
        assert amounts["cost_usd_picos"] == 500 * 2_400_000
        sums = Sums()
        for _ in range(10**6):
            sums.add(row)
        assert sums.cost_usd_picos == 10**6 * 2_400_000

    run(tablewright_backend, clock, case)


def test_capacity(engine_backend: Backend, clock: ManualClock) -> None:
    """A single record is 4 write units, 99 and their counter are 200."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        await record(keeper, *(usage() for _ in range(99)))

    heard = flushes(run(engine_backend, clock, case))
    assert [event.write_units for event in heard] == [4, 200]
    assert [event.read_units for event in heard] == [0, 0]


@pytest.mark.parametrize(("length", "units"), [(95, 1), (700, 2), (2048, 3)])
def test_a_row_costs_one_unit_unless_the_model_id_is_long(
    length: int, units: int, engine_backend: Backend, clock: ManualClock
) -> None:
    """The longest app and label leave room for a usual id; the longest id of Bedrock is taken."""

    async def case(keeper: Keeper) -> None:
        model_id = "m" * length
        long = Label(label="l" * 63, bedrock_model_id=model_id, tier="x", family="x")
        await keeper.db.run(put(long))
        app = app_with("a" * 63)
        await keeper.db.run(put(app))
        (outcome,) = await record(keeper, usage(label=long.label), app_id=app.app_id)
        assert isinstance(outcome.row, Ledger)
        assert outcome.row.bedrock_model_id == model_id
        size = item_size(Ledger.__tablewright__.encode(outcome.row))
        assert (units - 1) * LEDGER_BYTES < size <= units * LEDGER_BYTES
        await check_books(keeper)

    (flush,) = flushes(run(engine_backend, clock, case))
    # A transaction takes two units for each of the row, and the counter beside it.
    assert flush.write_units == 2 * (units + 1)


def test_a_thousand_reports_go_in_full_groups(engine_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        sent = [usage(label=("premium", "standard")[n % 2]) for n in range(490)]
        outcomes = await record(keeper, *sent)
        assert [each.request_id for each in outcomes] == [each.request_id for each in sent]
        assert set(results(outcomes)) == {"recorded"}
        await check_books(keeper)

    heard = flushes(run(engine_backend, clock, case))
    # 98 rows and 2 counters each.
    assert [event.write_units for event in heard] == [200] * 5


def test_unknown_and_disabled(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        with pytest.raises(Problem) as unknown:
            await account_of(keeper, "nobody")
        assert unknown.value.status == 404
        org = org_with().model_copy(update={"status": "DISABLED", "version": 1})
        await keeper.db.run(put(org))
        keeper.directory.forget(ORG)
        with pytest.raises(Problem) as disabled:
            await account_of(keeper)
        assert (disabled.value.status, disabled.value.code) == (403, "ORG_DISABLED")

    run(tablewright_backend, clock, case)


def test_the_last_hour_of_a_long_day(tablewright_backend: Backend, clock: ManualClock) -> None:
    """In New York, 1 November 2026 has 25 hours."""

    async def case(keeper: Keeper) -> None:
        start = datetime(2026, 11, 1, 4, tzinfo=UTC)
        clock.set((start + timedelta(hours=25)).timestamp())
        first, last = start.timestamp(), (start + timedelta(hours=25)).timestamp() - 1
        outcomes = await record(
            keeper,
            usage(timestamp=int(first)),
            usage(timestamp=int(last)),
            usage(timestamp=int(last) + 1),
        )
        assert [each.row.day for each in outcomes if each.row] == ["20261101"] * 2 + ["20261102"]

    run(tablewright_backend, clock, case)
