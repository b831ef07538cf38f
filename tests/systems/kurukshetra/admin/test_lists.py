"""Lists for who runs an event: complete over all pages, filtered, as far as a role sees."""

from __future__ import annotations

from typing import Any

from tests.systems.kurukshetra.erasing.support import holding, paying
from tests.systems.kurukshetra.support import (
    ADMIN,
    AUDITOR,
    EVENT,
    FINANCE,
    ORGANIZER,
    VOLUNTEER,
    Api,
    api_on,
    event_made,
    person,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.testing import Backend

LISTED = f"/events/{EVENT}/admin"


async def every(api: Api, path: str, limit: int) -> list[dict[str, Any]]:
    """All pages; none has more than was asked for."""
    found: list[dict[str, Any]] = []
    cursor = ""
    for _ in range(100):
        page = await api.get(f"{LISTED}/{path}limit={limit}{cursor}")
        assert len(page["items"]) <= limit
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"
    raise AssertionError("the pages have no end")


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(each["participant_id"] for each in rows)


def test_registrations_are_listed_filtered_and_found(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            festival, organizer = api.festival, api.as_(ORGANIZER)
            await event_made(festival)
            paid = await team_made(festival, size=3, track="ai-ml")
            unpaid = [await team_made(festival, size=2, track="iot-hardware") for _ in range(3)]
            await paying(festival, paid)
            asha = await registered(festival, EVENT, "asha", college="Other College")
            teams = [*paid.members, *(each for made in unpaid for each in made.members)]
            everybody = sorted(each.participant() for each in (*teams, asha))
            for limit in (1, 4, 100):
                assert ids(await every(organizer, "registrations?", limit)) == everybody
                some = await every(organizer, "registrations?status=unpaid&", limit)
                assert ids(some) == sorted(p.participant() for p in teams[3:])
            for query, who in (
                ("track=ai-ml", paid.members),
                ("track=iot-hardware&status=paid", ()),
                ("college=other college", (asha,)),
                ("college=Example University&status=paid", paid.members),
                ("q=ASHA@people.test", (asha,)),
                (f"q={paid.team.name.upper()}", paid.members),
                (f"q={asha.participant_id}", (asha,)),
                ("q=nobody@people.test", ()),
                ("q=Nobody", ()),
                ("q=asha verm", (asha,)),
                (f"q={paid.leader.principal.name}", (paid.leader,)),
            ):
                found = await every(organizer, f"registrations?{query}&", 50)
                assert ids(found) == sorted(each.participant() for each in who), query
            [row] = await every(organizer, "registrations?q=asha@people.test&", 50)
            assert (row["first_name"], row["email"]) == ("Asha", "asha@people.test")
            for number in (row["phone"].replace("+", "%2B"), row["phone"].removeprefix("+91")):
                assert await every(organizer, f"registrations?q={number}&", 50) == [row]
            by = await festival.access.now(ORGANIZER, EVENT)
            rows, total = await festival.lists.by_name(by, 0, 3)
            more, _ = await festival.lists.by_name(by, 3, 100)
            assert total == len(everybody)
            listed = [text_of(each.participant.first_name) for each in (*rows, *more)]
            assert listed == sorted(listed)
            assert sorted(e.participant.participant_id for e in (*rows, *more)) == everybody
            bad = await organizer.refused("GET", f"{LISTED}/registrations?cursor=3-x")
            assert bad == (400, "BAD_CURSOR")

    run(main())


def test_who_sees_what(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            await event_made(api.festival, "spring-2027")
            asha = await registered(api.festival, EVENT, "asha")
            [row] = await every(api.as_(AUDITOR), "registrations?", 50)
            assert row["masked"]
            assert "asha" not in str(row).lower()
            looked_for = f"{LISTED}/registrations?q=asha@people.test"
            assert (await api.as_(AUDITOR).refused("GET", looked_for))[0] == 403
            may = {
                "registrations": (ORGANIZER, AUDITOR, ADMIN),
                "payments": (ORGANIZER, FINANCE, AUDITOR, ADMIN),
                "statistics": (ORGANIZER, FINANCE, AUDITOR, ADMIN),
                "audit": (ORGANIZER, AUDITOR, ADMIN),
            }
            everybody = (ORGANIZER, FINANCE, AUDITOR, ADMIN, VOLUNTEER, asha.principal)
            for path, some in may.items():
                for who in everybody:
                    answer = await api.as_(who)("GET", f"{LISTED}/{path}")
                    assert answer.status_code == (200 if who in some else 403), (path, who.name)
                nobody = await api.as_(None)("GET", f"{LISTED}/{path}")
                assert nobody.status_code == 401
                elsewhere = await api.as_(ADMIN)("GET", f"/events/nowhere/admin/{path}")
                assert elsewhere.status_code == 404
            # Of one event: nothing of the other's log.
            entries = await every(api.as_(ADMIN), "audit?", 1)
            assert {each["subject"].split("/")[1] for each in entries} == {EVENT}
            assert "people.test" not in str(entries)

    run(main())


def test_payments_are_listed_by_state_and_day(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            festival, finance = api.festival, api.as_(FINANCE)
            await event_made(festival)
            first = await paying(festival, await team_made(festival))
            clock.advance(24 * 3600)
            second = await paying(festival, await team_made(festival))
            begun = await holding(festival, await team_made(festival))
            all_ids = {each.payment_id for each in (first, second, begun)}
            for limit in (1, 100):
                found = await every(finance, "payments?", limit)
                assert {each["payment_id"] for each in found} == all_ids
                assert len(found) == len(all_ids)
            paid = await every(finance, "payments?status=paid&", 50)
            assert [each["payment_id"] for each in paid] == [first.payment_id, second.payment_id]
            days = await every(finance, f"payments?status=paid&until={first.day}&", 50)
            assert [each["payment_id"] for each in days] == [first.payment_id]
            assert "payer" not in str(found), "who paid is for the books alone"

    run(main())


def test_statistics_tell_what_happened_on_each_day(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            festival, organizer = api.festival, api.as_(ORGANIZER)
            await event_made(festival)
            await paying(festival, await team_made(festival, size=2, track="ai-ml"))
            clock.advance(24 * 3600)
            await registered(festival, EVENT, "asha")
            told = await organizer.get(f"{LISTED}/statistics")
            assert len(told["days"]) == 30
            assert [each["registrations"] for each in told["days"]][-2:] == [2, 1]
            sums = told["sums"]
            assert (sums["paid"], sums["revenue"]) == (1, 99900)
            assert sums["paid_by_track"] == {"ai-ml": 1}
            assert told["seats"]["free"] == told["seats"]["capacity"] - 1
            for wrong in ("since=2026-11-20&until=2026-11-01", "since=2020-01-01"):
                assert (await organizer.refused("GET", f"{LISTED}/statistics?{wrong}"))[0] == 422

    run(main())


def test_the_log_has_who_was_erased_by_whom(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            asha = await registered(api.festival, EVENT, "asha")
            ravi = await registered(api.festival, EVENT, "ravi")
            await registered(api.festival, EVENT, "meera")
            for who, each in ((ORGANIZER, asha), (person("ravi"), ravi)):
                path = f"/events/{EVENT}/participant/{each.participant_id}"
                assert (await api.as_(who)("DELETE", path)).status_code == 204
            meera = api.as_(person("meera"))
            assert (await meera("DELETE", "/me")).status_code == 204
            assert (await meera.get("/me"))["events"] == []
            found = await every(api.as_(AUDITOR), "audit?action=participant.erase&", 50)
            subject = f"event/{EVENT}/participant"
            # The log keeps who they were at the event, and not who signs in.
            own = [each["actor"] for each in found if each["actor"] == each["subject"]]
            assert f"{subject}/{ravi.participant_id}" in own
            assert (len(found), len(own)) == (3, 2)
            told = {(each["actor"], each["subject"]) for each in found}
            assert (ORGANIZER.id, f"{subject}/{asha.participant_id}") in told

    run(main())
