"""The queue: getting in and out, and the seat that is free for its head."""

from __future__ import annotations

import asyncio
from datetime import timedelta

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
    NOW,
    ORGANIZER,
    audited,
    caller,
    event_made,
    festival_on,
    refused,
    run,
)

from tablewright.clock import ManualClock
from tablewright.service.workers import run_once
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.seats import Place
from tablewright.systems.kurukshetra.workers import promote, sweep
from tablewright.testing.backends import Backend

HOLD, GRACE = timedelta(minutes=20), timedelta(minutes=5)
OFFERED = "kurukshetra.seat.offered"


async def enter(festival: Festival, team: m.Team) -> Place:
    return await festival.seats.enter(leader(festival, team), team.team_id)


async def leave(festival: Festival, team: m.Team) -> m.Team:
    return await festival.seats.leave(leader(festival, team), team.team_id)


async def more_seats(festival: Festival, seats: int) -> None:
    config = await festival.db.require(m.config(EVENT))
    larger = config.model_copy(update={"max_teams": config.max_teams + seats})
    await festival.db.run(m.change_config(larger, seats, festival.now()))


def test_first_come_first_served(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=1, max_waitlist=3)
            first, *others = await ready(festival, 6)
            assert (await refused(enter(festival, first))).code == "NOT_SOLD_OUT"
            await checkout(festival, first)
            assert (await refused(enter(festival, first))).code == "HAS_SEAT"
            places = [await enter(festival, each) for each in others[:3]]
            assert [each.ahead for each in places] == [0, 1, 2]
            assert (await enter(festival, others[2])).ahead == 2
            assert (await refused(enter(festival, others[3]))).code == "WAITLIST_FULL"
            assert (await refused(checkout(festival, others[1]))).code == "SOLD_OUT"
            left = await leave(festival, others[0])
            assert (left.payment_status, left.wait_position) == ("unpaid", None)
            assert await leave(festival, others[0]) == left
            assert (await refused(leave(festival, first))).code == "NOT_WAITING"
            assert await festival.seats.place(await stored(festival, others[2])) == 1
            assert (await enter(festival, others[3])).ahead == 2
            # A seat that is free is for who waits, also before anybody has offered it.
            await more_seats(festival, 1)
            assert (await refused(checkout(festival, others[4]))).code == "SOLD_OUT"
            assert (await stored(festival, others[1])).payment_status == "offered"
            await check_seats(festival)

    run(check())


def test_the_seat_of_a_hold_that_ends_goes_to_the_head_of_the_queue(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """And on to the next, if its offer is not taken; nobody else can take it between."""

    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=1, offer_hours=2)
            first, head, second, late = await ready(festival, 4)
            await checkout(festival, first)
            await enter(festival, head)
            await enter(festival, second)
            clock.advance((HOLD + GRACE).total_seconds())
            await run_once(sweep.worker(festival))
            offered = await stored(festival, head)
            ends = festival.now() + timedelta(hours=2)
            assert (offered.payment_status, offered.hold_expires_at) == ("offered", ends)
            assert offered.wait_position is None
            assert await told(festival, head) == [OFFERED]
            assert (await refused(checkout(festival, late))).code == "SOLD_OUT"
            assert (await stored(festival, first)).payment_status == "unpaid"
            assert await check_seats(festival) == {"unpaid": 2, "offered": 1, "waitlisted": 1}
            clock.advance((timedelta(hours=2) + GRACE).total_seconds())
            await run_once(sweep.worker(festival))
            assert (await stored(festival, head)).payment_status == "unpaid"
            assert (await stored(festival, second)).payment_status == "offered"
            await check_seats(festival)

    run(check())


def test_an_offer_is_checked_out_and_is_not_held_shorter_for_it(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=1, offer_hours=1)
            first, early, late = await ready(festival, 3)
            await checkout(festival, first)
            await enter(festival, early)
            await enter(festival, late)
            await more_seats(festival, 2)
            await run_once(promote.worker(festival))
            until = festival.now() + timedelta(hours=1)
            assert (await checkout(festival, early)).expires_at == until
            clock.advance(55 * 60)
            begun = await checkout(festival, late)
            assert begun.expires_at == festival.now() + HOLD
            assert await check_seats(festival) == {"pending": 3}
            # Neither pays: both seats come back, and the payments are over.
            clock.advance((HOLD + GRACE).total_seconds())
            assert await festival.seats.expire_due(EVENT) == 3
            assert (await festival.seats.of(EVENT)).free == 3
            assert await check_seats(festival) == {"unpaid": 3}

    run(check())


def test_while_registration_is_closed_nothing_is_offered(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """By an organiser, that is: after its regular end the last seats still find their teams."""

    async def check() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival, max_teams=1)
            first, waits, other = await ready(festival, 3)
            await checkout(festival, first)
            await enter(festival, waits)
            config = await festival.db.require(m.config(EVENT))
            shut = config.model_copy(update={"registration_open": False})
            await festival.db.run(m.change_config(shut, 1, festival.now()))
            assert await festival.seats.promote(EVENT) == 0
            assert (await refused(enter(festival, other))).code == "REGISTRATION_CLOSED"
            opened = (await festival.db.require(m.config(EVENT))).model_copy(
                update={"registration_open": True}
            )
            await festival.db.run(m.change_config(opened, 0, festival.now()))
            clock.set((NOW + timedelta(days=15)).timestamp())
            assert await festival.seats.promote(EVENT) == 1
            await check_seats(festival)

    run(check())


def test_many_at_once_keep_the_queue_in_order(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Two processes: teams come, go and check out while seats are added and offered."""

    async def check() -> None:
        async with (
            festival_on(tablewright_backend, clock, sandbox=True) as one,
            festival_on(tablewright_backend, clock, sandbox=True) as two,
        ):
            await event_made(one, max_teams=0)
            teams = await ready(one, 24)
            await asyncio.gather(
                *(enter(one if number % 2 else two, each) for number, each in enumerate(teams))
            )
            positions = [(await stored(one, each)).wait_position for each in teams]
            assert sorted(each for each in positions if each is not None) == list(range(24))
            await asyncio.gather(
                *(leave(one, each) for each in teams[:6]),
                more_seats(one, 5),
                *(each.seats.promote(EVENT) for each in (one, two) for _ in range(3)),
                return_exceptions=True,
            )
            await two.seats.promote(EVENT)
            states = await check_seats(one)
            assert states["offered"] == 5

    run(check())


def test_organisers_may_put_a_team_into_the_queue_and_that_is_written_down(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival, max_teams=0)
            (team,) = await ready(festival, 1)
            by = await caller(festival, ORGANIZER)
            await festival.seats.enter(by, team.team_id)
            await festival.seats.leave(by, team.team_id)
            done = [action for action, _ in await audited(festival)]
            assert {"team.wait", "team.unwait"} <= set(done)

    run(check())
