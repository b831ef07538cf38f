"""Real processes on one durable store: a hold is paid or over, never both."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.systems.kurukshetra.checkout.racer import Told
from tests.systems.kurukshetra.checkout.support import check_seats, checkout, leader, ready
from tests.systems.kurukshetra.support import EVENT, START, event_made, festival_on, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.server import ServerThread
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.sandbox import Running, sandbox
from tablewright.systems.kurukshetra.service.payments import Captured
from tablewright.testing.backends import in_process

#: Hold and grace.
_UNTIL = 25 * 60
#: Some wait, so that what is free is not always there for who comes late.
_WAITING = 5


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "store", clock=ManualClock(START)) as made:
        yield made


def prepared(engine: Engine, gateway: Running, teams: int) -> list[Captured]:
    """Teams that hold all seats and have paid; a few others wait."""

    async def prepare() -> list[Captured]:
        with in_process(engine) as backend:
            options = {"sandbox_url": gateway.url}
            async with festival_on(backend, ManualClock(START), **options) as festival:
                await event_made(festival, max_teams=teams)
                facts = []
                for team in await ready(festival, teams):
                    order = (await checkout(festival, team)).order_id or ""
                    paid = gateway.bank.succeed(order)["razorpay_payment_id"]
                    facts.append(Captured(order, paid, 99900, "INR", "card"))
                for team in await ready(festival, _WAITING):
                    await festival.seats.enter(leader(festival, team), team.team_id)
                return facts

    return run(prepare())


def raced(url: str, gateway: Running, facts: list[Captured]) -> tuple[Told, Told]:
    """What each payment came to, and whether its hold was ended."""
    command = [sys.executable, "-m", "tests.systems.kurukshetra.payments.racer"]
    # One second before the end of all holds, and at it.
    done = subprocess.run(
        [*command, url, gateway.url, str(START + _UNTIL - 1), str(START + _UNTIL)],
        input="\n".join(json.dumps(asdict(each)) for each in facts),
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=True,
    )
    captured, ended = json.loads(done.stdout)
    return captured, ended


@pytest.mark.parametrize(
    "races", [40, pytest.param(1000, marks=pytest.mark.slow)], ids=["reduced", "full"]
)
def test_scenario_10_paid_or_over_never_both(engine: Engine, races: int) -> None:
    """Capture v sweeper, 1,000 races: never both."""
    with (
        ServerThread(engine) as server,
        sandbox(clock=ManualClock(START), deliver=False) as gateway,
    ):
        facts = prepared(engine, gateway, races)
        told, ended = raced(server.url, gateway, facts)
    results = Counter(told.values())
    assert results["paid"] + results["late"] == results.total() == races
    swept = Counter(ended.values())
    # Some went one way and some the other, or it was no race.
    assert set(swept) == {"True", "False"}

    async def check() -> tuple[Counter[str], int]:
        with in_process(engine) as backend:
            async with festival_on(backend, ManualClock(START)) as festival:
                states = await check_seats(festival)
                day = festival.now().date()
                counted = [
                    each async for each in festival.db.iterate(m.statistics(EVENT, day, day))
                ]
                return states, sum(each.expired for each in counted)

    states, expired = run(check())
    assert states["paid"] == results["paid"]
    assert states["unpaid"] == results["late"]
    # By the sweeper, or by a capture that came too late for its hold.
    assert expired >= swept["True"]
    with in_process(engine) as backend:
        db = backend.db()
        for fact in facts:
            link = db.require(m.order_link(fact.order_id))
            page = db.run(m.payment_page(EVENT, link.payment_id))
            team = db.require(m.team(EVENT, link.team_id))
            assert page is not None
            late = told[fact.razorpay_payment_id] == "late"
            # A hold that was paid in time was not ended; one that was ended needs a seat anew.
            assert not late or ended[fact.razorpay_payment_id] == "True"
            assert page.payment.status == ("late" if late else "paid")
            assert len(page.refunds) == late
            assert team.payment_status == ("unpaid" if late else "paid")
    print(f"{races} races: {dict(results)}; holds ended: {dict(swept)}")
