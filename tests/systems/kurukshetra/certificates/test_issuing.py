"""Certificates: for who was there, each once, checked by everybody."""

from __future__ import annotations

from typing import Any

from tests.systems.kurukshetra.support import (
    EVENT,
    ORGANIZER,
    VOLUNTEER,
    Made,
    api_on,
    caller,
    event_made,
    festival_on,
    refused,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.service.kit.patterns import latest_messages_in
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.registration import me_out
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend

ISSUED = "kurukshetra.certificate.issued"


async def there(festival: Festival) -> list[Made]:
    """Two teams of two; one of them has a repository, and nobody came in one's place."""
    await event_made(festival)
    made = [await team_made(festival, payment_status="paid") for _ in range(2)]
    door = await caller(festival, VOLUNTEER)
    for number, who in enumerate([*made[0].members, made[1].leader]):
        ticket = (await festival.tickets.ticket(who)).text
        assert (
            await festival.door.scan(door, ticket, "entry", f"nonce-{number:03d}")
        ).result == "ok"
    now = festival.now()
    submission = m.Submission(
        event_id=EVENT,
        team_id=made[0].team_id,
        repo_url="https://github.com/one/project",
        repository="github.com/one/project",
        created_at=now,
        updated_at=now,
    )
    await festival.db.run(m.set_repository(submission, None))
    return made


async def issued(festival: Festival, kind: Any, people: list[str] | None = None) -> dict[str, Any]:
    by = await caller(festival, ORGANIZER)
    job = await festival.certificates.issue(by, kind, "entry", people)
    await festival.jobs.work_all()
    after = await festival.jobs.read(by, job.job_id)
    assert after.state == "done", after.error
    return {name: count for name, count in after.result.items() if count}


async def mails(festival: Festival) -> int:
    places = [f"PENDING#{slot:02d}" for slot in range(4)]
    found = [await festival.db.run(latest_messages_in(place), limit=100) for place in places]
    return sum(each.kind == ISSUED for page in found for each in page)


def test_who_was_there_gets_one_of_each_kind(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def issuing() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            one, two = await there(festival)
            assert await issued(festival, "participation") == {"issued": 3, "not_there": 1}
            assert await issued(festival, "participation") == {"there_already": 3, "not_there": 1}
            assert await issued(festival, "completion") == {
                "issued": 2,
                "not_there": 1,
                "no_project": 1,
            }
            absent = two.members[1].participant()
            winners = [one.leader.participant(), absent]
            assert await issued(festival, "winner", winners) == {
                "issued": 1,
                "not_there": 1,
                "without": [absent],
            }
            assert await mails(festival) == 6
            mine = await festival.certificates.mine(one.leader)
            assert [each.kind for each in mine] == ["participation", "completion", "winner"]
            assert mine[0].name == f"{one.leader.principal.name} Verma"
            me = await festival.people.me(await festival.access.user(one.leader.principal))
            (event,) = me_out(me).events
            assert [(each.kind, each.code, each.name) for each in event.certificates] == [
                (each.kind, each.code, each.name) for each in mine
            ]
            stored = await festival.db.require(m.certificate(mine[0].code))
            assert "Verma" not in str(stored)
            by = await caller(festival, ORGANIZER)
            unnamed = await refused(festival.certificates.issue(by, "winner", "entry"))
            assert (unnamed.status, unnamed.code) == (422, "INVALID")
            await festival.certificates.erase(EVENT, one.leader.participant())
            assert await festival.certificates.mine(one.leader) == []
            gone = await refused(festival.certificates.check(mine[0].code))
            assert gone.status == 404

    run(issuing())


def test_everybody_checks_and_prints_a_certificate(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def checking() -> None:
        async with api_on(engine_backend, clock) as api:
            one, _ = await there(api.festival)
            await issued(api.festival, "participation")
            mine = await api.as_(one.leader.principal).get(f"/events/{EVENT}/certificates")
            (code,) = [each["code"] for each in mine["items"]]
            nobody = api.as_(None)
            typed = "-".join(code[at : at + 4] for at in range(0, 16, 4)).lower()
            found = await nobody.get(f"/certificates/{typed}")
            assert (found["code"], found["kind"]) == (code, "participation")
            assert found["name"] == f"{one.leader.principal.name} Verma"
            printed = await nobody("GET", f"/certificates/{code}/pdf")
            assert printed.headers["content-type"] == "application/pdf"
            assert printed.content.startswith(b"%PDF-")
            for wrong in ("0" * 16, "nothing"):
                answer = await nobody.refused("GET", f"/certificates/{wrong}")
                assert answer == (404, "NOT_FOUND")
            path = f"/events/{EVENT}/admin/certificates/{code}"
            assert (await api.as_(one.leader.principal).refused("DELETE", path))[0] == 403
            await api.as_(ORGANIZER).done("DELETE", path)
            assert (await nobody.refused("GET", f"/certificates/{code}"))[0] == 404

    run(checking())


def test_names_that_cannot_be_printed_get_no_certificate_and_are_told(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def issuing() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            one, _ = await there(festival)
            who = one.members[1]
            page = await festival.db.run(m.participant_page(EVENT, who.participant()))
            opened = festival.privacy.vault.opened(page.participant)
            renamed = opened.model_copy(
                update={"first_name": Plain("小明"), "last_name": Plain("王")}
            )
            sealed = festival.privacy.vault.sealed(renamed)
            await festival.db.run(m.edit_participant(sealed, sealed.phone_hash, (), festival.now()))
            by = await caller(festival, ORGANIZER)
            job = await festival.certificates.issue(by, "participation", "entry", check_only=True)
            await festival.jobs.work_all()
            checked = (await festival.jobs.read(by, job.job_id)).result
            assert (checked["printable"], checked["unprintable"], checked["issued"]) == (2, 1, 0)
            assert await mails(festival) == 0
            told = await issued(festival, "participation")
            assert told == {
                "issued": 2,
                "unprintable": 1,
                "not_there": 1,
                "unprintable_people": [who.participant_id],
            }
            assert await mails(festival) == 2
            ids = [str(each) for each in told["unprintable_people"]]
            assert await festival.certificates.names_of(by, ids) == ["小明 王"]
            assert "小明" not in str(told), "a job names nobody"

    run(issuing())


def test_emoji_are_left_out_of_the_name_on_a_certificate(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def issuing() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, payment_status="paid")
            page = await festival.db.run(m.participant_page(EVENT, made.leader.participant()))
            opened = festival.privacy.vault.opened(page.participant)
            renamed = opened.model_copy(update={"first_name": Plain("Asha \U0001f680")})
            sealed = festival.privacy.vault.sealed(renamed)
            await festival.db.run(m.edit_participant(sealed, sealed.phone_hash, (), festival.now()))
            ticket = (await festival.tickets.ticket(made.leader)).text
            await festival.door.scan(
                await caller(festival, VOLUNTEER), ticket, "entry", "nonce-001"
            )
            assert await issued(festival, "participation") == {"issued": 1, "not_there": 1}
            (mine,) = await festival.certificates.mine(made.leader)
            assert mine.name == "Asha Verma"
            assert (await festival.certificates.pdf(mine.code)).startswith(b"%PDF")

    run(issuing())
