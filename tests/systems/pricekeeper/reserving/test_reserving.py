"""Reservations: made if there is room, kept by records, given back, and swept."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.systems.pricekeeper.access.support import refused
from tests.systems.pricekeeper.reserving.support import (
    CENT,
    OF_WEB,
    OTHER,
    START,
    WHOLE,
    account_of,
    app_with,
    granted,
    open_reservations,
    org_with,
    record,
    reserving,
    store,
)
from tests.systems.pricekeeper.spending.support import Meter

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.service.problems import Problem
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.recording import exhaust
from tablewright.systems.pricekeeper.samples import NOW, ORG, TODAY, WEB
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.reservations import Reserved
from tablewright.systems.pricekeeper.shapes import ALL
from tablewright.systems.pricekeeper.spend import Exhausted
from tablewright.systems.pricekeeper.workers import sweeper
from tablewright.testing import injected
from tablewright.testing.backends import Backend, in_process


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


async def reserve(
    keeper: Keeper, cost: int, *, app_id: str = WEB, label: str = "premium", ttl: int = 120
) -> Reserved:
    return await keeper.reservations.reserve(await account_of(keeper, app_id), label, cost, ttl)


async def release(keeper: Keeper, made: Reserved, app_id: str = WEB) -> None:
    await keeper.reservations.release(await account_of(keeper, app_id), made.reservation_id)


# --- room ----------------------------------------------------------------------------------------


def test_what_fits_is_promised_and_no_more(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            await reserve(keeper, 60 * CENT)
            no = await refused(reserve(keeper, 40 * CENT + 1))
            assert (no.status, no.code) == (409, "LIMIT")
            assert no.extra["limit"] == {
                "scope": "ORG",
                "window": "DAY",
                "label": "premium",
                "quota_usd_micros": 100 * CENT,
            }
            await reserve(keeper, 40 * CENT, app_id=OTHER)
            assert await granted(keeper) == 100 * CENT
            assert (await refused(reserve(keeper, 1))).status == 409
            assert await granted(keeper) == 100 * CENT
            # The other label is unlimited, but not all of them together.
            await reserve(keeper, 50 * CENT, label="standard")
            assert (await refused(reserve(keeper, 1, label="standard"))).extra["limit"][  # type: ignore[index]
                "label"
            ] == ALL
            assert await granted(keeper, label=ALL) == 150 * CENT
            assert await granted(keeper, label="standard") == 0

    asyncio.run(scenario())


def test_more_than_the_limit_never_fits(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            assert (await refused(reserve(keeper, 100 * CENT + 1))).code == "LIMIT"
            await store(keeper, org_with(quotas={"premium": 0, "standard": None}))
            assert (await refused(reserve(keeper, 1))).code == "LIMIT"
            assert await open_reservations(keeper) == []

    asyncio.run(scenario())


def test_both_levels_have_gates(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        org = org_with(quota_scope="BOTH")
        async with reserving(
            tablewright_backend, clock, org, quotas={"premium": 30 * CENT}
        ) as keeper:
            await reserve(keeper, 30 * CENT)
            assert (await refused(reserve(keeper, 1))).extra["limit"]["scope"] == "APP"  # type: ignore[index]
            # The other app has no limit of its own.
            await reserve(keeper, 70 * CENT, app_id=OTHER)
            assert (await refused(reserve(keeper, 1, app_id=OTHER))).extra["limit"][
                "scope"
            ] == "ORG"  # type: ignore[index]
            assert await granted(keeper, OF_WEB) == 30 * CENT
            assert await granted(keeper, WHOLE) == 100 * CENT

    asyncio.run(scenario())


def test_of_many_at_once_as_many_as_fit(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            found = await asyncio.gather(
                *(reserve(keeper, 3 * CENT) for _ in range(60)), return_exceptions=True
            )
            made = [each for each in found if isinstance(each, Reserved)]
            assert len(made) == 33
            assert {each.code for each in found if isinstance(each, Problem)} == {"LIMIT"}
            assert await granted(keeper) == 99 * CENT

    asyncio.run(scenario())


@pytest.mark.parametrize("window", ["quotas_week", "quotas_month"])
def test_weeks_and_months_are_compared_with_totals(
    tablewright_backend: Backend, clock: ManualClock, window: str
) -> None:
    async def scenario() -> None:
        org = org_with(quotas={ALL: None}, **{window: {"premium": 50 * CENT}})
        async with reserving(tablewright_backend, clock, org) as keeper:
            await record(keeper, 30 * CENT)
            clock.advance(2)
            no = await refused(reserve(keeper, 21 * CENT))
            assert no.extra["limit"]["window"] == window.removeprefix("quotas_").upper()  # type: ignore[index]
            made = await reserve(keeper, 20 * CENT)
            assert made.reservation.gates == set()

    asyncio.run(scenario())


def test_a_limit_that_is_new_today_is_kept_by_its_total(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Its gate has not seen what was spent before."""

    async def scenario() -> None:
        org = org_with(quotas={ALL: None})
        async with reserving(tablewright_backend, clock, org) as keeper:
            await record(keeper, 80 * CENT)
            await store(keeper, org_with(quotas={"premium": 100 * CENT, ALL: None}))
            clock.advance(2)
            assert (await refused(reserve(keeper, 21 * CENT))).code == "LIMIT"
            await reserve(keeper, 20 * CENT)

    asyncio.run(scenario())


@pytest.mark.parametrize("pause", [0, 2000])
def test_a_limit_that_is_new_today_is_not_overrun(
    tablewright_backend: Backend, clock: ManualClock, pause: int
) -> None:
    """What was spent before counts with every promise; what is spent now counts once."""
    limited = org_with(quotas={"premium": 100 * CENT, ALL: None}, updated_at_epoch=NOW)

    async def scenario() -> None:
        async with reserving(tablewright_backend, clock, org_with(quotas={ALL: None})) as keeper:
            await record(keeper, 60 * CENT)
            before = await reserve(keeper, 10 * CENT, ttl=900)
            await store(keeper, limited)
            clock.advance(2 + pause)
            if pause:
                await run_once(sweeper.worker(keeper))
            free = 40 if pause else 30
            made = [await reserve(keeper, 10 * CENT, app_id=OTHER) for _ in range(free // 10)]
            assert (await refused(reserve(keeper, 1))).code == "LIMIT"
            # Kept for half of what was promised, to the cent of what is free again.
            await record(keeper, 5 * CENT, app_id=OTHER, reservation_id=made[0].reservation_id)
            clock.advance(2)
            assert (await refused(reserve(keeper, 5 * CENT + 1))).code == "LIMIT"
            await reserve(keeper, 5 * CENT)
            if not pause:
                await record(keeper, 4 * CENT, reservation_id=before.reservation_id)
                clock.advance(2)
                assert (await refused(reserve(keeper, 6 * CENT + 1))).code == "LIMIT"
                await reserve(keeper, 6 * CENT)

    asyncio.run(scenario())


def test_a_limit_that_was_gone_for_a_while(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            await record(keeper, 30 * CENT)
            await store(keeper, org_with(quotas={ALL: None}))
            await record(keeper, 40 * CENT)
            await store(keeper, org_with(updated_at_epoch=NOW))
            clock.advance(2)
            await reserve(keeper, 20 * CENT)
            assert (await refused(reserve(keeper, 10 * CENT + 1))).code == "LIMIT"
            await reserve(keeper, 10 * CENT)

    asyncio.run(scenario())


def test_gates_of_settings_from_before_are_not_read(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            clock.advance(2 * 86_400)
            await reserve(keeper, CENT)
            meter = Meter(keeper)
            clock.advance(30)
            await reserve(keeper, CENT)
            assert not {"gates", "open_reservations"} & set(meter.patterns())

    asyncio.run(scenario())


def test_labels_that_cannot_be_used(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            no = await refused(reserve(keeper, 1, label="economy"))
            assert (no.status, no.code) == (400, "UNKNOWN_LABEL")
            row = Exhausted(
                scope=WHOLE,
                day=TODAY,
                exhausted_labels={"premium"},
                config_version=(await account_of(keeper)).version(WHOLE),
                reason="MANUAL_OVERRIDE",
                activated_at_epoch=NOW,
                expires_at_epoch=NOW + timedelta(days=1),
            )
            await keeper.db.run(exhaust(row))
            no = await refused(reserve(keeper, 1))
            assert (no.status, no.code) == (409, "LABEL_CLOSED")

    asyncio.run(scenario())


# --- when they are on ----------------------------------------------------------------------------


def test_off_is_off(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        org = org_with(reservations="off", reservations_from_epoch=None)
        async with reserving(tablewright_backend, clock, org) as keeper:
            no = await refused(reserve(keeper, 1))
            assert (no.status, no.code) == (409, "RESERVATIONS_OFF")
            await record(keeper, 10 * CENT)
            assert await granted(keeper) == 0

    asyncio.run(scenario())


def test_they_begin_at_midnight_with_empty_gates(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        # Midnight in New York.
        midnight = START + 17 * 3600
        org = org_with(reservations_from_epoch=NOW + timedelta(hours=17))
        async with reserving(tablewright_backend, clock, org) as keeper:
            account = await account_of(keeper)
            assert account.calendar.end(TODAY) == midnight
            await record(keeper, 90 * CENT)
            no = await refused(reserve(keeper, 1))
            assert "reservations_from" in no.extra
            clock.set(midnight)
            tomorrow = account.calendar.day(midnight)
            made = await reserve(keeper, 100 * CENT)
            assert made.reservation.day == tomorrow
            assert await granted(keeper, day=tomorrow) == 100 * CENT
            # What comes late for the day before goes through no gate.
            await record(keeper, CENT, at=int(START))
            assert await granted(keeper) == 0

    asyncio.run(scenario())


# --- keeping -------------------------------------------------------------------------------------


def test_a_record_turns_a_promise_into_spend(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            made = await reserve(keeper, 50 * CENT)
            done = await record(keeper, 7 * CENT, reservation_id=made.reservation_id)
            assert done.result == "recorded"
            assert await granted(keeper) == 7 * CENT
            assert await granted(keeper, label=ALL) == 7 * CENT
            assert await open_reservations(keeper) == []
            # It may cost more than was promised: spend is never lost.
            made = await reserve(keeper, 10 * CENT)
            await record(keeper, 12 * CENT, reservation_id=made.reservation_id)
            assert await granted(keeper) == 19 * CENT

    asyncio.run(scenario())


def test_a_promise_made_elsewhere_is_kept_too(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with (
            reserving(tablewright_backend, clock) as here,
            reserving(tablewright_backend, clock) as there,
        ):
            made = await reserve(here, 50 * CENT)
            await record(there, 7 * CENT, reservation_id=made.reservation_id)
            assert await granted(there) == 7 * CENT
            # This process does not know that it is kept: it counts in full all the same.
            await record(here, 5 * CENT, reservation_id=made.reservation_id)
            assert await granted(there) == 12 * CENT

    asyncio.run(scenario())


def test_records_without_promises_go_through_the_gates(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            await record(keeper, 95 * CENT)
            await record(keeper, 10 * CENT, app_id=OTHER)
            assert await granted(keeper) == 105 * CENT
            assert (await refused(reserve(keeper, 1))).code == "LIMIT"

    asyncio.run(scenario())


def test_a_promise_is_kept_with_another_label(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            made = await reserve(keeper, 50 * CENT)
            await record(keeper, 3 * CENT, label="standard", reservation_id=made.reservation_id)
            assert await granted(keeper) == 0
            assert await granted(keeper, label=ALL) == 3 * CENT

    asyncio.run(scenario())


def test_a_repeat_moves_nothing(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            made = await reserve(keeper, 50 * CENT)
            request = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"
            for result in ("recorded", "duplicate"):
                done = await record(
                    keeper, 7 * CENT, reservation_id=made.reservation_id, request_id=request
                )
                assert done.result == result
                assert await granted(keeper) == 7 * CENT

    asyncio.run(scenario())


def test_a_late_record_counts_in_full(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            made = await reserve(keeper, 50 * CENT, ttl=60)
            clock.advance(61)
            await run_once(sweeper.worker(keeper))
            assert await granted(keeper) == 0
            done = await record(keeper, 7 * CENT, reservation_id=made.reservation_id)
            assert done.result == "recorded"
            assert await granted(keeper) == 7 * CENT

    asyncio.run(scenario())


@pytest.mark.parametrize("wrong", ["", "x", "1.2.3.4.5"])
def test_what_was_never_handed_out(
    tablewright_backend: Backend, clock: ManualClock, wrong: str
) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            account = await account_of(keeper)
            assert (await refused(keeper.reservations.find(account, wrong))).status == 422
            assert (await refused(keeper.reservations.release(account, wrong))).status == 404
            made = await reserve(keeper, CENT, app_id=OTHER)
            no = await refused(keeper.reservations.find(account, made.reservation_id))
            assert (no.status, no.code) == (422, "BAD_RESERVATION")
            assert (await refused(release(keeper, made))).status == 404
            assert await granted(keeper) == CENT

    asyncio.run(scenario())


# --- ending --------------------------------------------------------------------------------------


def test_what_is_released_is_free(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            made = await reserve(keeper, 100 * CENT)
            await release(keeper, made)
            assert await granted(keeper) == 0
            assert (await refused(release(keeper, made))).status == 404
            await reserve(keeper, 100 * CENT)
            assert await granted(keeper) == 100 * CENT

    asyncio.run(scenario())


def test_it_ends_once_whoever_ends_it(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            kept = await reserve(keeper, 10 * CENT)
            await reserve(keeper, 5 * CENT, ttl=900)
            clock.advance(121)
            await asyncio.gather(
                *(release(keeper, kept) for _ in range(3)),
                *(run_once(sweeper.worker(keeper)) for _ in range(3)),
                record(keeper, 2 * CENT, reservation_id=kept.reservation_id),
                return_exceptions=True,
            )
            assert await granted(keeper) == 7 * CENT

    asyncio.run(scenario())


def test_the_sweeper_takes_what_has_ended(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            for ttl in (1, 60, 119, 120, 900):
                await reserve(keeper, CENT, ttl=ttl)
            clock.advance(119)
            await run_once(sweeper.worker(keeper))
            assert await granted(keeper) == 2 * CENT
            await run_once(sweeper.worker(keeper))
            assert await granted(keeper) == 2 * CENT
            clock.advance(1)
            await run_once(sweeper.worker(keeper))
            assert await granted(keeper) == CENT
            counted = keeper.runtime.metrics.registry.get_sample_value
            name = "pricekeeper_reservations_total"
            assert counted(name, {"outcome": "made"}) == 5
            assert counted(name, {"outcome": "ended"}) == 4

    asyncio.run(scenario())


def test_ended_promises_of_many_pages(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        org = org_with(quotas={ALL: None, "premium": 10**9})
        async with reserving(tablewright_backend, clock, org) as keeper:
            await asyncio.gather(*(reserve(keeper, 1) for _ in range(250)))
            assert await granted(keeper) == 250
            clock.advance(121)
            await run_once(sweeper.worker(keeper))
            assert await granted(keeper) == 0
            assert await open_reservations(keeper) == []

    asyncio.run(scenario())


def test_it_gives_back_where_it_took(tablewright_backend: Backend, clock: ManualClock) -> None:
    """The limits have changed while it was open: one gate is gone, another one is new."""

    async def scenario() -> None:
        async with reserving(tablewright_backend, clock) as keeper:
            made = await reserve(keeper, 40 * CENT)
            changed = org_with(quota_scope="BOTH", quotas={"premium": 100 * CENT, ALL: None})
            await store(keeper, changed, app_with(quotas={"premium": 50 * CENT}))
            await release(keeper, made)
            assert await granted(keeper) == 0
            assert await granted(keeper, label=ALL) == 0
            assert await granted(keeper, OF_WEB) == 0

    asyncio.run(scenario())


# --- when answers are lost -----------------------------------------------------------------------


@pytest.mark.parametrize("error", ["InternalServerError", "TransactionInProgressException"])
def test_a_lost_answer_reserves_once(
    tablewright_engine: Engine, clock: ManualClock, error: str
) -> None:
    async def scenario() -> None:
        with in_process(tablewright_engine) as backend:
            async with reserving(backend, clock) as keeper:
                lost = Fault("TransactWriteItems", error=error, after=True, times=1)
                with injected(tablewright_engine, lost):
                    made = await reserve(keeper, 10 * CENT)
                assert await granted(keeper) == 10 * CENT
                with injected(tablewright_engine, lost):
                    await release(keeper, made)
                assert await granted(keeper) == 0

    asyncio.run(scenario())


def test_conflicts_are_tried_again(tablewright_engine: Engine, clock: ManualClock) -> None:
    async def scenario() -> None:
        with in_process(tablewright_engine) as backend:
            async with reserving(backend, clock) as keeper:
                conflict = Fault(
                    "TransactWriteItems",
                    error="TransactionCanceledException",
                    members={1},
                    reason="TransactionConflict",
                    times=2,
                )
                with injected(tablewright_engine, conflict):
                    await reserve(keeper, 10 * CENT)
                assert await granted(keeper) == 10 * CENT
                assert {each.org_id for each in await open_reservations(keeper)} == {ORG}

    asyncio.run(scenario())
