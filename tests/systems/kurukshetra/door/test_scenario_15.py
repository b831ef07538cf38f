"""One ticket at several doors, with a network and without."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
from tests.systems.kurukshetra.support import (
    EVENT,
    NOW,
    ORGANIZER,
    VOLUNTEER,
    Made,
    audited,
    caller,
    event_made,
    festival_on,
    person,
    refused,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo_items import TODAY
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.tickets.door import Scanned
from tablewright.testing.backends import Backend

OTHER = person("vera", "volunteer")


async def doors(festival: Festival) -> tuple[Made, str, Caller, Caller]:
    """A paid team, the ticket of who leads it, and two volunteers."""
    await event_made(festival, checkin_lists=["entry", "lunch-1"])
    made = await team_made(festival, payment_status="paid")
    ticket = (await festival.tickets.ticket(made.leader)).text
    return made, ticket, await caller(festival, VOLUNTEER), await caller(festival, OTHER)


async def checkins(festival: Festival) -> int:
    """As the statistics have them."""
    days = festival.db.iterate(m.statistics(EVENT, TODAY, TODAY))
    return sum([each.checkins async for each in days])


def offline(nonce: str, ticket: str, minutes: int) -> Scanned:
    return Scanned(nonce, ticket, "entry", NOW + timedelta(minutes=minutes))


@pytest.mark.parametrize("late_door_first", [False, True])
def test_scenario_15_one_ticket_at_two_offline_doors_is_ok_once(
    tablewright_backend: Backend, clock: ManualClock, late_door_first: bool
) -> None:
    """One ticket, two offline doors: one ok; forged invalid."""

    async def scanned() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made, ticket, one, two = await doors(festival)
            clock.advance(3600)
            forged = ticket[:-4] + ("AAAA" if ticket[-4:] != "AAAA" else "BBBB")
            early = [offline("door-one-01", ticket, 5), offline("door-one-02", ticket, 6)]
            late = [offline("door-two-01", ticket, 7), offline("door-two-02", forged, 8)]
            batches = [(one, early), (two, late)]
            for by, batch in reversed(batches) if late_door_first else batches:
                await festival.door.batch(by, batch)
            said = [
                each.result
                for by, batch in batches
                for each in await festival.door.batch(by, batch)
            ]
            assert said == ["ok", "already_redeemed", "already_redeemed", "invalid"]
            p = made.leader.participant()
            there = await festival.db.require(m.check_in_of(EVENT, p, "entry"))
            assert (there.by, there.at) == (one.uid_hash, NOW + timedelta(minutes=5))
            assert await checkins(festival) == 1

    run(scanned())


def test_doors_that_send_at_the_same_time_agree(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def racing() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            _, ticket, one, two = await doors(festival)
            clock.advance(3600)
            scans = [offline(f"nonce-{place:03d}", ticket, place) for place in range(6)]
            work = [festival.door.batch(by, [each]) for by in (one, two) for each in scans]
            await asyncio.gather(*work)
            said = [each.result for each in await festival.door.batch(one, scans)]
            assert said == ["ok", *["already_redeemed"] * 5]
            assert await checkins(festival) == 1

    run(racing())


def test_what_is_wrong_with_a_ticket_is_told_and_told_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def looking() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made, ticket, by, _ = await doors(festival)
            unpaid = await team_made(festival)
            other = made.members[1]
            second = (await festival.tickets.ticket(other)).text
            await festival.tickets.revoke(await caller(festival, ORGANIZER), other.participant())
            assert (await refused(festival.tickets.ticket(unpaid.leader))).code == "NOT_PAID"
            elsewhere = await event_made(festival, "another-event")
            assert elsewhere.checkin_lists == ["entry"]
            there = await caller(festival, VOLUNTEER, "another-event")
            door = festival.door
            first = await door.scan(by, ticket, "entry", "nonce-0001")
            assert (first.result, first.first_name, first.team) == (
                "ok",
                made.leader.principal.name,
                made.team.name,
            )
            assert (await door.scan(by, ticket, "entry", "nonce-0001")) == first
            again = await door.scan(by, ticket, "entry", "nonce-0002")
            assert (again.result, again.redeemed_at) == ("already_redeemed", NOW)
            assert (await door.scan(by, ticket, "lunch-1", "nonce-0003")).result == "ok"
            assert (await door.scan(by, ticket, "supper", "nonce-0004")).result == "wrong_list"
            assert (await door.scan(by, second, "entry", "nonce-0005")).result == "revoked"
            renewed = (await festival.tickets.ticket(other)).text
            assert (await door.scan(by, renewed, "entry", "nonce-0006")).result == "ok"
            assert (await door.scan(by, "nonsense", "entry", "nonce-0007")).result == "invalid"
            said = await door.scan(there, ticket, "entry", "nonce-0008")
            assert (said.result, said.first_name) == ("wrong_event", "")
            # Their money went back after they had their ticket.
            team = await festival.db.require(m.team(EVENT, made.team_id))
            await festival.db.run(put(team.model_copy(update={"payment_status": "refunded"})))
            lunch = await door.scan(by, renewed, "lunch-1", "nonce-0009")
            assert lunch.result == "unpaid"

    run(looking())


def test_a_scan_by_mistake_is_undone_by_who_is_at_the_door(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def undoing() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made, ticket, by, _ = await doors(festival)
            p = made.leader.participant()
            assert (await refused(festival.door.undo(by, p, "entry"))).code == "NOT_REDEEMED"
            await festival.door.scan(by, ticket, "entry", "nonce-0001")
            await festival.door.undo(by, p, "entry")
            assert ("checkin.undo", f"participant/{EVENT}/{p}") in await audited(festival)
            assert await checkins(festival) == 0
            said = await festival.door.scan(by, ticket, "entry", "nonce-0002")
            assert said.result == "ok"
            no_volunteer = festival.door.scan(made.leader, ticket, "entry", "nonce-0003")
            assert (await refused(no_volunteer)).status == 403

    run(undoing())


@pytest.mark.parametrize("wrong", ["1970-01-01T00:05:00Z", "2099-01-01T00:00:00Z"])
def test_scan_of_a_door_whose_clock_is_wrong_does_not_count_as_the_earliest(
    tablewright_backend: Backend, clock: ManualClock, wrong: str
) -> None:
    async def scanned() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made, ticket, one, two = await doors(festival)
            await festival.door.scan(one, ticket, "entry", "door-one-01")
            clock.advance(3600)
            odd = Scanned("door-two-01", ticket, "entry", datetime.fromisoformat(wrong))
            (late,) = await festival.door.batch(two, [odd])
            assert late.result == "already_redeemed"
            p = made.leader.participant()
            there = await festival.db.require(m.check_in_of(EVENT, p, "entry"))
            assert (there.by, there.at) == (one.uid_hash, NOW)

    run(scanned())


@pytest.mark.parametrize("hours", [-400_000, -5, 5, 9000])
def test_scans_of_a_door_that_says_its_clock_are_moved_by_the_difference(
    tablewright_backend: Backend, clock: ManualClock, hours: int
) -> None:
    async def scanned() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made, ticket, _, two = await doors(festival)
            clock.advance(3600)
            # Scanned ten minutes before it is sent, by a clock that is hours off.
            off = timedelta(hours=hours)
            sent = NOW + timedelta(hours=1) + off
            odd = Scanned("door-two-01", ticket, "entry", sent - timedelta(minutes=10))
            (first,) = await festival.door.batch(two, [odd], sent)
            right = NOW + timedelta(minutes=50)
            assert (first.result, first.at) == ("ok", right)
            p = made.leader.participant()
            there = await festival.db.require(m.check_in_of(EVENT, p, "entry"))
            assert there.at == right

    run(scanned())


def test_nonce_that_comes_again_with_another_ticket_names_nobody(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scanned() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made, ticket, one, _ = await doors(festival)
            second = (await festival.tickets.ticket(made.members[1])).text
            await festival.door.scan(one, ticket, "entry", "door-one-01")
            again = await festival.door.scan(one, ticket, "entry", "door-one-01")
            assert (again.result, again.first_name) == ("ok", made.leader.principal.name)
            for text, list_id in ((second, "entry"), (ticket, "lunch-1"), ("CK1.x", "entry")):
                problem = await refused(festival.door.scan(one, text, list_id, "door-one-01"))
                assert (problem.status, problem.code) == (409, "NONCE_REUSED")
                scan = Scanned("door-one-01", text, list_id, NOW)
                (told,) = await festival.door.batch(one, [scan])
                assert (told.result, told.participant_id, told.first_name) == (
                    "nonce_reused",
                    None,
                    "",
                )

    run(scanned())
