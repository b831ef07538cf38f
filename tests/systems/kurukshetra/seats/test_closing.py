"""Registration is closed while people check out."""

from __future__ import annotations

import asyncio

from tests.systems.kurukshetra.checkout.crowds import Crowd
from tests.systems.kurukshetra.checkout.support import (
    check_seats,
    checkout,
    leader,
    ready,
    stored,
)
from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    ORGANIZER,
    caller,
    event_made,
    festival_on,
    run,
)

from tablewright.client.feed import ChangeFeed, MemoryCheckpoints
from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.events import ConfigChange
from tablewright.systems.kurukshetra.sandbox import sandbox
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend


def history(backend: Backend) -> list[tuple[bool, int]]:
    """Every state of the seats in the order in which it was written: open or not, and free."""
    feed = ChangeFeed(
        backend.db(), m.table, consumer="test", checkpoints=MemoryCheckpoints(), entities=[m.Seats]
    )
    found: list[tuple[bool, int]] = []
    while changes := feed.poll():
        for change in changes:
            seats = change.of(m.Seats)
            assert seats is not None
            assert seats.new is not None
            found.append((seats.new.registration_open, seats.new.free))
        feed.commit()
    return found


def test_scenario_17_nobody_gets_a_seat_after_the_close(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Close during checkouts: none after commit."""

    async def close(festival: Festival, after: int) -> None:
        while (await festival.seats.of(EVENT)).free > 40 - after:
            await asyncio.sleep(0)
        config = await festival.db.require(m.config(EVENT))
        body = ConfigChange(registration_open=False)
        by = await caller(festival, ORGANIZER)
        await festival.events.change(by, body, Precondition.seen(config.version))

    async def told(festival: Festival, team: m.Team) -> str:
        try:
            await checkout(festival, team)
        except Problem as problem:
            return problem.code
        return "held"

    async def check() -> None:
        # Transactions take a while there, so that the close falls between them.
        store = Crowd().on(engine_backend)
        with sandbox(clock=clock, deliver=False) as gateway:
            async with (
                festival_on(store, clock, sandbox_url=gateway.url) as one,
                festival_on(store, clock, sandbox_url=gateway.url) as two,
            ):
                await event_made(one, max_teams=40)
                teams = await ready(one, 40)
                answers, _ = await asyncio.gather(
                    asyncio.gather(*(told(one, each) for each in teams)), close(two, after=10)
                )
                held = answers.count("held")
                assert 10 <= held < 40
                assert answers.count("REGISTRATION_CLOSED") == 40 - held
                assert (await check_seats(one))["pending"] == held
                written = history(engine_backend)
                first_closed = [opened for opened, _ in written].index(False)
                free_then = written[first_closed][1]
                assert free_then == 40 - held
                assert set(written[first_closed:]) == {(False, free_then)}

    run(check())


def test_no_seat_is_offered_once_the_event_is_over(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Teams that still wait do not pay for what has been."""

    async def check() -> None:
        async with festival_on(engine_backend, clock) as festival:
            config = await event_made(festival, max_teams=1, team_fee=0)
            seated, waiting = await ready(festival, 2)
            await checkout(festival, seated)
            await festival.seats.enter(leader(festival, waiting), waiting.team_id)
            clock.set(config.event_end.timestamp() + 60)
            await festival.refunds.release(await caller(festival, FINANCE), seated.team_id)
            await festival.seats.offer()
            assert (await stored(festival, waiting)).payment_status == "waitlisted"
            clock.set(config.event_start.timestamp())
            await festival.seats.offer()
            assert (await stored(festival, waiting)).payment_status == "offered"

    run(check())
