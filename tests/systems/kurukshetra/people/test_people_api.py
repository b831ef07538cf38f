"""People over HTTP: registering, seeing and editing, drafts, and oneself."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.support import (
    ADMIN,
    AUDITOR,
    EVENT,
    FINANCE,
    NOW,
    ORGANIZER,
    VOLUNTEER,
    Api,
    api_on,
    audited,
    caller,
    event_body,
    event_made,
    festival_on,
    moment,
    person,
    refused,
    registered,
    registration,
    registration_body,
    run,
    team_made,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.auth import Principal
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.plain import is_sealed
from tablewright.testing.backends import Backend

AT = f"/events/{EVENT}"
ASHA = person("asha")
QUESTIONS = [
    {"question_id": "diet", "label": "What do you not eat?", "pii": True},
    {"question_id": "shirt", "label": "Shirt?", "kind": "choice", "choices": ["S", "M"]},
    {"question_id": "days", "label": "Days?", "kind": "multi", "choices": ["Sat", "Sun"]},
    {"question_id": "adult", "label": "Over 18?", "kind": "bool", "required": True},
]
ANSWERS: dict[str, Any] = {"diet": "nuts", "days": ["Sun", "Sat"], "adult": True}


async def opened(api: Api, **config: Any) -> Api:
    """With an event that asks something; as Asha."""
    olga = api.as_(ORGANIZER)
    await olga.done("POST", "/events", event_body(**config))
    await olga.done("PUT", f"{AT}/admin/questions", {"questions": QUESTIONS}, If_Match='"1"')
    return api.as_(ASHA)


def test_scenario_02_parallel_registration(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Parallel registration, emails differing in case: one 409."""
    spelled = ("Asha@People.test", "asha@people.TEST", "ASHA@PEOPLE.TEST", "asha@people.test")

    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await api.as_(ADMIN).done("POST", "/events", event_body())
            people = [
                api.as_(person(f"user-{each}", email=address))
                for each, address in enumerate(spelled[:2])
            ]
            answers = await asyncio.gather(
                *(each("POST", f"{AT}/register", registration_body()) for each in people)
            )
            assert sorted(each.status_code for each in answers) == [201, 409]
            (second,) = (each.json() for each in answers if each.status_code == 409)
            assert second["code"] == "DUPLICATE_EMAIL"
            assert "asha" not in str(second).lower()
            # Later ones are told the same; the first one stays who they are.
            for number, address in enumerate(spelled[2:]):
                late = api.as_(person(f"late-{number}", email=address))
                told = await late.refused("POST", f"{AT}/register", registration_body())
                assert told == (409, "DUPLICATE_EMAIL")
            db = api.festival.db
            counts = [
                each async for each in db.iterate(m.statistics(EVENT, NOW.date(), NOW.date()))
            ]
            assert sum(each.registrations for each in counts) == 1
            links = [len(await db.run(m.people(EVENT, shard))) for shard in range(8)]
            assert sum(links) == 1

    run(work())


def test_one_user_registers_once_however_often(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            asha = await opened(api)
            body = registration_body(answers=ANSWERS)
            answers = await asyncio.gather(
                *(asha("POST", f"{AT}/register", body) for _ in range(4))
            )
            assert sorted(each.status_code for each in answers) == [200, 200, 200, 201]
            assert len({each.json()["participant_id"] for each in answers}) == 1
            clock.set(NOW.timestamp() + timedelta(days=30).total_seconds())
            again = await asha("POST", f"{AT}/register", body)  # closed by now
            assert again.status_code == 200
            ravi = api.as_(person("ravi"))
            told = await ravi.refused("POST", f"{AT}/register", body)
            assert told == (409, "REGISTRATION_CLOSED")

    run(work())


def test_what_is_personal_is_sealed_and_found_by_hash(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            by = await registered(festival, EVENT, "asha", phone="98765 43210")
            assert by.participant_id is not None
            stored = await festival.db.require(m.participant(EVENT, by.participant_id))
            sealed = (stored.first_name, stored.last_name, stored.email, stored.phone)
            assert all(isinstance(each, str) and is_sealed(each) for each in sealed)
            number = festival.privacy.blind.phone("+919876543210")
            assert len(await festival.db.run(m.people_with_phone(EVENT, number))) == 1
            view = await festival.people.read(by, by.participant_id)
            assert (view.phone, view.email) == ("+919876543210", "asha@people.test")

    run(work())


@pytest.mark.parametrize(
    ("who", "status", "code"),
    [
        (person("eve", email=""), 403, "EMAIL_UNVERIFIED"),
        (person("eve", verified=False), 403, "EMAIL_UNVERIFIED"),
        (person("eve", email="eve@elsewhere.test"), 403, "DOMAIN_NOT_ALLOWED"),
        (person("eve", email="eve@cs.people.test"), 403, "DOMAIN_NOT_ALLOWED"),
    ],
)
def test_who_cannot_register(
    engine_backend: Backend, clock: ManualClock, who: Principal, status: int, code: str
) -> None:
    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival, allowed_domains=["people.test", "*.ac.in"])
            by = await caller(festival, who)
            problem = await refused(festival.people.register(by, registration("eve")))
            assert (problem.status, problem.code) == (status, code)
            ok = await caller(festival, person("ann", email="ann@iit.ac.in"))
            assert isinstance(await festival.people.register(ok, registration()), Participant)

    run(work())


def test_wrong_answers_are_told_and_not_repeated(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            asha = await opened(api)
            said = {"shirt": "XXL", "days": ["Sat", "Sat"], "diet": "x\x07", "else": "y"}
            body = registration_body(answers=said, phone="12")
            answer = await asha("POST", f"{AT}/register", body)
            assert answer.status_code == 422
            places = {each["field"] for each in answer.json()["errors"]}
            wrong = {f"body.answers.{each}" for each in ("shirt", "days", "diet", "adult")}
            assert places == wrong | {"body.answers", "body.phone"}
            odd = await asha("POST", f"{AT}/register", registration_body(first_name="A\u202eB"))
            assert odd.status_code == 422
            assert "XXL" not in answer.text
            assert "A\u202eB" not in odd.text

    run(work())


def test_who_sees_what_of_a_person(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            asha = await opened(api)
            body = registration_body(answers=ANSWERS)
            mine = await asha.done("POST", f"{AT}/register", body)
            path = f"{AT}/participant/{mine['participant_id']}"
            assert mine["answers"] == {"adult": True, "days": ["Sat", "Sun"], "diet": "nuts"}
            assert await api.as_(ORGANIZER).get(path) == mine | {"detail": "full"}
            name = await api.as_(VOLUNTEER).get(path)
            assert (name["first_name"], name["detail"]) == ("Asha", "name")
            assert {name[each] for each in ("email", "phone", "college", "answers")} == {None}
            masked = await api.as_(AUDITOR).get(path)
            assert masked["detail"] == "masked"
            assert masked["email"].endswith("@masked.invalid")
            assert not {"Asha", "nuts", mine["phone"]} & {str(each) for each in masked.values()}
            assert "nuts" not in str(masked)
            assert await api.as_(FINANCE).refused("GET", path) == (403, "FORBIDDEN")
            ravi = api.as_(person("ravi"))
            assert await ravi.refused("GET", path) == (404, "NOT_FOUND")
            for odd in ("nobody", "0" * 36):
                told = await api.as_(ORGANIZER).refused("GET", f"{AT}/participant/{odd}")
                assert told == (404, "NOT_FOUND")
            # Another event knows nothing of her.
            await api.as_(ADMIN).done("POST", "/events", event_body("other"))
            other = path.replace(EVENT, "other")
            assert await asha.refused("GET", other) == (404, "NOT_FOUND")
            assert await api.as_(ORGANIZER).refused("GET", other) == (404, "NOT_FOUND")

    run(work())


def test_a_profile_is_edited_from_what_was_seen(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            asha = await opened(api)
            body = registration_body(answers=ANSWERS)
            mine = await asha.done("POST", f"{AT}/register", body)
            path = f"{AT}/participant/{mine['participant_id']}"
            clock.advance(60)
            changed = {**body, "phone": "+919811111111", "answers": {"adult": False}}
            assert (await asha.refused("PUT", path, changed))[0] == 428
            stale = await asha.refused("PUT", path, changed, If_Match='"9"')
            assert stale == (412, "VERSION_CONFLICT")
            edited = await asha("PUT", path, changed, If_Match='"1"')
            assert edited.headers["etag"] == '"2"'
            assert edited.json()["answers"] == {"adult": False}
            blind, db = api.festival.privacy.blind, api.festival.db
            for number, expected in ((mine["phone"], 0), ("+919811111111", 1)):
                found = await db.run(m.people_with_phone(EVENT, blind.phone(number)))
                assert len(found) == expected
            by_organiser = await api.as_(ORGANIZER)("PUT", path, body, If_Match='"2"')
            assert by_organiser.json()["answers"] == mine["answers"]
            for who, status in ((AUDITOR, 403), (VOLUNTEER, 403), (person("ravi"), 404)):
                told = await api.as_(who).refused("PUT", path, body, If_Match='"3"')
                assert told[0] == status
            assert ("participant.edit", f"event/{EVENT}") in await audited(api.festival)
            assert edited.json()["email"] == "asha@people.test"

    run(work())


def test_a_draft_is_kept_sealed_and_goes_when_it_is_sent(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    form = {"first_name": "Asha", "team": {"emails": ["ravi@people.test"]}}

    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            asha, path = await opened(api), f"{AT}/draft"
            assert await asha.get(path) == {"data": {}, "updated_at": None}
            for _ in range(2):
                await asha.done("PUT", path, {"data": form})
            assert await asha.get(path) == {"data": form, "updated_at": moment(NOW)}
            assert (await api.as_(person("ravi")).get(path))["data"] == {}
            long = {"data": {"text": "x" * 60_001}}
            assert (await asha.refused("PUT", path, long))[0] == 422
            by = await api.festival.access.caller(ASHA, EVENT)
            stored = await api.festival.db.require(m.draft(by.uid_hash, EVENT))
            assert is_sealed(str(stored.data))
            await asha.done("POST", f"{AT}/register", registration_body(answers=ANSWERS))
            assert (await asha.get(path))["updated_at"] is None
            await asha.done("PUT", path, {"data": form})
            await asha.done("DELETE", path)
            assert (await asha.get(path))["data"] == {}

    run(work())


def test_a_registration_is_one_write_unless_there_is_a_draft(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        heard: list[RequestEvent] = []
        async with festival_on(engine_backend, clock, heard=heard) as festival:
            await event_made(festival)
            for name, written in (("asha", ["register"]), ("ravi", ["register", "drop_draft"])):
                by = await caller(festival, person(name))
                if name == "ravi":
                    await festival.people.save_draft(by, {"a": 1})
                heard.clear()
                await festival.people.register(by, registration(name))
                assert [each.pattern for each in heard if each.write_units] == written

    run(work())


def test_all_that_is_known_about_somebody(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            for each in (EVENT, "other"):
                await event_made(festival, each)
            made = await team_made(festival)
            who = made.leader.principal
            await festival.people.save_draft(await caller(festival, who, "other"), {"a": 1})
            ann = await caller(festival, ADMIN, "other")
            await festival.events.roles.grant(ann, str(who.claims["email"]), ["volunteer"])
            me = await festival.people.me(await festival.access.user(who))
            assert [each.event_id for each in me.events] == [EVENT, "other"]
            first, second = me.events
            assert first.person is not None
            assert first.person.team_name == made.team.name
            assert (first.leads, first.team_status) == (True, "unpaid")
            assert (second.person, second.draft) == (None, {"a": 1})
            assert second.roles == {"volunteer"}
            # The same person, signed in otherwise: found by the address, if that is verified.
            twin = person("twin", email=str(who.claims["email"]).upper())
            mine = await festival.people.me(await festival.access.user(twin))
            assert mine.events[0].person == first.person
            doubtful = person("twin", email=str(who.claims["email"]), verified=False)
            assert (await festival.people.me(await festival.access.user(doubtful))).events == ()

    run(work())


def test_registering_behind_one_address_is_limited_generously(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock, registrations_per_minute=5) as api:
            await opened(api)
            body = registration_body(answers=ANSWERS)
            answers = [
                await api.as_(person(f"user-{each}"))("POST", f"{AT}/register", body)
                for each in range(100)
            ]
            assert {each.status_code for each in answers} == {201}

    run(work())


def test_registering_is_limited_for_one_user(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock, registrations_per_minute=2) as api:
            asha = await opened(api)
            body = registration_body(answers=ANSWERS)
            answers = [await asha("POST", f"{AT}/register", body) for _ in range(3)]
            assert [each.status_code for each in answers] == [201, 200, 429]
            ravi = api.as_(person("ravi"))
            assert (await ravi("POST", f"{AT}/register", body)).status_code == 201

    run(work())


def test_registering_is_limited_for_one_address(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock, registrations_per_minute_from_address=2) as api:
            await opened(api)
            body = registration_body(answers=ANSWERS)
            answers = [
                await api.as_(person(f"user-{each}"))("POST", f"{AT}/register", body)
                for each in range(3)
            ]
            assert [each.status_code for each in answers] == [201, 201, 429]
            assert answers[-1].headers["retry-after"]

    run(work())
