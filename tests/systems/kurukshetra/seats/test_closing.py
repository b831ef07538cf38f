"""Registration is closed while people check out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from tests.systems.kurukshetra.checkout.crowds import Crowd, keys_of
from tests.systems.kurukshetra.checkout.support import (
    check_seats,
    checkout,
    ready,
)
from tests.systems.kurukshetra.support import (
    EVENT,
    ORGANIZER,
    caller,
    event_made,
    festival_on,
    run,
)

from tablewright.client.feed import ChangeFeed, MemoryCheckpoints
from tablewright.client.transports.wire import AsyncTransport, Request, Response
from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.events import ConfigChange
from tablewright.systems.kurukshetra.sandbox import sandbox
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend

TEAMS = 40
#: Checkouts that are through when the close begins; another one is under way.
THROUGH = 10


@dataclass
class Stage:
    """Checkouts and the close, in an order that does not depend on how fast anybody is.

    Some checkouts get through. The next one is under way when the close begins: the close meets it,
    is cancelled and has to try again. All others have seen an open event, and write after it.
    """

    crowd: Crowd = field(default_factory=Crowd)
    begun: int = 0
    under_way: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    def on(self, backend: Backend) -> Backend:
        """The store, as those who check out see it."""
        crowded = self.crowd.on(_between(backend, self._within))
        return _between(crowded, self._before)

    async def _before(self) -> None:
        self.begun += 1
        if self.begun > THROUGH + 1:
            await self.closed.wait()

    async def _within(self) -> None:
        if self.begun == THROUGH + 1:
            self.under_way.set()
            while not self.crowd.conflicts:
                await asyncio.sleep(0.001)


def _between(backend: Backend, wait: Callable[[], Awaitable[None]]) -> Backend:
    inner = backend.async_transport
    return replace(backend, async_transport=lambda: _Waiting(inner(), wait))


class _Waiting:
    """What takes a seat waits before it goes on."""

    def __init__(self, inner: AsyncTransport, wait: Callable[[], Awaitable[None]]) -> None:
        self._inner = inner
        self._wait = wait

    async def send(self, request: Request) -> Response:
        if _takes_a_seat(request):
            await self._wait()
        return await self._inner.send(request)

    async def close(self) -> None:
        await self._inner.close()


def _takes_a_seat(request: Request) -> bool:
    if request.operation != "TransactWriteItems":
        return False
    return any(place == "SEATS" for _, _, place in keys_of(request))


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

    async def close(festival: Festival, stage: Stage) -> None:
        try:
            await stage.under_way.wait()
            config = await festival.db.require(m.config(EVENT))
            body = ConfigChange(registration_open=False)
            by = await caller(festival, ORGANIZER)
            await festival.events.change(by, body, Precondition.seen(config.version))
        finally:
            stage.closed.set()

    async def told(festival: Festival, team: m.Team) -> str:
        try:
            await checkout(festival, team)
        except Problem as problem:
            return problem.code
        return "held"

    async def check() -> None:
        stage = Stage()
        store = stage.crowd.on(engine_backend)
        with sandbox(clock=clock, deliver=False) as gateway:
            async with (
                festival_on(stage.on(engine_backend), clock, sandbox_url=gateway.url) as one,
                festival_on(store, clock, sandbox_url=gateway.url) as two,
            ):
                await event_made(two, max_teams=TEAMS)
                teams = await ready(two, TEAMS)
                answers, _ = await asyncio.gather(
                    asyncio.gather(*(told(one, each) for each in teams)), close(two, stage)
                )
                assert stage.crowd.conflicts >= 1
                held = answers.count("held")
                assert held == THROUGH + 1
                assert answers.count("REGISTRATION_CLOSED") == TEAMS - held
                assert (await check_seats(one))["pending"] == held
                written = history(engine_backend)
                first_closed = [opened for opened, _ in written].index(False)
                free_then = written[first_closed][1]
                assert free_then == TEAMS - held
                assert set(written[first_closed:]) == {(False, free_then)}

    run(check())
