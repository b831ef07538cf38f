"""Who somebody is at an event, and what is remembered of it."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    ADMIN,
    EVENT,
    FINANCE,
    ORGANIZER,
    api_on,
    audited,
    caller,
    event_body,
    event_made,
    festival_on,
    person,
    refused,
    registered,
    run,
    team_made,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.auth import Principal
from tablewright.systems.kurukshetra.bodies.events import EventIn
from tablewright.testing.backends import Backend

EVENT_IN = EventIn.model_validate(event_body(), strict=False)
KEY = Principal(
    id="key:0123456789abcdef",
    name="A key",
    kind="key",
    roles=frozenset({"organizer"}),
    grants=frozenset({"kurukshetra:organizer"}),
    claims={"email": "key@people.test", "email_verified": True},
)


def test_a_caller_is_what_the_table_and_the_token_say(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            problem = await refused(festival.access.caller(ADMIN, EVENT))
            assert (problem.status, problem.code) == (404, "NOT_FOUND")
            await event_made(festival)
            made = await team_made(festival)
            leader = await festival.access.caller(made.leader.principal, EVENT)
            assert leader.team_id == made.team_id
            assert leader.participant_id == made.team.leader_participant_id
            assert (leader.verified, leader.roles) == (True, frozenset())
            faye = await caller(festival, FINANCE)
            assert (faye.has("finance"), faye.has("organizer")) == (True, False)
            ann = await caller(festival, ADMIN)
            assert ann.has("finance", "organizer", "volunteer")
            # A role at one event is none at another.
            await event_made(festival, "other")
            await festival.events.roles.grant(ann, "user:vera", ["volunteer"])
            assert (await caller(festival, person("vera"))).roles == {"volunteer"}
            assert (await caller(festival, person("vera"), "other")).roles == frozenset()

    run(work())


def test_a_key_has_no_address(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            by = await caller(festival, KEY)
            assert (by.email, by.verified, by.has("organizer")) == (None, False, True)

    run(work())


def test_what_is_known_costs_no_read_for_a_while(
    engine_backend: Backend, clock: ManualClock
) -> None:
    heard: list[RequestEvent] = []

    async def work() -> None:
        async with festival_on(engine_backend, clock, heard=heard) as festival:
            await event_made(festival)
            made = await team_made(festival)
            who = made.leader.principal
            await festival.access.caller(who, EVENT)
            heard.clear()
            await festival.access.caller(who, EVENT)
            assert heard == []
            clock.advance(3)
            await festival.access.caller(who, EVENT)
            assert len(heard) == 5  # the set-up, the link, two roles and the person

    run(work())


def test_registering_elsewhere_is_seen_at_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock, quick=True) as here:
            await event_made(here)
            who = person("asha")
            assert (await here.access.caller(who, EVENT)).participant_id is None
            async with festival_on(tablewright_backend, clock) as there:
                there.privacy = here.privacy  # processes share their keys
                by = await registered(there, EVENT, "asha")
            assert (await here.access.caller(who, EVENT)).participant_id == by.participant_id

    run(work())


def test_requests_are_limited_by_user(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        limits = {"requests_per_minute": 3, "admin_requests_per_minute": 5}
        async with api_on(engine_backend, clock, **limits) as api:
            await api.as_(ADMIN).done("POST", "/events", event_body())
            asha, ravi = api.as_(person("asha")), api.as_(person("ravi"))
            answers = [await asha("GET", "/me") for _ in range(4)]
            assert [each.status_code for each in answers] == [200, 200, 200, 429]
            assert (await ravi("GET", "/me")).status_code == 200
            codes = [(await api.as_(ADMIN)("GET", "/me")).status_code for _ in range(5)]
            assert codes == [200] * 4 + [429]

    run(work())


def test_role_granted_everywhere_counts_at_every_event_and_is_revoked(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            roles = festival.events.roles
            olga = person("olga-of-google")
            nobody = await festival.access.user(olga)
            assert (await refused(festival.events.create(nobody, EVENT_IN))).status == 403
            deciding = roles.everywhere(await festival.access.user(ADMIN))
            holder = await roles.add(deciding, str(olga.claims["email"]).upper(), ["organizer"])
            assert holder is not None
            made = await festival.events.create(await festival.access.user(olga), EVENT_IN)
            by = await caller(festival, olga, made.config.event_id)
            assert (by.has("organizer"), by.has("finance")) == (True, False)
            unverified = person("olga-of-google", verified=False)
            assert not (await caller(festival, unverified)).has("organizer")
            await roles.remove(deciding, str(olga.claims["email"]))
            assert (await caller(festival, olga)).roles == frozenset()
            actions = [each for each in await audited(festival) if each[0] == "roles.grant"]
            assert actions == [("roles.grant", "event/all-events")] * 2

    run(work())


def test_verified_address_in_the_setting_admins_is_an_administrator(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        admins = '["Ann@Google.test"]'
        async with festival_on(engine_backend, clock, admins=admins) as festival:
            await event_made(festival)
            ann = person("ann-of-google", email="ann@google.test")
            assert (await caller(festival, ann)).admin
            assert (await festival.access.user(ann)).admin
            for other in (
                person("ann-of-google", email="ann@google.test", verified=False),
                person("eve", email="eve@google.test"),
            ):
                assert not (await caller(festival, other)).admin

    run(work())


def test_organisers_add_and_remove_volunteers_and_nothing_else(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            olga, path = api.as_(ORGANIZER), f"/events/{EVENT}/admin/roles"
            body = {"who": "vera@people.test", "roles": ["volunteer"]}
            added = await olga.done("PUT", path, body)
            assert (added["who"], added["roles"]) == ("vera@people.test", ["volunteer"])
            assert (await olga.get(path))["items"] == [added]
            assert (await caller(api.festival, person("vera"))).roles == {"volunteer"}
            for roles in (["finance"], ["volunteer", "organizer"], ["admin"]):
                told = await olga.refused("PUT", path, {**body, "roles": roles})
                assert told == (403, "FORBIDDEN")
            await api.as_(ADMIN).done("PUT", path, {**body, "roles": ["volunteer", "finance"]})
            assert (await olga.refused("PUT", path, {**body, "roles": []}))[0] == 403
            await api.as_(ADMIN).done("PUT", path, body)
            assert await olga.done("PUT", path, {**body, "roles": []}) is None
            assert (await caller(api.festival, person("vera"))).roles == frozenset()
            for who in (FINANCE, person("ravi")):
                assert (await api.as_(who).refused("PUT", path, body))[0] == 403

    run(work())
