"""Events over HTTP: made, seen by everybody, changed by who runs them."""

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
    api_on,
    audited,
    caller,
    event_body,
    event_made,
    festival_on,
    moment,
    person,
    refused,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.events import ConfigChange
from tablewright.systems.kurukshetra.bodies.organising import QuestionsIn
from tablewright.testing.backends import Backend

AT = f"/events/{EVENT}"


def test_an_event_is_made_listed_and_seen_by_everybody(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga = api.as_(ORGANIZER)
            made = await olga("POST", "/events", event_body(max_teams=3, tracks=["ai", "iot"]))
            assert (made.status_code, made.headers["etag"]) == (201, '"1"')
            assert await olga.refused("POST", "/events", event_body()) == (409, "EVENT_EXISTS")
            # Everybody, without signing in.
            assert await api.get("/health") == {"status": "ok"}
            listed = await api.get("/events")
            assert [each["event_id"] for each in listed["items"]] == [EVENT]
            seen = await api.get(f"{AT}/config")
            assert seen["phase"] == "open"
            assert seen["seats"] == {"capacity": 3, "free": 3, "taken": 0, "waiting": 0}
            assert seen["team_fee"] == 99900
            assert "max_waitlist" not in seen
            assert await api.get(f"{AT}/tracks") == {"tracks": ["ai", "iot"]}
            for unknown in ("no-such-event", "No%20Slug", "x" * 61):
                assert await api.refused("GET", f"/events/{unknown}/config") == (404, "NOT_FOUND")
        assert made.json()["version"] == 1

    run(work())


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"event_id": "Upper"}, "body.event_id"),
        ({"event_id": "admin"}, "body.event_id"),
        ({"zone": "Asia/Atlantis"}, "body.zone"),
        ({"min_team_size": 5}, "body"),
        ({"event_end": moment(NOW)}, "body"),
        ({"tracks": ["ai", "ai"]}, "body.tracks"),
        ({"currency": "XYZ"}, "body.currency"),
        ({"currency": "rupees"}, "body.currency"),
        ({"contact_email": "nobody"}, "body.contact_email"),
        ({"allowed_domains": ["no domain"]}, "body.allowed_domains.0"),
        ({"secret_fee": 1}, "body.secret_fee"),
    ],
)
def test_what_cannot_be_an_event_is_refused_with_its_place(
    engine_backend: Backend, clock: ManualClock, said: dict[str, Any], place: str
) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            answer = await api.as_(ADMIN)("POST", "/events", event_body(**said))
            assert answer.status_code == 422
            assert [each["field"] for each in answer.json()["errors"]] == [place]

    run(work())


def test_settings_are_changed_from_what_was_seen(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga = api.as_(ORGANIZER)
            await olga.done("POST", "/events", event_body())
            change = {"event_name": "Renamed", "max_teams": 520}
            path = f"{AT}/admin/config"
            assert await olga.refused("PUT", path, change) == (428, "PRECONDITION_REQUIRED")
            assert await olga.refused("PUT", path, change, If_Match='"8"') == (
                412,
                "VERSION_CONFLICT",
            )
            changed = await olga("PUT", path, change, If_Match='"1"')
            assert changed.headers["etag"] == '"2"'
            assert changed.json()["event_name"] == "Renamed"
            assert changed.json()["hold_minutes"] == 20
            seats = await olga.get(f"{AT}/admin/seats")
            assert (seats["capacity"], seats["free"]) == (520, 520)
            assert (await api.get("/events"))["items"][0]["event_name"] == "Renamed"
            # The same again is no change.
            again = await olga("PUT", path, change, If_Match='"2"')
            assert again.headers["etag"] == '"2"'
            fewer = await olga("PUT", f"{AT}/admin/seats", {"max_teams": 100}, If_Match='"2"')
            assert fewer.json()["free"] == 100
        async with festival_on(tablewright_backend, clock) as festival:
            assert sorted(await audited(festival)) == [
                ("event.change", f"event/{EVENT}"),
                ("event.change", f"event/{EVENT}"),
                ("event.create", f"event/{EVENT}"),
            ]

    run(work())


def test_seats_in_use_do_not_go(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival, max_teams=2)
            team = (await team_made(festival)).team
            now = festival.events.moment(config)
            payment = m.Payment(
                event_id=EVENT,
                payment_id=team.team_id,
                team_id=team.team_id,
                payer_ref="x",
                amount=99900,
                day=now.day,
                created_at=now.at,
                updated_at=now.at,
            )
            until = now.at + timedelta(minutes=20)
            hold = m.Hold(event_id=EVENT, expires_at=until, team_id=team.team_id, created_at=now.at)
            await festival.db.run(m.checkout(team, payment, hold, 2, now))
            olga = await caller(festival, ORGANIZER)
            none = ConfigChange(max_teams=0)
            problem = await refused(festival.events.change(olga, none, Precondition.seen(1)))
            assert (problem.status, problem.code) == (409, "CAPACITY_IN_USE")
            one = await festival.events.change(
                olga, ConfigChange(max_teams=1), Precondition.seen(1)
            )
            assert (one.seats.capacity, one.seats.free) == (1, 0)
            assert one.config.max_teams == 1

    run(work())


def test_of_two_authors_at_once_the_second_is_refused(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            olga = await caller(festival, ORGANIZER)
            asked = [
                QuestionsIn.model_validate({"questions": [{"question_id": each, "label": each}]})
                for each in ("diet", "shirt")
            ]
            saved = await asyncio.gather(
                *(
                    festival.events.questions.save(olga, each, Precondition.seen(1))
                    for each in asked
                ),
                festival.events.change(olga, ConfigChange(max_teams=9), Precondition.seen(1)),
                return_exceptions=True,
            )
            codes = sorted(getattr(each, "code", "") for each in saved)
            assert codes == ["", "VERSION_CONFLICT", "VERSION_CONFLICT"]
            setup = await festival.events.setup_now(EVENT)
            assert setup.config.version == 2
            assert setup.seats.capacity == setup.config.max_teams

    run(work())


def test_questions_are_replaced_as_a_whole(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    first = [
        {"question_id": "diet", "label": "What do you not eat?", "pii": True},
        {"question_id": "shirt", "label": "Shirt?", "kind": "choice", "choices": ["S", "M"]},
    ]

    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga, path = api.as_(ORGANIZER), f"{AT}/admin/questions"
            await olga.done("POST", "/events", event_body())
            await olga.done("PUT", path, {"questions": first}, If_Match='"1"')
            turned = [{**first[1], "required": True}, first[0]]
            saved = await olga("PUT", path, {"questions": turned}, If_Match='"2"')
            asked = saved.json()["questions"]
            assert [(each["question_id"], each["required"]) for each in asked] == [
                ("shirt", True),
                ("diet", False),
            ]
            last = await olga(
                "PUT", path, {"questions": turned[1:]}, If_Match=saved.headers["etag"]
            )
            assert [each["question_id"] for each in last.json()["questions"]] == ["diet"]
            unasked = {"question_id": "shirt", "label": "Shirt?", "kind": "choice"}
            wrong = await olga("PUT", path, {"questions": [unasked]}, If_Match='"4"')
            assert wrong.status_code == 422

    run(work())


def test_vouchers_and_roles_are_given_and_listed(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    voucher = {
        "code": "EARLYBIRD",
        "percent": 10,
        "remaining": 5,
        "valid_from": moment(NOW),
        "valid_until": moment(NOW + timedelta(days=3)),
    }

    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga, ann = api.as_(ORGANIZER), api.as_(ADMIN)
            await olga.done("POST", "/events", event_body())
            path = f"{AT}/admin/vouchers"
            await olga.done("PUT", path, voucher)
            assert (await olga.refused("PUT", path, voucher))[0] == 428
            changed = await olga("PUT", path, {**voucher, "remaining": 9}, If_Match='"1"')
            assert changed.json()["remaining"] == 9
            assert (await api.as_(FINANCE).get(path))["items"] == [changed.json()]
            assert await olga.refused("GET", f"{path}/nothing") == (404, "NOT_FOUND")
            # Roles: to an address, in whatever capitals, and to a user.
            roles = f"{AT}/admin/roles"
            asha, ravi = api.as_(person("asha")), api.as_(person("ravi"))
            assert await asha.refused("GET", path) == (403, "FORBIDDEN")
            await ann.done("PUT", roles, {"who": "Asha@People.TEST", "roles": ["organizer"]})
            await ann.done("PUT", roles, {"who": "user:ravi", "roles": ["volunteer", "finance"]})
            assert len((await asha.get(path))["items"]) == 1
            assert len((await ravi.get(path))["items"]) == 1
            unverified = person("asha2", email="asha@people.test", verified=False)
            assert await api.as_(unverified).refused("GET", path) == (403, "FORBIDDEN")
            holders = (await ann.get(roles))["items"]
            assert {each["who"]: each["roles"] for each in holders} == {
                "Asha@People.TEST": ["organizer"],
                "user:ravi": ["finance", "volunteer"],
            }
            assert await ravi.refused("GET", roles) == (403, "FORBIDDEN")
            await ann.done("PUT", roles, {"who": "asha@people.test", "roles": []})
            assert await asha.refused("GET", path) == (403, "FORBIDDEN")
            assert [each["who"] for each in (await ann.get(roles))["items"]] == ["user:ravi"]

    run(work())


def test_who_may_set_up_an_event(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            await api.as_(ADMIN).done("POST", "/events", event_body())
            for who in (FINANCE, VOLUNTEER, AUDITOR, person("asha")):
                other = api.as_(who)
                assert (await other.refused("POST", "/events", event_body("another")))[0] == 403
                change = {"registration_open": False}
                path = f"{AT}/admin/config"
                assert (await other.refused("PUT", path, change, If_Match='"1"'))[0] == 403
                assert (await other.refused("PUT", f"{AT}/admin/roles", {}))[0] in (403, 422)
            assert (await api.refused("GET", f"{AT}/admin/config"))[0] == 401
            assert (await api.as_(ORGANIZER).refused("GET", "/events/x/admin/config"))[0] == 404

    run(work())
