"""The demo of a running system: whole, true and repeatable."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.demo.small import shrink
from tests.systems.kurukshetra.support import START, audited, festival_on

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.kit.entities import pending_in
from tablewright.service.kit.patterns import messages_in
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.live_demo import fill
from tablewright.systems.kurukshetra.live_demo.cast import (
    ASHA,
    DIYA,
    FULL,
    KABIR,
    MEERA,
    OPEN,
    OVER,
    RAVI,
    SOON,
    STAGES,
    principal_of,
)
from tablewright.systems.kurukshetra.live_demo.names import Someone
from tablewright.systems.kurukshetra.live_demo.plans import plans
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.certificates import Certificates
from tablewright.systems.kurukshetra.service.checkout import Checkout
from tablewright.systems.kurukshetra.service.door import Door
from tablewright.systems.kurukshetra.service.events import Events
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.payments import Payments
from tablewright.systems.kurukshetra.service.refunds import Refunds
from tablewright.systems.kurukshetra.service.teams import Teams
from tablewright.systems.kurukshetra.service.verifying import Verifying
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import in_process


@asynccontextmanager
async def empty(clock: ManualClock, **options: object) -> AsyncIterator[Festival]:
    """A place without anything, and nobody at work in it."""
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        async with festival_on(backend, clock, sandbox=True, **options) as festival:
            yield festival


async def caller(festival: Festival, someone: Someone, event_id: str) -> Caller:
    return await festival.access.now(principal_of(someone), event_id)


async def teams_of(festival: Festival, event_id: str) -> Counter[str]:
    every = festival.db.iterate(m.every_team())
    return Counter([each.payment_status async for each in every if each.event_id == event_id])


async def state(festival: Festival) -> dict[str, object]:
    """All that could be there twice, or be another."""
    db = festival.db
    return {
        "teams": sorted([each.model_dump_json() async for each in db.iterate(m.every_team())]),
        "people": len([each async for each in db.iterate(m.every_participant())]),
        "payments": len([each async for each in db.iterate(m.every_payment())]),
        "certificates": len([each async for each in db.iterate(m.every_certificate())]),
        "audited": sorted(await audited(festival)),
    }


# --- all of it -----------------------------------------------------------------------------------


def test_it_is_whole_and_a_second_attempt_adds_nothing() -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as festival:
            await fill(festival)
            await _check_teams(festival)
            await _check_people(festival)
            await _check_past(festival)
            # Seats, queues, members, locks and statistics are what they are made of.
            assert (await Verifying(festival).run()).findings == ()
            first = await state(festival)
            clock.advance(3600)
            await fill(festival)
            assert await state(festival) == first

    asyncio.run(scenario())


async def _check_teams(festival: Festival) -> None:
    phases = {each.event_id: (await festival.events.public(each.event_id)).phase for each in STAGES}
    assert phases == {
        OVER.event_id: "over",
        FULL.event_id: "open",
        OPEN.event_id: "open",
        SOON.event_id: "not_yet",
    }
    wanted = plans()
    for event_id, known in wanted.items():
        assert (await teams_of(festival, event_id)).total() == len(known)
    full = await teams_of(festival, FULL.event_id)
    assert set(full) == {"paid", "pending", "offered", "waitlisted", "refunded", "unpaid"}
    assert (full["offered"], full["waitlisted"], full["refunded"]) == (2, 4, 3)
    open_ = await teams_of(festival, OPEN.event_id)
    assert set(open_) == {"paid", "pending", "refunded", "unpaid"}
    assert 60 <= full.total() + open_.total() <= 75
    seats = await festival.seats.of(OPEN.event_id)
    assert seats.free > 20, "people can try it"
    payments = Counter([each.status async for each in festival.db.iterate(m.every_payment())])
    # A late one has gone back by now; one that failed is told by the gateway when somebody hears.
    assert set(payments) == {"created", "expired", "paid", "partially_refunded", "refunded"}
    origins = [each.origin for each in await _refunds(festival)]
    assert Counter(origins) == {"organizer": 6, "late": 1}


async def _refunds(festival: Festival) -> list[m.Refund]:
    found = []
    async for each in festival.db.iterate(m.every_payment()):
        page = await festival.db.run(m.payment_page(each.event_id, each.payment_id))
        assert page is not None
        found += page.refunds
    return found


async def _check_people(festival: Festival) -> None:
    """Everybody whom one can sign in as has something to do."""
    assert {each.id for each in system.demo_people} == {
        each.user_id for each in (ASHA, RAVI, MEERA, KABIR, DIYA)
    }
    assert {each.email for each in system.demo_people} == {
        each.email for each in (ASHA, RAVI, MEERA, KABIR, DIYA)
    }
    asha = await caller(festival, ASHA, OPEN.event_id)
    team = await festival.teams.read(asha, asha.team_id or "")
    assert (team.leads, team.team.payment_status, len(team.members)) == (True, "unpaid", 3)
    assert [each.email for each in team.invited] == [MEERA.email]
    ravi = await caller(festival, RAVI, OPEN.event_id)
    assert (await festival.tickets.ticket(ravi)).text.startswith(f"CK1.{OPEN.event_id}.")
    meera = await caller(festival, MEERA, OPEN.event_id)
    assert meera.participant_id is None
    kabir = await caller(festival, KABIR, FULL.event_id)
    offered = await festival.teams.read(kabir, kabir.team_id or "")
    assert (offered.leads, offered.team.payment_status) == (True, "offered")
    assert offered.team.hold_expires_at is not None
    assert offered.team.hold_expires_at > festival.now() + timedelta(hours=12)
    draft = await festival.people.draft(await caller(festival, DIYA, OPEN.event_id))
    assert draft is not None


async def _check_past(festival: Festival) -> None:
    asha = await caller(festival, ASHA, OVER.event_id)
    kinds = {each.kind: each for each in await festival.certificates.mine(asha)}
    assert set(kinds) == {"participation", "winner"}
    assert kinds["winner"].ends < kinds["winner"].issued < festival.now().date()
    since = festival.now().date() - timedelta(days=75)
    stats = await festival.statistics.of(OVER.event_id, since, festival.now().date())
    assert stats.sums.paid == OVER.seats
    assert sum(1 for each in stats.days if each.figures.registrations) >= 8, "over several weeks"
    assert stats.sums.checkins > 50
    waiting = [each async for each in festival.db.iterate(m.every_wait())]
    assert {each.event_id for each in waiting} == {OVER.event_id, FULL.event_id}
    # What people were told then does not go out now.
    subject = f"participant/{OVER.event_id}/{asha.participant_id}"
    assert not list(await festival.db.run(messages_in(pending_in(subject))))


# --- in parts ------------------------------------------------------------------------------------


class Killed(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


#: Where it is killed, one after the other, and at which call.
KILLS: tuple[tuple[type, str, int], ...] = (
    (Teams, "join", 2),
    (Checkout, "start", 1),
    (Payments, "apply_told", 2),
    (Refunds, "refund", 1),
    (Door, "batch", 1),
    (Certificates, "issue", 2),
    (Events, "create", 1),
)


def test_attempts_that_were_killed_are_finished_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shrink(monkeypatch)

    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as festival:
            for owner, act, number in KILLS:
                await _stopped_at(festival, owner, act, number, monkeypatch)
                clock.advance(40)
            await fill(festival)
            assert await teams_of(festival, OPEN.event_id) == {
                "unpaid": 2,
                "paid": 2,
                "pending": 1,
                "refunded": 1,
            }
            assert await teams_of(festival, OVER.event_id) == {"paid": 3, "unpaid": 1}
            assert (await Verifying(festival).run()).findings == ()
            asha = await caller(festival, ASHA, OVER.event_id)
            assert len(await festival.certificates.mine(asha)) == 2

    asyncio.run(scenario())


async def _stopped_at(
    festival: Festival, owner: type, act: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = getattr(owner, act), Counter[str]()

    async def killed(*args: Any, **named: Any) -> Any:
        calls[act] += 1
        if calls[act] == number:
            raise Killed
        return await real(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(owner, act, killed)
        with pytest.raises(Killed):
            await fill(festival)


def test_where_money_moves_there_is_no_demo() -> None:
    async def scenario() -> None:
        keys = {
            "gateway": "razorpay",
            "razorpay_key_id": "rzp_test_1",
            "razorpay_key_secret": "a",
            "razorpay_webhook_secret": "b",
        }
        async with empty(ManualClock(START), **keys) as festival:
            await fill(festival)
            assert not list(await festival.events.all())

    asyncio.run(scenario())
