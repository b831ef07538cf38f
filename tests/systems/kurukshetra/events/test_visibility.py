"""Drafts, hidden events, and events that are deleted."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    ADMIN,
    EVENT,
    FINANCE,
    ORGANIZER,
    api_on,
    audited,
    event_body,
    event_made,
    person,
    registered,
    run,
)

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend

AT = f"/events/{EVENT}"


def test_draft_is_there_only_for_those_who_run_it(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga, asha = api.as_(ORGANIZER), api.as_(person("asha"))
            draft = event_body(visibility="draft", registration_open=False)
            await olga.done("POST", "/events", draft)
            assert (await api.get("/events"))["items"] == []
            for path in ("config", "tracks", "seats"):
                assert await api.refused("GET", f"{AT}/{path}") == (404, "NOT_FOUND")
            assert await asha.refused("GET", f"{AT}/draft") == (404, "NOT_FOUND")
            assert (await olga.get(f"{AT}/admin/config"))["visibility"] == "draft"
            opened = await olga.refused(
                "PUT", f"{AT}/admin/config", {"registration_open": True}, If_Match='"1"'
            )
            assert opened[0] == 422
            public = {"visibility": "public", "registration_open": True}
            await olga.done("PUT", f"{AT}/admin/config", public, If_Match='"1"')
            clock.advance(3)
            assert [each["event_id"] for each in (await api.get("/events"))["items"]] == [EVENT]

    run(work())


def test_hidden_event_is_on_no_list_and_can_be_reached(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await api.as_(ORGANIZER).done("POST", "/events", event_body(visibility="hidden"))
            assert (await api.get("/events"))["items"] == []
            assert (await api.get(f"{AT}/config"))["phase"] == "open"
            assert (await registered(api.festival, EVENT, "asha")).participant_id is not None

    run(work())


def test_event_that_nobody_registered_for_is_deleted_with_its_roles(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga = api.as_(ORGANIZER)
            await olga.done("POST", "/events", event_body())
            await olga.done(
                "PUT", f"{AT}/admin/roles", {"who": "vera@people.test", "roles": ["volunteer"]}
            )
            assert await olga.refused("DELETE", f"{AT}/admin") == (409, "EVENT_OPEN")
            closed = {"registration_open": False}
            await olga.done("PUT", f"{AT}/admin/config", closed, If_Match='"1"')
            # A registration that has begun before may still be under way.
            assert await olga.refused("DELETE", f"{AT}/admin") == (409, "EVENT_OPEN")
            clock.advance(61)
            assert (await api.as_(FINANCE).refused("DELETE", f"{AT}/admin"))[0] == 403
            assert (await olga("DELETE", f"{AT}/admin")).status_code == 204
            assert (await api.get("/events"))["items"] == []
            assert (await olga.refused("DELETE", f"{AT}/admin"))[0] == 404
            await olga.done("POST", "/events", event_body())
            vera = await api.festival.access.now(person("vera"), EVENT)
            assert vera.roles == frozenset(), "another event of the same name has its own helpers"
            assert ("event.delete", f"event/{EVENT}") in await audited(api.festival)

    run(work())


def test_event_that_somebody_registered_for_is_not_deleted(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            asha = await registered(api.festival, EVENT, "asha")
            await api.festival.erasing.erase(asha, asha.participant())
            admin = api.as_(ADMIN)
            closed = {"registration_open": False}
            await admin.done("PUT", f"{AT}/admin/config", closed, If_Match='"1"')
            clock.advance(61)
            assert await admin.refused("DELETE", f"{AT}/admin") == (409, "EVENT_IN_USE")

    run(work())


def test_fields_that_an_event_requires_are_asked_for(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            await event_made(api.festival, required_fields=["phone", "college"])
            asha = api.as_(person("asha"))
            answer = await asha("POST", f"{AT}/register", {"first_name": "Asha"})
            assert answer.status_code == 422
            errors = {each["field"]: each["message"] for each in answer.json()["errors"]}
            assert errors == {
                "body.phone": "Enter your phone number.",
                "body.college": "Enter your college or company.",
            }
            body = {
                "first_name": "Asha",
                "phone": "98765 43210",
                "college": "Example",
                "linkedin": "linkedin.com/in/asha",
                "github_username": "https://github.com/asha-v/",
            }
            told = await asha.done("POST", f"{AT}/register", body)
            assert told["linkedin"] == "https://linkedin.com/in/asha"
            assert told["github_username"] == "asha-v"

    run(work())
