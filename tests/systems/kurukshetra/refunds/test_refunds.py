"""Refunds: no more than was paid, and each once, whatever the gateway does meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.systems.kurukshetra.checkout.support import check_seats, leader
from tests.systems.kurukshetra.payments.support import Till, till
from tests.systems.kurukshetra.support import FINANCE, ORGANIZER, audited, caller, refused, run

from tablewright.clock import ManualClock
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
from tablewright.systems.kurukshetra.sandbox import Misbehaviour
from tablewright.systems.kurukshetra.sandbox.faults import Fault
from tablewright.systems.kurukshetra.service.messages import REFUNDED
from tablewright.testing.backends import Backend

FEE = 99900


async def refund(at: Till, team: m.Team, amount: int | None = None, **said: object) -> m.Refund:
    by = await caller(at.festival, FINANCE)
    body = RefundIn.model_validate({"amount": amount, "reason": "cannot come", **said})
    return await at.festival.refunds.refund(by, team.team_id, body, key=uuid4().hex)


def returned(at: Till) -> list[int]:
    """What the gateway paid back."""
    return [amount for kind, _, amount in at.journal() if kind == "refunded"]


def test_scenario_12_parallel_refunds_of_more_than_there_is(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Parallel refunds above amount: one 422."""

    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            both = [refund(at, team, 60_000), refund(at, team, 60_000)]
            done = await asyncio.gather(*both, return_exceptions=True)
            problems = [each for each in done if isinstance(each, Problem)]
            assert [(each.status, each.code) for each in problems] == [(422, "REFUND_EXCEEDS")]
            assert problems[0].extra == {"refundable": FEE - 60_000}
            await at.festival.refunds.send_due()
            page = await at.payment(team)
            assert (page.payment.refundable, page.payment.refunded) == (FEE - 60_000, 60_000)
            assert page.payment.status == "partially_refunded"
            assert returned(at) == [60_000]
            assert (await at.sums())["refunded"] == 60_000
            assert (await at.mails())[REFUNDED, team.team_id] == 1

    run(scenario())


@pytest.mark.parametrize("kind", ["cut", "cut_after", "failed_after", "garbled", "throttled"])
def test_scenario_12_a_refund_without_an_answer_is_sent_again_and_made_once(
    engine_backend: Backend, clock: ManualClock, kind: str
) -> None:
    """Timeout, retry: one refund."""

    async def scenario() -> None:
        async with till(engine_backend, clock) as at:
            team = await at.paid()
            # All three tries of the request, and those of the worker after it.
            at.gateway.faults.next = [Fault(kind)] * 6  # type: ignore[arg-type]
            made = await refund(at, team, 50_000)
            assert made.status == "requested"
            assert await at.festival.refunds.send_due() == 0  # it is put off
            clock.advance(31)
            assert await at.festival.refunds.send_due() == 1
            clock.advance(61)
            assert await at.festival.refunds.send_due() == 1
            assert returned(at) == [50_000]
            page = await at.payment(team)
            assert [each.status for each in page.refunds] == ["processed"]
            assert page.payment.refundable == FEE - 50_000
            clock.advance(10_000)
            assert await at.festival.refunds.send_due() == 0

    run(scenario())


def test_a_request_that_is_repeated_is_the_same_refund(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            by, body = await caller(at.festival, FINANCE), RefundIn(amount=500, reason="x")
            same = [at.festival.refunds.refund(by, team.team_id, body, key="k") for _ in range(3)]
            made = await asyncio.gather(*same)
            assert len({each.refund_id for each in made}) == 1
            other = await at.festival.refunds.refund(by, team.team_id, body, key="l")
            assert other.refund_id != made[0].refund_id
            assert returned(at) == [500, 500]
            problem = await refused(at.festival.refunds.refund(by, team.team_id, body))
            assert (problem.status, problem.code) == (400, "IDEMPOTENCY_KEY_REQUIRED")
            assert returned(at) == [500, 500]
            found = await audited(at.festival)
            assert [action for action, _ in found].count("refund.request") == 2

    run(scenario())


def test_all_of_it_with_the_seat_goes_to_who_waits(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, event={"max_teams": 1}) as at:
            team, other = await at.paid(), await at.team(name="Waiting")
            await at.festival.seats.enter(leader(at.festival, other), other.team_id)
            made = await refund(at, team, release=True)
            assert (made.amount, made.status) == (FEE, "processed")
            assert (await at.stored(team)).payment_status == "refunded"
            assert (await at.stored(other)).payment_status == "offered"
            page = await at.payment(team)
            assert (page.payment.status, page.payment.refundable) == ("refunded", 0)
            problem = await refused(refund(at, team, 1))
            assert problem.code == "REFUND_EXCEEDS"
            await check_seats(at.festival)

    run(scenario())


def test_a_seat_without_money(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            await refund(at, team)
            by = await caller(at.festival, FINANCE)
            assert (await at.festival.refunds.release(by, team.team_id)).payment_status == (
                "refunded"
            )
            problem = await refused(at.festival.refunds.release(by, team.team_id))
            assert (problem.status, problem.code) == (409, "NOT_PAID")
            await check_seats(at.festival)

    run(scenario())


def test_who_may_and_what_is_not_there(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team, unpaid = await at.paid(), await at.team(name="Unpaid")
            organizer = await caller(at.festival, ORGANIZER)
            work = at.festival.refunds.refund(organizer, team.team_id, RefundIn(reason="x"))
            assert (await refused(work)).status == 403
            assert (await refused(refund(at, unpaid))).code == "NOTHING_PAID"
            ghost = unpaid.model_copy(update={"team_id": "nobody"})
            assert (await refused(refund(at, ghost))).status == 404
            payment = (await at.payment(team)).payment.payment_id
            assert (await refused(refund(at, unpaid, payment_id=payment))).status == 404

    run(scenario())


# --- what the gateway makes of it ----------------------------------------------------------------


def test_a_refund_that_fails_can_be_asked_for_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        wrong = Misbehaviour(fail_refund=1.0)
        async with till(tablewright_backend, clock, wrong, refund_secs=3600) as at:
            team = await at.paid()
            assert (await refund(at, team, 700)).status == "pending"
            assert (await at.payment(team)).payment.refundable == FEE - 700
            clock.advance(3601)
            await at.deliver()
            page = await at.payment(team)
            assert (page.refunds[0].status, page.payment.refundable) == ("failed", FEE)
            assert page.payment.status == "paid"
            assert "refunded" not in await at.sums()
            by = await caller(at.festival, FINANCE)
            findings = await at.festival.reconciling.findings(by)
            assert [each.kind for each in findings] == ["refund_mismatch"]
            assert (await refund(at, team, 700)).status == "pending"
            assert await at.festival.refunds.send_due() == 1  # the first one leaves the list

    run(scenario())


def test_what_nobody_tells_of_is_asked_for(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, refund_secs=600) as at:
            team = await at.paid()
            assert (await refund(at, team, 700)).status == "pending"
            for _ in range(12):
                clock.advance(60)
                await at.festival.refunds.send_due()
            clock.advance(timedelta(hours=6).total_seconds())
            await at.festival.refunds.send_due()
            page = await at.payment(team)
            assert [each.status for each in page.refunds] == ["processed"]
            assert (page.payment.status, page.payment.refunded) == ("partially_refunded", 700)
            clock.advance(10**6)
            assert await at.festival.refunds.send_due() == 0

    run(scenario())


def test_two_that_end_at_once_leave_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, refund_secs=60) as at:
            team = await at.paid()
            await refund(at, team, 50_000)
            await refund(at, team)
            clock.advance(61)
            at.gateway.bank.catch_up()
            rows = at.gateway.bank.store.rows(
                "SELECT id, body, signature FROM events WHERE type = 'refund.processed'"
            )
            told = [
                (bytes(each["body"]), {"X-Razorpay-Signature": each["signature"]}) for each in rows
            ]
            await asyncio.gather(*(at.festival.payments.webhook(*each) for each in told * 2))
            page = await at.payment(team)
            assert (page.payment.status, page.payment.refunded) == ("refunded", FEE)

    run(scenario())


# --- what the gateway does by itself -------------------------------------------------------------


def foreign(at: Till, captured: str | None, amount: int) -> None:
    """Somebody pays back at the gateway itself."""
    assert captured is not None
    at.gateway.bank.create_refund(captured, {"amount": amount})


@pytest.mark.parametrize("told", [True, False], ids=["told", "found"])
def test_a_refund_of_the_gateways_own_is_adopted_once(
    tablewright_backend: Backend, clock: ManualClock, told: bool
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            captured = (await at.payment(team)).payment.razorpay_payment_id
            foreign(at, captured, 400)
            if told:
                await at.deliver()
                await asyncio.gather(*(at.inbox.taken(*each) for each in at.inbox.came))
            report = await at.festival.reconciling.run(team.event_id, at.festival.now().date())
            kinds = Counter(each.kind for each in report.findings)
            assert kinds == ({} if told else {"refund_mismatch": 1})
            await at.festival.refunds.send_due()
            page = await at.payment(team)
            assert [(each.amount, each.origin, each.status) for each in page.refunds] == [
                (400, "gateway", "processed")
            ]
            assert (page.payment.refundable, page.payment.refunded) == (FEE - 400, 400)
            assert (await at.sums())["refunded"] == 400
            assert (await at.mails())[REFUNDED, team.team_id] == 1

    run(scenario())


def test_a_refund_that_overtakes_its_capture(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.team()
            told = at.gateway.bank.succeed(await at.ordered(team))
            foreign(at, told["razorpay_payment_id"], 400)
            # The latest comes first.
            at.gateway.bank.store.write("UPDATE deliveries SET rank = -rank")
            await at.deliver()
            await at.festival.refunds.send_due()
            page = await at.payment(team)
            assert (page.payment.status, page.payment.refundable) == ("partially_refunded", 99_500)
            assert [each.amount for each in page.refunds] == [400]
            assert (await at.stored(team)).payment_status == "paid"

    run(scenario())


def test_what_was_paid_back_over_there_is_not_paid_back_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.paid()
            captured = (await at.payment(team)).payment.razorpay_payment_id
            foreign(at, captured, FEE)
            made = await refund(at, team, FEE)
            assert made.status == "failed"
            await at.deliver()
            await at.festival.refunds.send_due()
            page = await at.payment(team)
            assert (page.payment.refundable, page.payment.status) == (0, "refunded")
            assert Counter(each.origin for each in page.refunds) == {"gateway": 1, "organizer": 1}
            assert returned(at) == [FEE]
            assert (await at.sums())["refunded"] == FEE

    run(scenario())
