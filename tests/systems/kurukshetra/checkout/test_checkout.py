"""Checkouts: a seat, an order, and every reason why not."""

from __future__ import annotations

import asyncio
import socket
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.checkout.support import (
    check_seats,
    checkout,
    leader,
    ready,
    stored,
    told,
)
from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    NOW,
    ORGANIZER,
    api_on,
    audited,
    caller,
    event_made,
    festival_on,
    refused,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend

HOLD, GRACE = timedelta(minutes=20), timedelta(minutes=5)


def orders(festival: Festival) -> list[dict[str, Any]]:
    """What the sandbox has in its books."""
    running = festival.gateway.sandbox
    assert running is not None
    return list(running.bank.orders({"count": "100"})["items"])


async def voucher(festival: Festival, code: str, **said: Any) -> None:
    week = timedelta(days=7)
    wanted = {"remaining": 10, "valid_from": NOW - week, "valid_until": NOW + week, **said}
    made = m.Voucher(event_id=EVENT, code=code, created_at=NOW, updated_at=NOW, **wanted)
    await festival.db.run(put(made))


def test_a_seat_is_held_and_an_order_made_once_for_all_who_ask(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=3)
            (team,) = await ready(festival, 1)
            first = await checkout(festival, team)
            assert (first.amount, first.currency, first.paid) == (99900, "INR", False)
            assert first.expires_at == NOW + HOLD
            assert first.key_id == festival.gateway.key_id
            # Two more tabs, and one much later: the same.
            clock.advance(60)
            again = await asyncio.gather(*(checkout(festival, team) for _ in range(2)))
            assert {each.order_id for each in again} == {first.order_id}
            (order,) = orders(festival)
            assert (order["id"], order["receipt"]) == (first.order_id, first.payment.payment_id)
            assert order["notes"] == {"event": EVENT, "team": team.team_id}
            link = await festival.db.require(m.order_link(order["id"]))
            assert (link.team_id, link.payment_id) == (team.team_id, first.payment.payment_id)
            assert (await check_seats(festival))["pending"] == 1
            assert (await festival.seats.of(EVENT)).free == 2

    run(check())


def test_tabs_that_come_at_once_share_one_order(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival)
            (team,) = await ready(festival, 1)
            tabs = await asyncio.gather(*(checkout(festival, team) for _ in range(8)))
            assert len({(each.payment.payment_id, each.order_id) for each in tabs}) == 1
            assert len(orders(festival)) == 1
            assert (await check_seats(festival))["pending"] == 1

    run(check())


def test_what_cannot_be_checked_out(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=1)
            lone = (await ready(festival, 1, size=1, name="Lone"))[0]
            gone = (await ready(festival, 1, name="Gone", payment_status="cancelled"))[0]
            first, second = await ready(festival, 2)
            assert (await refused(checkout(festival, lone))).code == "INVALID_TEAM_SIZE"
            assert (await refused(checkout(festival, gone))).code == "TEAM_ENDED"
            stranger = leader(festival, second)
            foreign = festival.checkout.start(stranger, first.team_id, CheckoutIn())
            assert (await refused(foreign)).status == 404
            finance = await caller(festival, FINANCE)
            sees = festival.checkout.start(finance, first.team_id, CheckoutIn())
            assert (await refused(sees)).status == 403
            await checkout(festival, first)
            for _ in range(2):  # the second time without trying
                assert (await refused(checkout(festival, second))).code == "SOLD_OUT"
            clock.set((NOW + timedelta(days=15)).timestamp())
            assert (await refused(checkout(festival, second))).code == "REGISTRATION_CLOSED"
            await check_seats(festival)

    run(check())


def test_organisers_act_for_a_leader_and_that_is_written_down(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(engine_backend, clock, sandbox=True) as festival:
            await event_made(festival)
            (team,) = await ready(festival, 1)
            by = await caller(festival, ORGANIZER)
            await festival.checkout.start(by, team.team_id, CheckoutIn())
            subject = f"event/{EVENT}/team/{team.team_id}"
            assert ("team.checkout", subject) in await audited(festival)

    run(check())


def test_a_hold_that_has_run_out_is_given_to_who_asks_next(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Without a sweeper: a checkout ends its own hold, and others' where nothing is free."""

    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=1)
            first, second = await ready(festival, 2)
            before = await checkout(festival, first)
            clock.set((NOW + HOLD + GRACE - timedelta(seconds=1)).timestamp())
            assert (await refused(checkout(festival, second))).code == "SOLD_OUT"
            clock.advance(1)
            after = await checkout(festival, first)
            assert after.payment.payment_id != before.payment.payment_id
            assert after.order_id != before.order_id
            old = await festival.db.require(m.payment(EVENT, before.payment.payment_id))
            assert old.status == "expired"
            clock.advance((HOLD + GRACE).total_seconds())
            await checkout(festival, second)
            assert (await stored(festival, first)).payment_status == "unpaid"
            assert (await check_seats(festival))["pending"] == 1

    run(check())


def test_vouchers(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=5)
            await voucher(festival, "HALF", percent=50, remaining=1)
            await voucher(festival, "LATER", percent=50, valid_from=NOW + timedelta(hours=1))
            first, second = await ready(festival, 2)
            for code in ("NONE-SUCH", "../x", "LATER", "x" * 50):
                assert (await refused(checkout(festival, first, code))).code == "VOUCHER_INVALID"
            begun = await checkout(festival, first, " half ")
            assert (begun.amount, begun.payment.voucher) == (49950, "HALF")
            assert (await checkout(festival, first)).order_id == begun.order_id
            assert (await refused(checkout(festival, first, "LATER"))).code == "CHECKOUT_OPEN"
            assert (await refused(checkout(festival, second, "HALF"))).code == "VOUCHER_INVALID"
            # It comes back with the seat.
            clock.advance((HOLD + GRACE).total_seconds())
            assert await festival.seats.expire_due(EVENT) == 1
            assert (await checkout(festival, second, "HALF")).amount == 49950
            await check_seats(festival)

    run(check())


def test_where_nothing_is_to_pay_the_team_is_paid_at_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=2)
            await voucher(festival, "SPONSORED", fixed=99850)
            (team,) = await ready(festival, 1)
            done = await checkout(festival, team, "SPONSORED")
            assert (done.paid, done.amount, done.order_id) == (True, 0, None)
            assert (await checkout(festival, team)).payment == done.payment
            paid = await stored(festival, team)
            assert (paid.payment_status, paid.registration_complete) == ("paid", True)
            assert (await festival.seats.of(EVENT)).free == 1
            assert festival.gateway.sandbox is None  # nobody asked the gateway
            assert await told(festival, team) == ["kurukshetra.payment.confirmed"]
            await check_seats(festival)

    run(check())


def test_while_the_gateway_is_away_the_seat_stays_held(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock) as away:
            await event_made(away)
            (team,) = await ready(away, 1)
            problem = await refused(checkout(away, team))
            assert (problem.status, problem.code) == (503, "GATEWAY_UNAVAILABLE")
            assert "Retry-After" in problem.headers
            held = await stored(away, team)
            assert held.payment_status == "pending"
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            begun = await checkout(festival, team)
            assert begun.payment.payment_id == held.payment_id
            assert len(orders(festival)) == 1
            assert (await check_seats(festival))["pending"] == 1

    run(check())


def test_a_gateway_that_does_not_answer_is_away_before_the_request_ends(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Two tabs as well: who waits for the other's turn does not wait for longer."""

    async def check() -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            brief = {"request_timeout_secs": 1.5}
            async with api_on(
                tablewright_backend, clock, settings=brief, sandbox_url=url
            ) as everybody:
                await event_made(everybody.festival)
                made = await team_made(everybody.festival)
                path = f"/events/{EVENT}/team/{made.team_id}/checkout"
                tab = everybody.as_(made.leader.principal)
                answers = await asyncio.gather(*(tab.refused("POST", path, {}) for _ in range(2)))
                assert answers == [(503, "GATEWAY_UNAVAILABLE")] * 2
                assert (await stored(everybody.festival, made.team)).payment_status == "pending"

    run(check())


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_lost_answer_of_the_store_is_no_second_seat(
    engine_backend: Backend, clock: ManualClock, after: bool
) -> None:
    """The connection breaks around T3: the client repeats it under the same token."""
    from tablewright.engine.realism import Fault, Realism

    async def check() -> None:
        async with festival_on(engine_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=2)
            (team,) = await ready(festival, 1)
            fault = Fault(["TransactWriteItems"], times=1, error="InternalServerError", after=after)
            assert engine_backend.engine is not None
            engine_backend.engine.realism = Realism(faults=(fault,))
            begun = await checkout(festival, team)
            assert (await stored(festival, team)).payment_id == begun.payment.payment_id
            assert (await festival.seats.of(EVENT)).free == 1
            await check_seats(festival)

    run(check())


def test_nobody_guesses_vouchers(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            await voucher(festival, "FOR-FRIENDS", percent=100)
            team, other = await ready(festival, 2)
            codes = [f"GUESS-{number}" for number in range(10)]
            told = [(await refused(checkout(festival, team, each))).code for each in codes]
            assert told == ["VOUCHER_INVALID"] * 10
            limited = await refused(checkout(festival, team, "FOR-FRIENDS"))
            assert (limited.status, limited.code) == (429, "RATE_LIMITED")
            assert (await checkout(festival, other, "FOR-FRIENDS")).paid
            clock.advance(60)
            assert (await checkout(festival, team, "FOR-FRIENDS")).paid

    run(check())
