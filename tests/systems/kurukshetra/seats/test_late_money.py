"""Money that comes after the seat has gone to somebody else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from tests.systems.kurukshetra.checkout.support import (
    check_seats,
    checkout,
    leader,
    ready,
    stored,
    told,
)
from tests.systems.kurukshetra.support import EVENT, event_made, festival_on, run

from tablewright.clock import ManualClock
from tablewright.service.workers import run_once
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.sandbox import Running, SandboxSettings, sandbox
from tablewright.systems.kurukshetra.workers import sweep
from tablewright.testing.backends import Backend

HOLD, GRACE = timedelta(minutes=20), timedelta(minutes=5)


class Letters:
    """Deliveries of the gateway, to be brought when the test wants it."""

    def __init__(self) -> None:
        self.came: list[tuple[bytes, Mapping[str, str]]] = []

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.came.append((body, headers))
        return 200


def test_scenario_09_the_seat_goes_to_the_queue_and_late_money_back_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Expiry: seat to queue head; late capture refunded once."""
    letters = Letters()
    settings = SandboxSettings(webhook_url="http://127.0.0.1:9/hook")

    async def check(running: Running) -> None:
        async with festival_on(tablewright_backend, clock, sandbox_url=running.url) as festival:
            await event_made(festival, max_teams=1)
            slow, head = await ready(festival, 2)
            begun = await checkout(festival, slow)
            await festival.seats.enter(leader(festival, head), head.team_id)
            assert begun.order_id is not None
            running.bank.late(begun.order_id, after_secs=(HOLD + GRACE).total_seconds() + 30)
            clock.advance((HOLD + GRACE).total_seconds())
            await run_once(sweep.worker(festival))
            assert (await stored(festival, head)).payment_status == "offered"
            clock.advance(60)
            running.deliver()
            # Every delivery five times, all at once, and somebody who looks by himself.
            await asyncio.gather(
                *(festival.payments.webhook(*each) for each in letters.came * 5),
                festival.payments.poll(),
            )
            payment = await festival.db.require(m.payment(EVENT, begun.payment.payment_id))
            assert payment.status == "late"
            for _ in range(3):
                await festival.refunds.send_due()
            assert payment.razorpay_payment_id is not None
            (refund,) = running.bank.refunds_of_payment(payment.razorpay_payment_id, {})["items"]
            assert refund["amount"] == begun.amount
            mails = [each for each in await told(festival, slow) if "refund" in each]
            assert len(mails) == 1
            assert await check_seats(festival) == {"unpaid": 1, "offered": 1}

    with sandbox(settings, clock=clock, deliver=False, post=letters) as running:
        run(check(running))
