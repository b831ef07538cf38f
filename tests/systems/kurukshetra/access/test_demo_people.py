"""Demo people sign in with a browser, and take part with the address that comes along."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    ADMIN,
    API,
    EVENT,
    api_on,
    event_body,
    registration_body,
    run,
)

from tablewright.clock import ManualClock
from tablewright.service.auth import DemoUser
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend


def test_they_have_verified_addresses_and_no_roles(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            users: dict[str, DemoUser] = {each.id: each for each in api.runtime.auth.demo_users()}
            assert {f"demo-{each}" for each in system.roles} < set(users)
            asha = users["demo-asha"]
            assert (asha.grants, asha.email) == (frozenset(), "asha@example.org")
            assert all(each.email.endswith("@example.org") for each in users.values())

    run(work())


def test_a_browser_registers_with_its_session(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            await api.as_(ADMIN).done("POST", "/events", event_body())
            origin = {"Origin": str(api.http.base_url).rstrip("/")}
            signed = await api.http.post(
                "/auth/sign-in", data={"user": "demo-asha"}, headers=origin
            )
            assert signed.status_code == 303
            csrf = (await api.http.get("/auth/me")).json()["csrf_token"]
            path = f"{API}/events/{EVENT}/register"
            unsaid = await api.http.post(path, json=registration_body(), headers=origin)
            assert unsaid.status_code == 403
            made = await api.http.post(
                path, json=registration_body(), headers={**origin, "X-CSRF-Token": csrf}
            )
            assert made.status_code == 201, made.text
            assert made.json()["email"] == "asha@example.org"

    run(work())
