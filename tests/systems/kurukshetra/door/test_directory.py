"""People without a ticket: found at the door, and checked in by hand or by a short code."""

from __future__ import annotations

import pytest
from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    ORGANIZER,
    VOLUNTEER,
    Made,
    api_on,
    audited,
    caller,
    event_made,
    festival_on,
    registered,
    run,
    team_made,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend

AT = f"/events/{EVENT}/checkin"


async def staged(festival: Festival) -> Made:
    """A paid team, and somebody whose team has not paid."""
    await event_made(festival, checkin_lists=["entry", "lunch-1"])
    made = await team_made(festival, name="Code Warriors", payment_status="paid")
    await registered(festival, EVENT, "zoe", first_name="Zoé", last_name="D'Souza")
    return made


async def names(festival: Festival, text: str) -> list[str]:
    by = await caller(festival, VOLUNTEER)
    found = await festival.door.directories.search(by, text, "entry")
    return [f"{each.first_name} {each.last_name}" for each in found]


def test_people_are_found_by_name_team_phone_and_code(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made = await staged(festival)
            leader = made.leader.principal.name
            both = sorted(f"{each.principal.name} Verma" for each in made.members)
            assert await names(festival, "code WARR") == both
            assert await names(festival, f"verma {leader[:6]}") == both
            assert await names(festival, leader) == [f"{leader} Verma"]
            assert await names(festival, "zoe dsouza") == []
            assert await names(festival, "zoe d'souza") == ["Zoé D'Souza"]
            assert await names(festival, "nobody") == []
            view = await festival.people.read(made.leader, made.leader.participant())
            assert view.phone is not None
            assert await names(festival, view.phone[-6:]) == [f"{leader} Verma"]
            assert await names(festival, f"+91 {view.phone[3:8]} {view.phone[8:]}") == [
                f"{leader} Verma"
            ]
            issued = await festival.tickets.ticket(made.leader)
            assert len(issued.short_code) == 6
            assert await names(festival, issued.short_code.lower()) == [f"{leader} Verma"]

    run(main())


def test_searching_again_reads_only_who_was_found(
    engine_backend: Backend, clock: ManualClock
) -> None:
    heard: list[RequestEvent] = []

    async def main() -> None:
        async with festival_on(engine_backend, clock, heard=heard) as festival:
            made = await staged(festival)
            await names(festival, "warriors")
            heard.clear()
            assert len(await names(festival, made.leader.principal.name)) == 1
            reads = [each.pattern for each in heard if each.pattern != "role"]
            assert set(reads) <= {
                *("participants", "teams_listed", "check_ins_of"),
                *("participant_of_user", "setup"),
            }

    run(main())


def test_somebody_who_registers_later_is_found(engine_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await staged(festival)
            assert await names(festival, "walter") == []
            await registered(festival, EVENT, "walter")
            clock.advance(6)
            assert await names(festival, "walter") == ["Walter Verma"]

    run(main())


def test_short_code_of_a_ticket_is_scanned_like_the_ticket(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            made = await staged(festival)
            by = await caller(festival, VOLUNTEER)
            code = (await festival.tickets.ticket(made.leader)).short_code
            first = await festival.door.scan(by, f" {code[:3]}-{code[3:]} ", "entry", "nonce-001")
            assert (first.result, first.last_name, first.team) == ("ok", "Verma", "Code Warriors")
            again = await festival.door.scan(by, code, "entry", "nonce-002")
            assert again.result == "already_redeemed"
            # Of a ticket that was replaced the code means nothing.
            await festival.tickets.renew(made.leader)
            clock.advance(61)
            old = await festival.door.scan(by, code, "lunch-1", "nonce-003")
            assert old.result == "invalid"
            fresh = (await festival.tickets.ticket(made.leader)).short_code
            assert (await festival.door.scan(by, fresh, "lunch-1", "nonce-004")).result == "ok"

    run(main())


def test_check_in_by_hand_is_once_and_audited_with_its_reason(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            made = await staged(api.festival)
            volunteer, p = api.as_(VOLUNTEER), made.leader.participant()
            found = await volunteer.done(
                "POST", f"{AT}/search", {"q": "warriors", "list_id": "entry"}
            )
            (person,) = [each for each in found["people"] if each["participant_id"] == p]
            assert (person["paid"], person["redeemed_at"]) == (True, None)
            assert {"email", "phone"} & person.keys() == set()
            body = {
                "participant_id": p,
                "list_id": "entry",
                "reason": "Phone is dead, card seen",
                "nonce": "hand-00001",
            }
            for _ in range(2):
                told = await volunteer.done("POST", f"{AT}/manual", body)
                assert (told["result"], told["last_name"]) == ("ok", "Verma")
            second = await volunteer.done("POST", f"{AT}/manual", {**body, "nonce": "hand-00002"})
            assert second["result"] == "already_redeemed"
            entries = await audit.entries(api.festival.db, until=clock.now() + 1, limit=100)
            manual = [each for each in entries if each.action == "checkin.manual"]
            assert [each.detail for each in manual] == [
                {"list_id": "entry", "reason": "Phone is dead, card seen"}
            ]
            after = await volunteer.done(
                "POST", f"{AT}/search", {"q": "warriors", "list_id": "entry"}
            )
            assert [each["redeemed_at"] is not None for each in after["people"]].count(True) == 1
            no_reason = await volunteer.refused("POST", f"{AT}/manual", {**body, "reason": " "})
            assert no_reason[0] == 422
            unknown = {**body, "list_id": "nowhere", "nonce": "hand-00003"}
            assert (await volunteer.refused("POST", f"{AT}/manual", unknown))[0] == 404

    run(main())


def test_check_in_by_hand_of_an_unpaid_team_is_refused(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival)
            by = await caller(festival, VOLUNTEER)
            p = made.leader.participant()
            passed = await festival.door.check_in(by, p, "entry", "No phone", "hand-00001")
            assert passed.result == "unpaid"
            assert ("checkin.manual", f"participant/{EVENT}/{p}") not in await audited(festival)

    run(main())


@pytest.mark.parametrize("path", ["search", "manual"])
def test_only_the_door_finds_people(engine_backend: Backend, clock: ManualClock, path: str) -> None:
    async def main() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await staged(api.festival)
            body = {"q": "warriors", "list_id": "entry"}
            if path == "manual":
                body = {
                    "participant_id": made.leader.participant(),
                    "list_id": "entry",
                    "reason": "No phone",
                    "nonce": "hand-00001",
                }
            for who in (FINANCE, made.leader.principal):
                assert (await api.as_(who).refused("POST", f"{AT}/{path}", body))[0] == 403
            assert (await api.as_(ORGANIZER)("POST", f"{AT}/{path}", body)).status_code == 200

    run(main())
