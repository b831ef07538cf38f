"""From a seat that is held to a ticket: the payment, the sandbox, the queue, the receipt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.console.reading import shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import (
    BASE,
    Ground,
    done,
    pages_of,
    register,
    signed_in,
    team_up,
)
from tests.systems.kurukshetra.support import ADMIN, caller, team_made

from tablewright.service.preconditions import UNSAID
from tablewright.systems.kurukshetra import paying, reads, seating
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.organising import VoucherIn
from tablewright.systems.kurukshetra.pages.pay import RAZORPAY_POLICY
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Hold
from tablewright.testing.backends import Backend

STRICT = "script-src 'self';"


def voucher(ground: Ground, event_id: str, code: str, percent: int) -> None:
    async def made() -> None:
        config = await ground.festival.events.config(event_id)
        window = {"valid_from": config.registration_start, "valid_until": config.event_end}
        said = {"code": code, "percent": percent, "remaining": 5, **window}
        by = await caller(ground.festival, ADMIN, event_id)
        body = VoucherIn.model_validate(said, strict=False)
        await ground.festival.events.vouchers.save(by, body, UNSAID)

    ground.do(made())


def test_a_team_pays_at_the_sandbox_and_has_tickets(
    ground: Ground, asha: Browser, ravi: Browser
) -> None:
    event = ground.event("pay-day")
    voucher(ground, "pay-day", "QUARTER", 25)
    team_up(asha, ravi, event, "Payers")
    pay, bank = f"{event}/pay", f"{event}/pay/sandbox"
    shows(asha.get(pay), "Hold a seat", "To pay ₹999")
    shows(ravi.get(pay), "Your leader pays")
    shows(ravi.get(f"{event}/ticket"), "No ticket yet")
    assert ravi.get(f"{event}/receipt").status_code == 404
    assert asha.get(bank).headers["location"] == pay
    wrong = asha.post(pay, {"voucher": "<b>no"})
    assert (wrong.status_code, wrong_fields(wrong)) == (422, {"voucher"})
    assert ravi.post(pay, {}).status_code == 403
    done(asha.post(pay, {"voucher": "quarter"}), pay)
    held = asha.get(pay)
    shows(held, "Your seat is held", "Voucher QUARTER −₹249.75", "To pay ₹749.25")
    assert "data-countdown" in held.text
    assert STRICT in held.headers["content-security-policy"]
    shows(asha.get(f"{event}/team"), "A seat is held for you", "Pay ₹749.25")
    shows(ravi.get(f"{event}/team"), "Your leader is paying")
    shows(asha.get(bank), "Sandbox bank", "No money moves", "₹749.25")
    done(asha.post(bank, {"act": "close"}), pay)
    done(asha.post(bank, {"act": "fail", "method": "upi"}), pay)
    shows(asha.get(pay), "Your payment was declined by the bank")
    done(asha.post(bank, {"act": "succeed", "method": "upi"}), f"{event}/team")
    page = asha.get(f"{event}/team")
    shows(page, "Paid. The seat is yours", "Your seat is paid", "Show my ticket")
    done(asha.get(pay), f"{event}/team")
    ticket = ravi.get(f"{event}/ticket")
    shows(ticket, "Ravi", "Payers", "Show this at the door")
    assert 'class="qr"' in ticket.text
    assert "CK1.pay-day." in ticket.text
    receipt = ravi.get(f"{event}/receipt")
    shows(receipt, "₹749.25", "Method UPI", "Voucher QUARTER", "Team Payers, AI & ML")
    own = page.text.partition(f"{event}/receipt?payment=")[2].partition('"')[0]
    shows(asha.get(f"{event}/receipt", params={"payment": own}), f"Receipt number {own}")
    for other in ("x", str(uuid4())):
        assert asha.get(f"{event}/receipt", params={"payment": other}).status_code == 404
    done(ravi.post(f"{event}/ticket/renew", {}), f"{event}/ticket")
    shows(ravi.get(f"{event}/ticket"), "The old one is worthless")
    assert text_of(ravi.get(f"{event}/ticket")) != text_of(ticket)


def test_money_that_takes_its_time(ground: Ground, asha: Browser, ravi: Browser) -> None:
    event = ground.event("late-day", hold_minutes=5, grace_minutes=1)
    team_up(asha, ravi, event, "Patient")
    done(asha.post(f"{event}/pay", {}), f"{event}/pay")
    late = {"act": "late", "method": "card", "after": "hour"}
    done(asha.post(f"{event}/pay/sandbox", late), f"{event}/team")
    shows(asha.get(f"{event}/team"), "The bank takes its time", "A seat is held for you")
    # After the hold has ended somebody begins anew.
    ground.clock.advance(600)
    try:
        shows(asha.get(f"{event}/pay"), "Hold a seat")
        assert asha.get(f"{event}/pay/sandbox").headers["location"] == f"{event}/pay"
    finally:
        ground.clock.advance(-600)


def test_a_full_voucher_or_no_fee_is_paid_at_once(
    ground: Ground, asha: Browser, ravi: Browser
) -> None:
    event = ground.event("gift-day")
    voucher(ground, "gift-day", "ALL", 100)
    team_up(asha, ravi, event, "Guests")
    done(asha.post(f"{event}/pay", {"voucher": "ALL"}), f"{event}/team")
    shows(asha.get(f"{event}/team"), "Nothing was left to pay", "Your seat is paid")
    alone = ground.event("free-day", team_fee=0, min_team_size=1, max_team_size=1)
    register(asha, alone, "Asha", mode="found", name="Solo")
    shows(asha.get(f"{alone}/pay"), "Take the seat", "To pay Nothing")
    done(asha.post(f"{alone}/pay", {}), f"{alone}/team")
    shows(asha.get(f"{alone}/receipt"), "₹0", "Team fee of Free Day")


def test_where_all_seats_are_taken_teams_wait(ground: Ground, asha: Browser, ravi: Browser) -> None:
    event = ground.event("queue-day", max_teams=1)
    team_up(asha, ravi, event, "Waiting")
    first = ground.do(team_made(ground.festival, "queue-day"))
    ground.do(_hold(ground, first.leader, first.team_id))
    here = f"{event}/team"
    shows(asha.get(here), "All seats are taken", "Join the waitlist")
    shows(asha.get(f"{event}/pay"), "All seats are taken")
    done(asha.post(f"{event}/pay", {}), here)
    shows(asha.get(here), "There is no seat left")
    done(asha.post(f"{here}/waitlist", {}), here)
    shows(asha.get(here), "You are next in the queue", "24 hours to pay", "Leave the queue")
    assert "1 team waits for a seat" in ravi.get(f"{event}/seats").text
    done(asha.post(f"{here}/waitlist/leave", {}), here)
    done(asha.post(f"{here}/waitlist", {}), here)
    # The seat that comes back is offered.
    ground.clock.advance(3600)
    ground.do(ground.festival.seats.expire_due("queue-day"))
    shows(asha.get(here), "A seat is yours, if you take it", "Take the seat")
    shows(ravi.get(here), "Your leader has to pay")
    done(asha.post(f"{event}/pay", {}), f"{event}/pay")
    shows(asha.get(f"{event}/pay"), "Your seat is held")
    ground.clock.advance(-3600)


async def _hold(ground: Ground, leader: Caller, team_id: str) -> None:
    """A seat for another team, which nobody pays."""
    await ground.festival.checkout.start(leader, team_id, CheckoutIn())


def test_what_a_browser_brings_is_proved(
    ground: Ground, asha: Browser, ravi: Browser, meera: Browser
) -> None:
    event = ground.event("proof-day")
    team_up(asha, ravi, event, "Proven")
    register(meera, event, "Meera", mode="later")
    done(asha.post(f"{event}/pay", {}), f"{event}/pay")
    order = asha.get(f"{event}/pay/sandbox").text.partition("<code>")[2].partition("<")[0]
    forged = {
        "razorpay_order_id": order,
        "razorpay_payment_id": "pay_made_up",
        "razorpay_signature": "0" * 64,
    }
    done(asha.post(f"{event}/pay/verify", forged), f"{event}/pay")
    shows(asha.get(f"{event}/pay"), "The signature is not that of this order")
    done(meera.post(f"{event}/pay/verify", forged), f"{event}/pay")
    shows(asha.get(f"{event}/team"), "A seat is held for you")


def test_while_the_gateway_is_away_the_seat_stays_held(engine_backend: Backend) -> None:
    away = {"TABLEWRIGHT_KURUKSHETRA_SANDBOX_URL": "http://127.0.0.1:9"}
    with (
        pages_of(engine_backend, **away) as ground,
        signed_in(ground, "asha") as asha,
        signed_in(ground, "ravi") as ravi,
    ):
        event = ground.event("away-day")
        team_up(asha, ravi, event, "Held")
        refused = asha.post(f"{event}/pay", {})
        assert refused.status_code == 503
        shows(refused, "Payments are not possible at the moment", "Your seat is held")
        shows(asha.get(f"{event}/pay"), "Your seat is held", "Hold the seat and pay")


@pytest.fixture
def at_razorpay(engine_backend: Backend) -> Iterator[Ground]:
    keys = {
        "KURUKSHETRA_GATEWAY": "razorpay",
        "RAZORPAY_KEY_ID": "rzp_test_key",
        "RAZORPAY_KEY_SECRET": "secret",
        "RAZORPAY_WEBHOOK_SECRET": "hook",
    }
    with pages_of(engine_backend, **keys) as ground:
        yield ground


def test_razorpays_script_runs_on_its_page_alone(at_razorpay: Ground) -> None:
    ground = at_razorpay
    event = ground.event("real-day")
    with signed_in(ground, "asha") as asha, signed_in(ground, "ravi") as ravi:
        team_up(asha, ravi, event, "Real")
        ground.do(_ordered(ground, "real-day", "real"))
        page = asha.get(f"{event}/pay")
        assert page.headers["content-security-policy"] == RAZORPAY_POLICY
        assert page.headers["cross-origin-opener-policy"] == "same-origin-allow-popups"
        assert "https://checkout.razorpay.com/v1/checkout.js" in page.text
        shows(page, "Pay with Razorpay")
        asked = page.text.partition('data-razorpay="')[2].partition('"')[0]
        assert "order_real" in asked
        # The payer's own address, so that they need not type it; nobody else's.
        assert "asha@example.org" in asked
        assert "ravi" not in asked.lower()
        # Elsewhere nothing of it is allowed, and the sandbox is not there.
        for path in (f"{event}/team", event, f"{BASE}/"):
            other = asha.get(path)
            assert STRICT in other.headers["content-security-policy"]
            assert "razorpay.com" not in other.text
        assert asha.get(f"{event}/pay/sandbox").status_code == 404
        assert asha.post(f"{event}/pay/sandbox", {"act": "succeed"}).status_code == 404


async def _ordered(ground: Ground, event_id: str, name: str) -> None:
    """A seat that is held, with the order that the gateway would have made."""
    db, now = ground.festival.db, ground.festival.now()
    config = await ground.festival.events.config(event_id)
    lock = await db.run(reads.team_name(event_id, name))
    assert lock is not None
    team = await db.require(reads.team(event_id, lock.owner))
    moment = ground.festival.events.moment(config)
    payment = Payment(
        event_id=event_id,
        payment_id=str(uuid4()),
        team_id=team.team_id,
        payer_ref="somebody",
        amount=config.team_fee,
        day=moment.day,
        created_at=now,
        updated_at=now,
    )
    until = now + timedelta(minutes=20)
    hold = Hold(event_id=event_id, expires_at=until, team_id=team.team_id, created_at=now)
    await db.run(seating.checkout(team, payment, hold, config.min_team_size, moment))
    stored = await db.require(reads.payment(event_id, payment.payment_id))
    await db.run(paying.attach_order(stored, "order_real", now))
