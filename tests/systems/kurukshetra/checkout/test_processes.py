"""Real processes on one durable store: no seat is given twice, no order made twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.systems.kurukshetra.checkout.support import check_seats, ready
from tests.systems.kurukshetra.support import EVENT, START, event_made, festival_on, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.server import ServerThread
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.sandbox import Running, sandbox
from tablewright.testing.backends import in_process


@dataclass
class Place:
    """A store and a gateway that other processes can reach."""

    engine: Engine
    url: str
    gateway: Running

    def prepared(self, seats: int, teams: int) -> list[str]:
        async def prepare() -> list[str]:
            with in_process(self.engine) as backend:
                async with festival_on(backend, ManualClock(START)) as festival:
                    await event_made(festival, max_teams=seats)
                    return [each.team_id for each in await ready(festival, teams)]

        return run(prepare())

    def checked(self) -> Counter[str]:
        async def check() -> Counter[str]:
            with in_process(self.engine) as backend:
                async with festival_on(backend, ManualClock(START)) as festival:
                    return await check_seats(festival)

        return run(check())

    def told(self, mode: str, teams: list[str], *more: int) -> dict[str, str]:
        command = [sys.executable, "-m", "tests.systems.kurukshetra.checkout.racer"]
        done = subprocess.run(
            [*command, mode, self.url, self.gateway.url, *map(str, more)],
            input="\n".join(teams),
            stdout=subprocess.PIPE,
            text=True,
            timeout=300,
            check=True,
        )
        told: dict[str, str] = json.loads(done.stdout)
        return told

    def orders(self) -> list[tuple[str, str]]:
        """Receipt and id of each order in the gateway's books."""
        rows = self.gateway.bank.store.rows("SELECT receipt, id FROM orders")
        return [(str(each["receipt"]), str(each["id"])) for each in rows]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with (
        Engine(tmp_path / "store", clock=ManualClock(START)) as engine,
        ServerThread(engine) as server,
        sandbox(clock=ManualClock(START), deliver=False) as gateway,
    ):
        yield Place(engine, server.url, gateway)


@pytest.mark.parametrize(
    ("teams", "seats", "processes", "clients"),
    [
        pytest.param(60, 50, 3, 8, id="reduced"),
        pytest.param(600, 500, 4, 16, id="full", marks=pytest.mark.slow),
    ],
)
def test_scenario_03_never_more_seats_than_there_are(
    place: Place, teams: int, seats: int, processes: int, clients: int
) -> None:
    """600 checkouts, 500 seats: invariant holds."""
    told = place.told("race", place.prepared(seats, teams), processes, clients)
    answers = Counter(told.values())
    assert answers.pop("SOLD_OUT") == teams - seats
    # All others have an order each, and no two the same: nobody was told BUSY.
    assert len(answers) == answers.total() == seats
    assert set(answers) == {order_id for _, order_id in place.orders()}
    assert place.checked() == {"pending": seats, "unpaid": teams - seats}


def test_scenario_05_a_process_that_is_killed_leaves_one_order(place: Place) -> None:
    """Kill between T3 and T3b, retry: one order."""
    teams = place.prepared(10, 4)
    told = place.told("killed", teams)
    orders = place.orders()
    assert sorted(told.values()) == sorted(order_id for _, order_id in orders)
    assert len(orders) == len(teams)
    assert place.checked() == {"pending": 4}
    with in_process(place.engine) as backend:
        db = backend.db()
        for team_id, order_id in told.items():
            team = db.require(m.team(EVENT, team_id))
            link = db.require(m.order_link(order_id))
            assert (link.team_id, link.payment_id) == (team_id, team.payment_id)
            assert (team.payment_id, order_id) in orders
            assert len(db.run(m.payments_of_team(EVENT, team_id))) == 1
