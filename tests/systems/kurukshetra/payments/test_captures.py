"""Captures: however often, late or wrongly they are told, each has one effect."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.systems.kurukshetra.checkout.support import check_seats
from tests.systems.kurukshetra.messages.support import mails, send
from tests.systems.kurukshetra.payments.support import Till, leader, proof, till
from tests.systems.kurukshetra.support import EVENT, refused, run, team_made

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.kurukshetra import demo_items as d
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.sandbox import Misbehaviour
from tablewright.systems.kurukshetra.sandbox.faults import Fault
from tablewright.systems.kurukshetra.service.messages import FAILED, PAID, REFUNDED
from tablewright.systems.kurukshetra.service.payments import Captured
from tablewright.systems.kurukshetra.workers import poll_orders
from tablewright.testing.backends import Backend

FEE = 99900
_READS = ("GetItem", "BatchGetItem", "Query")


def test_scenario_06_told_five_times_in_any_order_beside_the_browser(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Webhook x5, reordered, beside verify: one effect, one mail."""

    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival)
            # As the gateway has them, before anybody heard of it.
            brought = at.gateway.bank.succeed(await at.ordered(made.team))
            at.inbox.festival = None
            rows = at.gateway.bank.store.rows("SELECT id, body, signature FROM events")
            told = [
                (
                    bytes(each["body"]),
                    {"X-Razorpay-Signature": each["signature"], "X-Razorpay-Event-Id": each["id"]},
                )
                for each in rows
            ] * 5
            random.Random(6).shuffle(told)
            answers = await asyncio.gather(
                *(at.festival.payments.webhook(*each) for each in told[:8]),
                at.festival.payments.verify(made.leader, proof(brought)),
                *(at.festival.payments.webhook(*each) for each in told[8:]),
                at.festival.payments.verify(made.members[1], proof(brought)),
            )
            assert len(answers) == 17
            team, page = await at.stored(made.team), await at.payment(made.team)
            assert (team.payment_status, team.payment_id) == ("paid", page.payment.payment_id)
            assert (page.payment.status, page.payment.refundable, page.refunds) == ("paid", FEE, ())
            sums = await at.sums()
            assert (sums["paid"], sums["revenue"]) == (1, FEE)
            mails = await at.mails()
            assert mails[PAID, made.team_id] == 1
            assert not [kind for kind, _ in mails if kind in (FAILED, REFUNDED)]
            await check_seats(at.festival)

    run(scenario())


def test_scenario_07_one_wrong_byte(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Body byte flipped: 400, no change."""

    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.team()
            at.gateway.bank.succeed(await at.ordered(team))
            before = await at.payment(team)
            row = at.gateway.bank.store.row(
                "SELECT body, signature FROM events WHERE type = 'payment.captured'"
            )
            assert row is not None
            body, headers = bytes(row["body"]), {"X-Razorpay-Signature": row["signature"]}
            for place in range(0, len(body), 97):
                garbled = body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]
                problem = await refused(at.festival.payments.webhook(garbled, headers))
                assert (problem.status, problem.code) == (400, "BAD_SIGNATURE")
            for forged in ({}, {"X-Razorpay-Signature": ""}, {"X-Razorpay-Signature": "é"}):
                problem = await refused(at.festival.payments.webhook(body, forged))
                assert problem.code == "BAD_SIGNATURE"
            assert await at.payment(team) == before
            assert (await at.stored(team)).payment_status == "pending"
            assert (await at.festival.payments.webhook(body, headers)).result == "paid"

    run(scenario())


def test_scenario_08_a_payment_counts_for_the_team_of_its_order(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """A's payment sent for B: B unpaid."""

    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            ours, theirs = await team_made(at.festival), await team_made(at.festival)
            order = await at.ordered(theirs.team)
            brought = at.gateway.bank.succeed(await at.ordered(ours.team))
            # B has another's proof; or puts its own order beside the other's payment.
            problem = await refused(at.festival.payments.verify(theirs.leader, proof(brought)))
            assert (problem.status, problem.code) == (404, "NOT_FOUND")
            crossed = proof({**brought, "razorpay_order_id": order})
            problem = await refused(at.festival.payments.verify(theirs.leader, crossed))
            assert (problem.status, problem.code) == (400, "BAD_SIGNATURE")
            await at.deliver()
            assert (await at.stored(theirs.team)).payment_status == "pending"
            assert (await at.stored(ours.team)).payment_status == "paid"
            assert (await at.payment(theirs.team)).payment.status == "created"

    run(scenario())


def test_scenario_11_nobody_was_told(tablewright_backend: Backend, clock: ManualClock) -> None:
    """All webhooks dropped: paid within 5 min."""

    async def scenario() -> None:
        async with till(tablewright_backend, clock, Misbehaviour(drop=1.0)) as at:
            team = await at.team()
            worker = poll_orders.worker(at.festival)
            await run_once(worker)
            at.gateway.bank.succeed(await at.ordered(team))
            assert await at.deliver() == 0
            assert worker.every <= 300
            clock.advance(worker.every)
            await run_once(worker)
            assert (await at.stored(team)).payment_status == "paid"
            assert not (await at.payment(team)).payment.webhook_verified
            assert (await at.mails())[PAID, team.team_id] == 1
            await run_once(worker)
            assert (await at.sums())["revenue"] == FEE

    run(scenario())


def content(payment: m.Payment) -> dict[str, object]:
    return payment.model_dump(exclude={"version"})


def test_webhook_after_the_browser_marks_the_payment_as_verified(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival)
            brought = at.gateway.bank.succeed(await at.ordered(made.team))
            paid = await at.festival.payments.verify(made.leader, proof(brought))
            assert (paid.status, paid.webhook_verified) == ("paid", False)
            clock.advance(60)
            await at.deliver()
            page = await at.payment(made.team)
            assert page.payment.webhook_verified
            assert content(page.payment) == {**content(paid), "webhook_verified": True}
            assert (await at.sums())["revenue"] == FEE
            assert (await at.mails())[PAID, made.team_id] == 1
            # Deliveries that come again are recognised, and change nothing.
            for body, headers in at.inbox.came:
                answer = await at.festival.payments.webhook(body, headers)
                assert answer.result in ("done", "duplicate", "logged")
            assert (await at.payment(made.team)).payment == page.payment

    run(scenario())


def test_webhook_of_a_second_capture_does_not_verify_the_first(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival)
            order = await at.ordered(made.team)
            brought = at.gateway.bank.succeed(order)
            await at.festival.payments.verify(made.leader, proof(brought))
            stored = (await at.payment(made.team)).payment
            # As if the payment had been paid with another capture of the same order.
            other = stored.model_copy(update={"razorpay_payment_id": "pay_other"})
            await at.festival.db.run(put(other))
            await at.deliver()
            payment = (await at.payment(made.team)).payment
            assert content(payment) == content(other)
            assert not payment.webhook_verified

    run(scenario())


def test_each_member_is_told_of_the_payment_once_with_a_link_to_the_ticket(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival, size=3, name="Owls")
            await send(at.festival, tmp_path / "before")
            at.gateway.bank.succeed(await at.ordered(made.team))
            await at.deliver()
            for body, headers in at.inbox.came:
                await at.festival.payments.webhook(body, headers)
            await send(at.festival, tmp_path)
            await send(at.festival, tmp_path)
            got = {str(each["To"]): each for each in mails(tmp_path)}
            assert len(list(mails(tmp_path))) == 3
            assert sorted(got) == sorted(str(each.email) for each in made.members)
            for member in made.members:
                text = got[str(member.email)].get_content()
                assert f"Hello {member.principal.name}," in text
                assert f"/kurukshetra/events/{EVENT}/ticket" in text
                assert "Owls" in text

    run(scenario())


# --- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("seen", [1, 5])
def test_a_delivery_takes_two_reads_and_those_of_an_effect_one_transaction(
    engine_backend: Backend, clock: ManualClock, seen: int
) -> None:
    async def scenario() -> None:
        heard: list[RequestEvent] = []
        async with till(engine_backend, clock, heard=heard) as at:
            team = await at.team()
            at.gateway.bank.succeed(await at.ordered(team))
            row = at.gateway.bank.store.row(
                "SELECT body, signature FROM events WHERE type = 'payment.captured'"
            )
            assert row is not None
            for _ in range(seen):
                # Long enough that nothing about the event is remembered.
                clock.advance(10)
                heard.clear()
                await at.festival.payments.webhook(
                    bytes(row["body"]), {"X-Razorpay-Signature": row["signature"]}
                )
            reads = [each for each in heard if each.operation in _READS]
            writes = [each for each in heard if each not in reads]
            # The first has an effect, and reads whom to tell.
            assert len(reads) == (3 if seen == 1 else 2)
            # The first has the effect; what comes again only tries to say that it was seen.
            assert [each.operation for each in writes] == (
                ["TransactWriteItems"] if seen == 1 else ["PutItem"]
            )
            assert (await at.mails())[PAID, team.team_id] == 1

    run(scenario())


def test_a_capture_writes_seven_items_with_its_mail(clock: ManualClock) -> None:
    pointers = m.Capture(
        d.payment(3, "authorized"), d.team("Null Pointers"), "pay", "card", d.notice(3, "x")
    )
    now = m.Moment(d.NOW, d.TODAY)
    # And one for the outbox.
    assert len(m.capture_payment(pointers, d.NOW, now).members) == 6  # type: ignore[attr-defined]
    assert len(m.capture_late(pointers, now).members) == 6  # type: ignore[attr-defined]
    back = d.refund(3, 3, FEE)
    for op in (m.refuse_late(pointers, back, d.NOW), m.refuse_double(pointers, back, d.NOW)):
        assert len(op.members) <= 6  # type: ignore[attr-defined]


# --- after the hold ------------------------------------------------------------------------------


async def overdue(at: Till, clock: ManualClock) -> m.Team:
    """A team that pays when its hold is over, and nobody has ended it yet."""
    team = await at.team()
    order = await at.ordered(team)
    clock.advance(26 * 60)
    at.gateway.bank.succeed(order)
    return team


def test_a_late_capture_takes_a_seat_that_is_free(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await overdue(at, clock)
            await at.deliver()
            assert (await at.stored(team)).payment_status == "paid"
            assert (await at.mails())[PAID, team.team_id] == 1
            assert await at.sums() == {
                **(await at.sums()),
                "expired": 1,
                "paid": 1,
                "revenue": FEE,
            }
            await check_seats(at.festival)

    run(scenario())


@pytest.mark.parametrize("over", [True, False], ids=["its window is over", "it is used up"])
def test_a_late_capture_takes_its_seat_at_the_price_that_was_agreed(
    tablewright_backend: Backend, clock: ManualClock, over: bool
) -> None:
    """The voucher is used again, whatever its window; if others have used it up, without it."""

    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            window = {"valid_from": d.NOW, "valid_until": d.NOW + timedelta(hours=0 if over else 1)}
            made = {"event_id": EVENT, "code": "EARLY", "created_at": d.NOW, "updated_at": d.NOW}
            await at.festival.db.run(put(m.Voucher(**made, **window, percent=50, remaining=1)))
            team, other = await at.team(), await at.team(name="Others")
            order = await at.ordered(team, "EARLY")
            clock.advance(26 * 60)
            await at.festival.seats.sweep()
            assert (await at.stored(team)).payment_status == "unpaid"
            assert (await at.festival.db.require(m.voucher(EVENT, "EARLY"))).remaining == 1
            if not over:
                await at.ordered(other, "EARLY")
            at.gateway.bank.succeed(order)
            await at.deliver()
            page = await at.payment(team)
            assert (await at.stored(team)).payment_status == "paid"
            assert (page.payment.status, page.payment.amount) == ("paid", FEE // 2)
            stored = await at.festival.db.require(m.voucher(EVENT, "EARLY"))
            assert stored.remaining == 0
            await check_seats(at.festival)

    run(scenario())


def test_a_late_capture_of_a_seat_that_went_to_another_goes_back(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock, event={"max_teams": 1}) as at:
            first = await at.team()
            order = await at.ordered(first)
            second = await at.team(name="Second")
            await at.festival.seats.enter(leader(at.festival, second), second.team_id)
            clock.advance(26 * 60)
            at.gateway.bank.succeed(order)
            await at.deliver()
            assert (await at.stored(first)).payment_status == "unpaid"
            assert (await at.stored(second)).payment_status == "offered"
            page = await at.payment(first)
            assert (page.payment.status, page.payment.refundable) == ("late", 0)
            assert [(each.amount, each.origin) for each in page.refunds] == [(FEE, "late")]
            mails = await at.mails()
            assert (mails[REFUNDED, first.team_id], mails[PAID, first.team_id]) == (1, 0)
            await at.festival.refunds.send_due()
            await at.deliver()
            page = await at.payment(first)
            assert (page.payment.status, page.refunds[0].status) == ("refunded", "processed")
            # It never was revenue, so nothing of it was paid back.
            assert not {"revenue", "refunded"} & (await at.sums()).keys()
            await check_seats(at.festival)

    run(scenario())


def test_an_order_that_is_paid_twice_pays_back_the_second(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.team()
            order = await at.ordered(team)
            at.gateway.bank.late(order, after_secs=60)
            at.gateway.bank.succeed(order)
            clock.advance(61)
            await at.deliver()
            page = await at.payment(team)
            assert (page.payment.status, page.payment.refundable) == ("paid", FEE)
            assert [each.origin for each in page.refunds] == ["double"]
            await at.festival.refunds.send_due()
            moved = at.journal()
            back = [each for each in moved if each[0] == "refunded"]
            assert len(back) == 1
            assert back[0][1] != page.payment.razorpay_payment_id
            page = await at.payment(team)
            assert (page.payment.status, page.payment.refunded) == ("paid", 0)
            assert (await at.stored(team)).payment_status == "paid"

    run(scenario())


def test_a_wrong_amount_goes_back(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.team()
            order = await at.ordered(team)
            stored = (await at.payment(team)).payment
            await at.festival.db.run(put(stored.model_copy(update={"amount": 100_000})))
            at.gateway.bank.succeed(order)
            await at.deliver()
            page = await at.payment(team)
            assert (page.payment.status, page.refunds[0].amount) == ("late", FEE)
            assert (await at.stored(team)).payment_status == "pending"

    run(scenario())


async def wrongly_paid(at: Till) -> tuple[m.Team, str]:
    """A team that holds a seat, and whose order was captured with another amount."""
    team = await at.team()
    order = await at.ordered(team)
    stored = (await at.payment(team)).payment
    await at.festival.db.run(put(stored.model_copy(update={"amount": 100_000})))
    at.gateway.bank.succeed(order)
    await at.deliver()
    assert (await at.payment(team)).payment.status == "late"
    return team, order


def test_checkout_after_a_wrong_amount_issues_a_new_order(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team, order = await wrongly_paid(at)
            free = (await at.festival.db.require(m.seats(EVENT))).free
            clock.advance(1)
            again = await at.ordered(team)
            assert again != order
            assert await at.ordered(team) == again, "two tabs share the new order"
            at.gateway.bank.succeed(again)
            await at.deliver()
            assert (await at.payment(team)).payment.status == "paid"
            after = await at.stored(team)
            assert after.payment_status == "paid"
            assert (await at.festival.db.require(m.seats(EVENT))).free == free
            assert (await at.sums())["revenue"] == 100_000

    run(scenario())


def test_right_amount_after_a_wrong_one_on_the_same_order_pays_the_held_seat(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team, order = await wrongly_paid(at)
            clock.advance(1)
            fact = Captured(order, "pay_right", 100_000, "INR", "upi")
            applied = [(await at.festival.payments.apply(fact)).result for _ in range(3)]
            assert applied == ["paid", "done", "done"]
            page = await at.payment(team)
            assert (page.payment.status, page.refunds) == ("paid", ())
            assert (await at.stored(team)).payment_id == page.payment.payment_id
            sums = await at.sums()
            assert (sums["paid"], sums["revenue"]) == (1, 100_000)

    run(scenario())


def test_second_right_amount_after_a_wrong_one_goes_back(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team, order = await wrongly_paid(at)
            facts = [Captured(order, f"pay_{n}", 100_000, "INR", "upi") for n in range(4)]
            applied = await asyncio.gather(*(at.festival.payments.apply(each) for each in facts))
            assert sorted(each.result for each in applied) == ["double"] * 3 + ["paid"]
            assert (await at.stored(team)).payment_status == "paid"
            assert (await at.sums())["paid"] == 1

    run(scenario())


# --- what is only logged -------------------------------------------------------------------------


def test_a_failed_attempt_is_told_once_and_does_not_keep_a_team_from_paying(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            team = await at.team()
            order = await at.ordered(team)
            at.gateway.bank.fail(order)
            at.gateway.bank.fail(order)
            await at.deliver()
            assert (await at.payment(team)).payment.status == "failed"
            at.gateway.bank.succeed(order)
            await at.deliver()
            assert (await at.payment(team)).payment.status == "paid"
            # What was told before comes once more, and changes nothing.
            await asyncio.gather(*(at.inbox.taken(*each) for each in at.inbox.came))
            assert (await at.payment(team)).payment.status == "paid"
            mails = await at.mails()
            assert (mails[FAILED, team.team_id], mails[PAID, team.team_id]) == (1, 1)
            assert not {400, 500} & at.inbox.answers.keys()

    run(scenario())


def test_orders_of_others_are_none_of_our_business(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            request = {"amount": FEE, "currency": "INR", "receipt": "another shop's"}
            order = at.gateway.bank.create_order(request)["id"]
            at.gateway.bank.fail(order)
            at.gateway.bank.succeed(order)
            at.gateway.bank.create_refund(
                at.gateway.bank.payments_of_order(order)["items"][0]["id"], {}
            )
            assert await at.deliver() == 6
            assert at.inbox.answers == {"unknown_order": 6}
            assert await at.festival.payments.poll() == 0

    run(scenario())


def test_a_forged_id_of_a_delivery_hides_no_capture(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            first, second = await at.team(), await at.team(name="Second")
            for team in (first, second):
                at.gateway.bank.succeed(await at.ordered(team))
            rows = at.gateway.bank.store.rows(
                "SELECT body, signature FROM events WHERE type = 'payment.captured'"
            )
            for row in rows:
                headers = {"X-Razorpay-Signature": row["signature"], "X-Razorpay-Event-Id": "same"}
                answer = await at.festival.payments.webhook(bytes(row["body"]), headers)
                assert answer.result == "paid"
            assert (await at.stored(second)).payment_status == "paid"

    run(scenario())


# --- people --------------------------------------------------------------------------------------


def test_only_members_bring_a_proof(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival)
            brought = proof(at.gateway.bank.succeed(await at.ordered(made.team)))
            stranger = replace(made.leader, participant_id=None, team_id=None)
            assert (await refused(at.festival.payments.verify(stranger, brought))).status == 404
            elsewhere = replace(made.leader, event_id="another-event")
            assert (await refused(at.festival.payments.verify(elsewhere, brought))).status == 404
            payment = await at.festival.payments.verify(made.members[1], brought)
            assert payment.status == "paid"

    run(scenario())


def test_a_gateway_that_is_away_loses_no_payment(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival)
            brought = at.gateway.bank.succeed(await at.ordered(made.team))
            at.gateway.faults.next = [Fault("failed")] * 3
            problem = await refused(at.festival.payments.verify(made.leader, proof(brought)))
            assert (problem.status, problem.code) == (503, "GATEWAY_UNAVAILABLE")
            paid = await at.festival.payments.verify(made.leader, proof(brought))
            assert (paid.status, paid.event_id) == ("paid", EVENT)

    run(scenario())


def test_a_gateway_that_takes_its_time_is_not_waited_for_until_the_request_ends(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with till(tablewright_backend, clock) as at:
            made = await team_made(at.festival)
            brought = at.gateway.bank.succeed(await at.ordered(made.team))
            patient = at.festival.runtime
            at.festival.runtime = replace(patient, settings=Settings(request_timeout_secs=0.3))
            at.gateway.faults.next = [Fault(slow=1.0)]
            problem = await refused(at.festival.payments.verify(made.leader, proof(brought)))
            assert (problem.status, problem.code) == (503, "GATEWAY_UNAVAILABLE")
            at.festival.runtime = patient
            paid = await at.festival.payments.verify(made.leader, proof(brought))
            assert paid.status == "paid"

    run(scenario())
