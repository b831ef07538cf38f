"""Everything that can happen to seats, in any order and at once: the books always agree."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.checkout.crowds import Crowd
from tests.systems.kurukshetra.checkout.support import check_seats, checkout, leader, ready, stored
from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    NOW,
    ORGANIZER,
    caller,
    event_made,
    festival_on,
    run,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.events import ConfigChange
from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
from tablewright.systems.kurukshetra.sandbox import Bank, sandbox
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend

Act = Callable[[], Awaitable[object]]
VOUCHERS = {"HALF": 3, "FREE": 2}
#: What may be answered; anything else is a fault.
REFUSED = {
    "SOLD_OUT",
    "TEAM_ENDED",
    "VOUCHER_INVALID",
    "CHECKOUT_OPEN",
    "NOT_SOLD_OUT",
    "HAS_SEAT",
    "NOT_WAITING",
    "CAPACITY_IN_USE",
    "STALE_VERSION",
    "VERSION_CONFLICT",
    "NOTHING_PAID",
    "REFUND_EXCEEDS",
    "NO_SEAT",
}


class Day:
    """A day at an event: two processes, a dozen teams, and chance."""

    def __init__(
        self, festivals: list[Festival], teams: list[m.Team], bank: Bank, clock: ManualClock
    ) -> None:
        self._festivals, self._teams, self._bank, self._clock = festivals, teams, bank, clock

    def act(self, chance: random.Random) -> Act:
        festival, team = chance.choice(self._festivals), chance.choice(self._teams)
        voucher = chance.choice([None, None, *VOUCHERS])
        seats = chance.choice([-1, 1])
        acts: list[tuple[int, Act]] = [
            (6, lambda: checkout(festival, team, voucher)),
            (4, lambda: self._pay(festival, team)),
            (3, lambda: festival.seats.enter(leader(festival, team), team.team_id)),
            (1, lambda: festival.seats.leave(leader(festival, team), team.team_id)),
            (2, festival.seats.sweep),
            (1, festival.seats.offer),
            (1, festival.payments.poll),
            (1, lambda: self._resize(festival, seats)),
            (1, lambda: self._refund(festival, team)),
        ]
        return chance.choices([act for _, act in acts], [weight for weight, _ in acts])[0]

    async def _pay(self, festival: Festival, team: m.Team) -> None:
        """For whatever order the team was given last, also when its time is over."""
        tried = await festival.db.run(m.payments_of_team(EVENT, team.team_id))
        for line in tried[-1:]:
            payment = await festival.db.require(m.payment(EVENT, line.payment_id))
            if payment.razorpay_order_id is not None:
                try:
                    self._bank.succeed(payment.razorpay_order_id)
                except Refusal:
                    return  # it is paid
                orders = festival.gateway.client.payments_of_order(payment.razorpay_order_id)
                for each in await orders:
                    await festival.payments.apply_told(each)

    async def _resize(self, festival: Festival, seats: int) -> None:
        config = await festival.db.require(m.config(EVENT))
        body = ConfigChange(max_teams=max(0, config.max_teams + seats))
        by = await caller(festival, ORGANIZER)
        await festival.events.change(by, body, Precondition.seen(config.version))

    async def _refund(self, festival: Festival, team: m.Team) -> None:
        by = await caller(festival, FINANCE)
        body = RefundIn(reason="it is off", release=True)
        await festival.refunds.refund(by, team.team_id, body)

    async def check(self) -> None:
        festival = self._festivals[0]
        await check_seats(festival)
        for code, most in VOUCHERS.items():
            left = (await festival.db.require(m.voucher(EVENT, code))).remaining
            uses = [
                await festival.db.run(m.voucher_use(EVENT, code, each.team_id))
                for each in self._teams
            ]
            assert left + sum(each is not None for each in uses) == most

    async def check_money(self) -> None:
        """What the bank has is what the teams with a seat have paid."""
        festival = self._festivals[0]
        await festival.payments.poll()
        await festival.refunds.send_due()
        rows = self._bank.store.rows("SELECT kind, amount FROM journal")
        signs = {"captured": 1, "refunded": -1, "returned": 1}
        kept = sum(signs[each["kind"]] * int(each["amount"]) for each in rows)
        teams = [await stored(festival, each) for each in self._teams]
        paid = [each.amount for each in teams if each.payment_status == "paid"]
        assert kept == sum(paid)


async def tried(act: Act) -> None:
    try:
        await act()
    except Problem as problem:
        if problem.code not in REFUSED:
            raise


async def vouchers(festival: Festival) -> None:
    week = timedelta(days=7)
    percent = {"HALF": 50, "FREE": 100}
    for code, most in VOUCHERS.items():
        made: dict[str, Any] = {"percent": percent[code], "remaining": most}
        times = {"valid_from": NOW - week, "valid_until": NOW + week}
        await festival.db.run(
            put(
                m.Voucher(
                    event_id=EVENT, code=code, created_at=NOW, updated_at=NOW, **made, **times
                )
            )
        )


@pytest.mark.parametrize(
    ("seed", "rounds"),
    [(1, 30), *(pytest.param(seed, 150, marks=pytest.mark.slow) for seed in range(2, 6))],
)
def test_the_books_agree_whatever_happens(
    engine_backend: Backend, clock: ManualClock, seed: int, rounds: int
) -> None:
    async def check() -> None:
        chance, store = random.Random(seed), Crowd(0.001).on(engine_backend)
        with sandbox(clock=clock, deliver=False) as gateway:
            async with (
                festival_on(store, clock, sandbox_url=gateway.url) as one,
                festival_on(store, clock, sandbox_url=gateway.url) as two,
            ):
                await event_made(one, max_teams=4)
                await vouchers(one)
                day = Day([one, two], await ready(one, 12), gateway.bank, clock)
                for _ in range(rounds):
                    await asyncio.gather(*(tried(day.act(chance)) for _ in range(6)))
                    await day.check()
                    clock.advance(chance.choice([1, 60, 600, 1500]))
                await day.check_money()

    run(check())
