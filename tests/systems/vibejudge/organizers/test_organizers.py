"""Organisers: registering, their profile, their keys."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx2
import pytest
from tests.service.support import running
from tests.systems.vibejudge.api_support import API, OLGA, OTTO, api_on, code_of
from tests.systems.vibejudge.support import (
    ADMIN,
    AS_ADMIN,
    ORGANIZER,
    audited,
    courtroom_on,
    organizer,
    person,
    refused,
    run,
    wanted,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.auth.sessions import CSRF_HEADER
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.organizers import OrganizerChange, OrganizerIn
from tablewright.systems.vibejudge.system import system
from tablewright.testing import Backend

ADA = OrganizerIn(email="Ada@People.test", name="Ada", organization="Guild")


def in_cases(number: int) -> str:
    """One address, written in another way for each number."""
    text = "ada@people.test"
    return "".join(
        letter.upper() if number >> place & 1 else letter for place, letter in enumerate(text)
    )


# --- registering ---------------------------------------------------------------------------------


def test_scenario_04_of_20_parallel_registrations_one_wins(tablewright_backend: Backend) -> None:
    """20 parallel registrations, one email, mixed case: one wins."""
    together = Barrier(20)

    def register(url: str, number: int) -> tuple[int, str, str]:
        body = {"email": in_cases(number * 37 + 1), "name": f"Ada {number}"}
        with httpx2.Client(timeout=60) as client:
            together.wait(30)
            answer = client.post(f"{url}{API}/organizers", json=body)
        return answer.status_code, answer.json().get("code", ""), answer.json().get("api_key", "")

    with running(system, tablewright_backend, workers=False) as service:
        with ThreadPoolExecutor(20) as threads:
            found = list(threads.map(lambda n: register(service.url, n), range(20)))
        assert Counter(each[:2] for each in found) == {(201, ""): 1, (409, "EMAIL_TAKEN"): 19}
        (key,) = [each[2] for each in found if each[2]]
        with service.client(headers={"X-API-Key": key}) as client:
            me = client.get(f"{API}/organizers/me").json()
            assert me["email"].lower() == "ada@people.test"
            # Those who lost left nothing: one organiser has one key.
            assert len(client.get(f"{API}/organizers/me/keys").json()["items"]) == 1
        keys = service.do(service.runtime.auth.api_keys.list())
        assert len(keys) == 1


def test_an_address_registers_so_many_a_minute(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock, registrations_per_minute=3) as api:
            nobody = api.as_("nobody")
            tries = [{"email": f"n{number}@people.test", "name": "N"} for number in range(5)]
            answers = [await nobody("POST", "/organizers", each) for each in tries]
            assert [each.status_code for each in answers] == [201, 201, 201, 429, 429]
            assert answers[-1].headers["retry-after"]
            clock.advance(20)
            assert (await nobody("POST", "/organizers", tries[3])).status_code == 201

    run(main())


def test_nobody_is_named_in_a_key_or_in_the_audit_log(
    engine_backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with courtroom_on(engine_backend, clock) as courtroom:
            await courtroom.organizers.register(ADA, person("adas-subject", "organizer"))

    run(main())
    items = tablewright_engine.call("Scan", {"TableName": "VibeJudgeTable"})["Items"]
    kit = tablewright_engine.call("Scan", {"TableName": "vibejudge-kit"})["Items"]
    for item in (*items, *kit):
        keys = f"{item['PK']['S']} {item['SK']['S']}".lower()
        assert "ada@" not in keys
        assert "adas-subject" not in keys
    assert "people.test" not in str(kit).lower()


def test_who_signs_in_is_one_organiser(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            organizers = courtroom.organizers
            nobody = await organizers.caller(ORGANIZER)
            assert nobody.org_id is None
            assert (await refused(organizers.me(nobody))).code == "NOT_REGISTERED"
            made = await organizers.register(ADA, ORGANIZER)
            caller = await organizers.caller(ORGANIZER)
            assert caller.org_id == made.organizer.org_id
            other = OrganizerIn(email="other@people.test", name="Other")
            assert (await refused(organizers.register(other, ORGANIZER))).code == (
                "ALREADY_REGISTERED"
            )
            # The address of one who was refused is still free.
            assert (await organizers.register(other, None)).organizer.name == "Other"
            assert (await organizers.caller(ADMIN)).org_id is None

    run(main())


def test_registering_with_a_text_that_is_no_address_says_what_to_enter() -> None:
    with pytest.raises(ValueError, match=r"Enter an e-mail address such as asha@example\.org"):
        OrganizerIn(email="a@localhost", name="Ada")


# --- profiles ------------------------------------------------------------------------------------


def test_an_address_can_be_changed_to_one_that_is_free(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga, otto = await organizer(courtroom, OLGA), await organizer(courtroom, OTTO)
            change = courtroom.organizers.change
            taken = OrganizerChange(email="OTTO@people.test")
            assert (await refused(change(olga, taken))).code == "EMAIL_TAKEN"
            moved = await change(olga, OrganizerChange(email="new@people.test", name="Olga O"))
            assert (moved.email, moved.name, moved.tier) == ("new@people.test", "Olga O", "premium")
            # What she had is free again, and how it is written is her own affair.
            freed = await change(otto, OrganizerChange(email="olga@PEOPLE.test"))
            assert freed.email == "olga@PEOPLE.test"
            respelt = await change(otto, OrganizerChange(email="Olga@people.test"))
            assert respelt.email == "Olga@people.test"
            assert ("organizer.change", f"organizer/{olga.org_id}") in await audited(courtroom)

    run(main())


def test_a_profile_changes_while_hackathons_are_made(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            making = [courtroom.hackathons.create(olga, wanted(f"Jam {n}")) for n in range(4)]
            change = courtroom.organizers.change(olga, OrganizerChange(organization="Guild"))
            await asyncio.gather(change, *making)
            profile = await courtroom.organizers.me(olga)
            assert profile.organizer.organization == "Guild"
            assert (profile.organizer.hackathon_count, profile.usage.hackathons) == (4, 4)

    run(main())


def test_profiles_over_http(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            answer = await api("GET", "/organizers/me")
            me, tag = answer.json(), answer.headers["etag"]
            assert me["usage"] == {
                "year": 2026,
                "hackathons": 0,
                "hackathons_limit": 24,
                "submissions_limit": 500,
                "spend_usd": 0.0,
            }
            changed = await api("PATCH", "/organizers/me", {"organization": "Guild"}, If_Match=tag)
            assert (changed.status_code, changed.json()["organization"]) == (200, "Guild")
            stale = await api("PATCH", "/organizers/me", {"name": "X"}, If_Match=tag)
            assert code_of(stale) == (412, "STALE_VERSION")
            gone = await api.done("PATCH", "/organizers/me", {"organization": None})
            assert (gone["organization"], gone["name"]) == (None, "Olga")
            # Tiers are not one's own choice.
            path = f"/organizers/{me['org_id']}/tier"
            assert code_of(await api("PUT", path, {"tier": "enterprise"})) == (403, "FORBIDDEN")
            assert code_of(await api("PATCH", "/organizers/me", {"tier": "enterprise"})) == (
                422,
                "INVALID",
            )
            raised = await api.as_("admin").done("PUT", path, {"tier": "enterprise"})
            assert raised["tier"] == "enterprise"
            assert (await api.get("/organizers/me"))["usage"]["hackathons_limit"] is None
            nowhere = await api.as_("admin")("PUT", "/organizers/x/tier", {"tier": "free"})
            assert code_of(nowhere) == (404, "NOT_FOUND")
            assert code_of(await api.as_("admin")("GET", "/organizers/me")) == (
                403,
                "NOT_REGISTERED",
            )
            assert code_of(await api.as_("nobody")("GET", "/hackathons")) == (
                401,
                "UNAUTHENTICATED",
            )

    run(main())


def test_a_person_registers_in_a_browser(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            identity = api.runtime.auth.identity
            session, cookie = identity.sessions.start(ORGANIZER, now=clock.now())
            browser = {"Cookie": f"{identity.cookie}={cookie}"}
            nobody = api.as_("nobody")
            before = await nobody("GET", "/hackathons", **browser)
            assert code_of(before) == (403, "NOT_REGISTERED")
            body = {"email": "ada@people.test", "name": "Ada"}
            assert code_of(await nobody("POST", "/organizers", body, **browser)) == (403, "CSRF")
            ours = {
                **browser,
                CSRF_HEADER: identity.sessions.csrf(session),
                "Origin": identity.settings.url,
            }
            assert (await nobody("POST", "/organizers", body, **ours)).status_code == 201
            assert (await nobody("GET", "/hackathons", **browser)).status_code == 200

    run(main())


# --- keys ----------------------------------------------------------------------------------------


def test_keys_are_ones_own(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            made = await api.done("POST", "/organizers/me/keys", {"name": "Nightly"})
            listed = (await api.get("/organizers/me/keys"))["items"]
            assert {each["name"] for each in listed} == {"First key", "Nightly"}
            assert "api_key" not in listed[0]
            path = f"/organizers/me/keys/{made['key_id']}"
            assert code_of(await api.as_(OTTO)("DELETE", path)) == (404, "NOT_FOUND")
            nightly = {"X-API-Key": made["api_key"]}
            nobody = api.as_("nobody")
            assert (await nobody("GET", "/organizers/me", **nightly)).json()["name"] == "Olga"
            # Nobody makes a key for the whole system with one of their own.
            wider = {"name": "x", "roles": ["admin"]}
            assert code_of(await nobody("POST", "/api-keys", wider, **nightly)) == (
                403,
                "FORBIDDEN",
            )
            assert (await api.done("DELETE", path))["revoked_at"] is not None
            assert code_of(await nobody("GET", "/organizers/me", **nightly)) == (
                401,
                "UNAUTHENTICATED",
            )

    run(main())


def test_a_key_without_an_organiser_is_told_to_register(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            keys = api.runtime.auth.api_keys
            _, text = await keys.create(ADMIN, name="loose", roles=["organizer", "judge"])
            loose: dict[str, Any] = {"X-API-Key": text}
            nobody = api.as_("nobody")
            assert code_of(await nobody("GET", "/hackathons", **loose)) == (403, "NOT_REGISTERED")

    run(main())


def test_there_are_so_many_keys_and_no_more(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            for number in range(19):
                key, _ = await courtroom.organizers.new_key(olga, f"Key {number}")
            assert (await refused(courtroom.organizers.new_key(olga, "One more"))).code == (
                "KEYS_FULL"
            )
            await courtroom.organizers.revoke_key(olga, key.key_id)
            await courtroom.organizers.new_key(olga, "Another")
            assert AS_ADMIN.admin
            found = await courtroom.db.run(reads.organizer(olga.org_id or ""))
            assert found is not None

    run(main())
