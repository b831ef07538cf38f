"""Who somebody is at an event, and what is remembered of it."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    ADMIN,
    EVENT,
    FINANCE,
    api_on,
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
from tablewright.testing.backends import Backend

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
