"""Our books against the gateway's: what differs is found, noted once, and put right."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.checkout.support import check_seats
from tests.systems.kurukshetra.payments.support import Till, till
from tests.systems.kurukshetra.support import EVENT, FINANCE, caller, refused, run

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.workers import run_once
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.rules.local_time import local_day
from tablewright.systems.kurukshetra.sandbox import Misbehaviour
from tablewright.systems.kurukshetra.workers import reconcile
from tablewright.testing.backends import Backend

DROPPED = Misbehaviour(drop=1.0)
FEE = 99900


def today(at: Till) -> date:
    return local_day(at.festival.now(), "Asia/Kolkata")


async def found(at: Till) -> Counter[str]:
    """What comes of today; a second look finds nothing new."""
    report = await at.festival.reconciling.run(EVENT, today(at))
    return Counter(str(each.kind) for each in report.findings)


async def noted(at: Till) -> list[m.Finding]:
    return list(await at.festival.reconciling.findings(await caller(at.festival, FINANCE)))


def test_a_capture_that_nobody_told_of_is_applied(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, DROPPED) as at:
            team = await at.team()
            at.gateway.bank.succeed(await at.ordered(team))
            assert await found(at) == {"missing_capture": 1}
            assert (await at.stored(team)).payment_status == "paid"
            assert await found(at) == {}
            (one,) = await noted(at)
            assert (one.kind, one.expected, one.found) == ("missing_capture", FEE, FEE)
            await check_seats(at.festival)

    run(scenario())


def test_the_same_thing_is_found_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, DROPPED) as at:
            team = await at.team()
            at.gateway.bank.succeed(await at.ordered(team))
            request = {"amount": FEE, "currency": "INR", "receipt": "nobody's"}
            at.gateway.bank.succeed(at.gateway.bank.create_order(request)["id"])
            assert await found(at) == {"missing_capture": 1, "unknown_order": 1}
            # What nobody has seen to is seen again, and is the same finding.
            assert await found(at) == {"unknown_order": 1}
            assert len(await noted(at)) == 2

    run(scenario())


def test_a_second_capture_goes_back_until_it_is_back(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        wrong = Misbehaviour(drop=1.0, fail_refund=1.0)
        async with till(tablewright_backend, clock, wrong) as at:
            team = await at.team()
            order = await at.ordered(team)
            at.gateway.bank.late(order, after_secs=60)
            at.gateway.bank.succeed(order)
            clock.advance(61)
            assert await found(at) == {"missing_capture": 1, "double_capture": 1}
            await at.festival.refunds.send_due()
            page = await at.payment(team)
            assert [each.status for each in page.refunds] == ["failed"]
            # The payment's own money is untouched by it.
            assert page.payment.refundable == FEE
            assert (await found(at))["double_capture"] == 1
            page = await at.payment(team)
            assert Counter(each.status for each in page.refunds) == {"failed": 1, "requested": 1}
            # While one is under way, there is no other.
            assert await found(at) == {}

    run(scenario())


def test_what_the_gateway_never_captured(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            payment = (await at.payment(team)).payment
            ghost = payment.model_copy(update={"razorpay_payment_id": "pay_made_up"})
            await at.festival.db.run(put(ghost))
            report = await at.festival.reconciling.run(EVENT, today(at))
            kinds = Counter((each.kind, each.found) for each in report.findings)
            assert kinds["amount_mismatch", 0] == 1

    run(scenario())


@pytest.mark.parametrize("told", [{"amount": 1000}, {"currency": "USD"}], ids=str)
@pytest.mark.parametrize("days", [0, 5], ids=["of the same day", "of another day"])
def test_what_was_captured_is_not_what_counts_as_paid(
    tablewright_backend: Backend, clock: ManualClock, told: dict[str, Any], days: int
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            assert await found(at) == {}
            payment = (await at.payment(team)).payment
            bank = at.gateway.bank.store
            document = bank.document("payments", payment.razorpay_payment_id or "")
            assert document is not None
            began = document["created_at"] + days * 86400
            bank.change("payments", {**document, **told, "created_at": began})
            bank.write("UPDATE payments SET created_at = ?", began)
            assert await found(at) == {"amount_mismatch": 1}
            (one,) = await noted(at)
            assert (one.payment_id, one.expected) == (payment.payment_id, FEE)
            assert one.found == told.get("amount", FEE)
            assert (await at.stored(team)).payment_status == "paid"

    run(scenario())


def test_money_of_a_wrong_amount_that_went_back_is_found_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, DROPPED) as at:
            team = await at.team()
            order = await at.ordered(team)
            brought = at.gateway.bank.succeed(order)
            bank = at.gateway.bank.store
            document = bank.document("payments", brought["razorpay_payment_id"])
            assert document is not None
            bank.change("payments", {**document, "amount": 1000})
            assert await found(at) == {"amount_mismatch": 1}
            assert (await at.payment(team)).payment.status == "late"
            assert await found(at) == {}
            await at.festival.refunds.send_due()
            assert (await at.payment(team)).payment.status == "refunded"
            assert await found(at) == {}

    run(scenario())


@pytest.mark.parametrize("processes", [1, 2])
def test_every_night_once(engine_backend: Backend, clock: ManualClock, processes: int) -> None:
    async def scenario() -> None:
        async with till(engine_backend, clock, DROPPED) as at:
            team = await at.team()
            at.gateway.bank.succeed(await at.ordered(team))
            # It is noon there.
            await at.festival.jobs.work_all()
            asked = await at.festival.reconciling.nightly()
            assert asked == 1  # nobody has looked at the day before
            clock.advance(timedelta(hours=13).total_seconds())
            assert await at.festival.reconciling.nightly() == 0
            clock.advance(timedelta(hours=1, minutes=1).total_seconds())
            for _ in range(processes):
                at.festival.reconciling._known.clear()
                await run_once(reconcile.worker(at.festival))
            by = await caller(at.festival, FINANCE)
            assert len(await at.festival.jobs.all(by, 10, None)) == 2
            await at.festival.jobs.work_all()
            latest = next(iter(await at.festival.jobs.all(by, 10, None)))
            assert (latest.state, latest.result["findings"]) == ("done", 1)
            assert (await at.stored(team)).payment_status == "paid"

    run(scenario())


def test_tomorrow_cannot_be_compared(engine_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(engine_backend, clock) as at:
            by = await caller(at.festival, FINANCE)
            tomorrow = today(at) + timedelta(days=1)
            problem = await refused(at.festival.reconciling.ask(by, tomorrow))
            assert (problem.status, problem.errors[0].field) == (422, "day")
            job = await at.festival.reconciling.ask(by)
            assert job.detail == {"day": (today(at) - timedelta(days=1)).isoformat()}

    run(scenario())


def test_job_of_a_reconciliation_ends_with_all_payments_done(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(engine_backend, clock) as at:
            for _ in range(3):
                await at.paid()
            by = await caller(at.festival, FINANCE)
            job = await at.festival.reconciling.ask(by, today(at))
            await at.festival.jobs.work_all()
            ended = await at.festival.jobs.read(by, job.job_id)
            assert (ended.state, ended.done, ended.total) == ("done", 3, 3)

    run(scenario())
