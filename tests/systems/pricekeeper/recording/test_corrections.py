"""Corrections: signed rows that count once and take nothing below zero."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from tests.systems.pricekeeper.access.support import ADMIN, refused
from tests.systems.pricekeeper.recording.support import (
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
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.service.kit import audit
from tablewright.service.problems import Problem
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.reads import total_of_period
from tablewright.systems.pricekeeper.recording import finish_total
from tablewright.systems.pricekeeper.rules.corrections import Correction
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.corrections import Corrected
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of
from tablewright.systems.pricekeeper.spend import Ledger
from tablewright.systems.pricekeeper.workers import aggregator
from tablewright.testing import injected
from tablewright.testing.backends import Backend

Case = Callable[[Keeper], Coroutine[Any, Any, None]]
TODAY = "20261120"
PREMIUM = UsageId(ORG, WEB, "premium", TODAY)
DAY = 86_400


def run(backend: Backend, clock: ManualClock, case: Case, **changes: Any) -> None:
    async def go() -> None:
        async with recording(backend, clock, org_with(**changes)) as keeper:
            await case(keeper)

    asyncio.run(go())


def correction(**changes: Any) -> Correction:
    """The last hundred tokens were never delivered."""
    said = {"correction_id": str(uuid.uuid4()), "reason": "aborted", "output_tokens": -100}
    return Correction(**{**said, **changes})


async def recorded(keeper: Keeper, **changes: Any) -> Ledger:
    (outcome,) = await record(keeper, usage(**changes))
    assert outcome.row is not None
    return outcome.row


async def correct(keeper: Keeper, row: Ledger, change: Correction) -> Corrected:
    account = await account_of(keeper)
    return await keeper.corrections.correct(account, row.request_id, change, ADMIN)


def test_a_correction_is_a_row_of_its_own(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        made = await correct(keeper, row, correction())
        assert made.result == "recorded"
        # At the record's own price, 15 dollars for a million.
        assert made.correction.cost_usd_picos == -100 * 15_000_000
        assert (made.correction.corrects, made.correction.day) == (row.request_id, TODAY)
        assert made.record.output_tokens == 300
        assert made.record.net_output_tokens == 200
        assert made.record.net_cost_picos == row.cost_usd_picos - 100 * 15_000_000
        amounts = await counted(keeper, PREMIUM)
        assert (amounts["output_tokens"], amounts["requests"], amounts["rev"]) == (200, 1, 2)
        await check_books(keeper)

    run(tablewright_backend, clock, case)


def test_a_correction_counts_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        change = correction()
        first = await correct(keeper, row, change)
        second = await correct(keeper, row, change)
        assert (first.result, second.result) == ("recorded", "duplicate")
        assert second.correction == first.correction
        assert second.record == first.record
        other = await refused(correct(keeper, row, replace(change, output_tokens=-1)))
        assert (other.status, other.code) == (409, "REQUEST_ID_REUSED")
        own = await refused(correct(keeper, row, replace(change, correction_id=row.request_id)))
        assert (own.status, own.code) == (409, "REQUEST_ID_REUSED")
        assert (await check_books(keeper))[PREMIUM] == 2

    run(tablewright_backend, clock, case)


def test_nothing_falls_below_zero(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        await correct(keeper, row, correction(output_tokens=-200))
        for change in (
            correction(output_tokens=-101),
            correction(output_tokens=0, cost_picos=-row.cost_usd_picos),
            correction(output_tokens=0, cache_read_tokens=-1),
        ):
            problem = await refused(correct(keeper, row, change))
            assert (problem.status, problem.code) == (409, "BELOW_ZERO")
        await correct(keeper, row, correction(output_tokens=-100))
        found = await keeper.ledger.record(ORG, WEB, row.request_id)
        assert found.row.net_output_tokens == 0
        await check_books(keeper)

    run(tablewright_backend, clock, case)


def test_what_cannot_be_corrected(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        made = await correct(keeper, row, correction())
        twice = await refused(correct(keeper, made.correction, correction()))
        assert (twice.status, twice.code) == (409, "IS_A_CORRECTION")
        account = await account_of(keeper)
        unknown = keeper.corrections.correct(account, str(uuid.uuid4()), correction(), ADMIN)
        assert (await refused(unknown)).status == 404
        claimed = await recorded(keeper, bedrock_model_id="new-model", cost_usd_micros=50)
        unpriced = await refused(correct(keeper, claimed, correction()))
        assert (unpriced.status, unpriced.code) == (422, "COST_NEEDED")
        await correct(keeper, claimed, correction(cost_picos=-20_000_000))
        found = await keeper.ledger.record(ORG, WEB, claimed.request_id)
        assert found.row.net_cost_picos == 30_000_000

    run(tablewright_backend, clock, case)


def test_all_corrections_of_a_record_are_found(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        made = [
            (await correct(keeper, row, correction(output_tokens=-n))).correction for n in (1, 2, 3)
        ]
        found = await keeper.ledger.record(ORG, WEB, row.request_id)
        assert list(found.corrections) == made[::-1]
        alone = await keeper.ledger.record(ORG, WEB, made[0].request_id)
        assert (alone.row, alone.corrections) == (made[0], ())

    run(tablewright_backend, clock, case)


def test_many_at_the_same_time(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Each takes 40 of 300 tokens: seven fit, whoever is first."""

    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        changes = [correction(output_tokens=-40) for _ in range(10)]
        told = await asyncio.gather(
            *(correct(keeper, row, each) for each in changes), return_exceptions=True
        )
        made = [each for each in told if isinstance(each, Corrected)]
        problems = [each.code for each in told if isinstance(each, Problem)]
        assert (len(made), problems) == (7, ["BELOW_ZERO"] * 3)
        found = await keeper.ledger.record(ORG, WEB, row.request_id)
        assert found.row.net_output_tokens == 20
        assert len(found.corrections) == 7
        await check_books(keeper)

    run(tablewright_backend, clock, case)


@pytest.mark.parametrize("after", [False, True])
def test_a_lost_answer(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, after: bool
) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        with injected(
            tablewright_engine, Fault("TransactWriteItems", drop=True, after=after, times=1)
        ):
            assert (await correct(keeper, row, correction())).result == "recorded"
        assert (await check_books(keeper))[PREMIUM] == 2

    run(engine_backend, clock, case)


def test_a_correction_of_a_day_that_was_final(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It is open again, and its totals are made again, weeks later too."""
    keys = [
        TotalKey(scope, label, f"DAY#{TODAY}")
        for scope in (scope_of(ORG), scope_of(ORG, WEB))
        for label in ("premium", ALL)
    ]

    async def totals(keeper: Keeper) -> list[tuple[bool, int]]:
        found = [await keeper.db.run(total_of_period(*key)) for key in keys]
        return [(each.final, each.output_tokens) for each in found if each is not None]

    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        clock.advance(200)
        await run_once(aggregator.worker(keeper))
        for key in keys:
            await keeper.db.run(finish_total(key, fence=10))
        assert await totals(keeper) == [(True, 300)] * 4
        clock.set(START + 20 * DAY)
        # New counts have other shards by now; this one keeps its own.
        await keeper.db.run(put(org_with(agg_shard_count=2, version=1)))
        keeper.directory.forget(ORG)
        await correct(keeper, row, correction())
        assert [final for final, _ in await totals(keeper)] == [False] * 4
        clock.advance(200)
        await run_once(aggregator.worker(keeper), fence=11)
        assert [tokens for _, tokens in await totals(keeper)] == [200] * 4
        await check_books(keeper)

    run(tablewright_backend, clock, case)


def test_who_corrected_what_is_in_the_audit(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        await correct(keeper, row, correction())
        await correct(keeper, row, correction(reason="again"))
        page = await audit.entries(
            keeper.db, since=START - 10, until=START + 10, limit=10, action="record.correct"
        )
        assert {entry.actor for entry in page} == {ADMIN.id}
        assert {entry.detail["reason"] for entry in page} == {"aborted", "again"}
        assert {entry.detail["request_id"] for entry in page} == {row.request_id}

    run(tablewright_backend, clock, case)


def test_a_correction_is_one_transaction(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """If it is refused, nothing of it is there."""

    async def case(keeper: Keeper) -> None:
        row = await recorded(keeper)
        before = await counted(keeper, PREMIUM), await rows_of(keeper)
        await refused(correct(keeper, row, correction(output_tokens=-301)))
        assert (await counted(keeper, PREMIUM), await rows_of(keeper)) == before
        page = await audit.entries(keeper.db, since=START - 10, until=START + 10, limit=10)
        assert not [entry for entry in page if entry.action == "record.correct"]

    run(engine_backend, clock, case)
