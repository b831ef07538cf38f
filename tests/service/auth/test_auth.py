"""The door of a system: who is asking, in which order it is looked at, and who may."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import HTTPConnection
from tests.service.auth.door import door, own, problem, run, sign_in

from tablewright.clock import ManualClock
from tablewright.service.auth import Auth, Identity, Principal, system_principal
from tablewright.service.auth.claims import TokenError, at_path, principal_of
from tablewright.service.auth.origins import origin_of, safe_path
from tablewright.service.auth.principal import grants_of, roles_of
from tablewright.service.auth.signed import seal, unseal
from tablewright.service.auth.streams import StreamTokens
from tablewright.service.keys import Keys
from tablewright.service.problems import Problem
from tablewright.service.settings import Settings
from tablewright.testing import Backend

#: Machines are busy at times.
unhurried = settings(deadline=None)
ADMIN = Principal("ada", "Ada", "user", grants=frozenset({"shop:admin"})).within("shop")


# --- roles -----------------------------------------------------------------------------------


def test_each_system_sees_its_own_roles() -> None:
    ada = Principal("ada", "Ada", "user", grants=frozenset({"shop:admin", "mail:x", "*:auditor"}))
    assert ada.within("shop").roles == {"admin", "auditor"}
    assert ada.within("mail").roles == {"x", "auditor"}
    assert ada.within("other").roles == {"auditor"}
    assert ada.within("shop").has("admin", "operator")
    assert not ada.within("mail").has("admin")
    assert ada.within("other").has()
    assert not Principal("eve", "Eve", "user").within("shop").has()


@pytest.mark.parametrize(
    ("claim", "grants"),
    [
        (["shop:admin", "*:auditor"], {"shop:admin", "*:auditor"}),
        ("shop:admin mail:x", {"shop:admin", "mail:x"}),
        ("shop:admin,mail:x", {"shop:admin", "mail:x"}),
        (["admin", "shop:", ":admin", "shop:admin:more", "SHOP:admin", "**:admin"], set()),
        (["shop:admin\n", "*", "*:*", "", None, 7, ["shop:admin"]], set()),
        (None, set()),
        ({"shop": "admin"}, set()),
        (7, set()),
        (True, set()),
    ],
)
def test_what_a_claim_grants(claim: object, grants: set[str]) -> None:
    assert grants_of(claim) == grants


@unhurried
@given(st.recursive(st.none() | st.booleans() | st.text() | st.integers(), st.lists, max_leaves=8))
def test_no_claim_is_an_error(claim: object) -> None:
    roles = roles_of(grants_of(claim), "shop")
    assert all(f"shop:{role}" in str(claim) or f"*:{role}" in str(claim) for role in roles)


def test_a_claim_may_have_dots_in_its_name() -> None:
    claims = {"https://example.org/roles": ["a"], "realm": {"roles": ["b"]}, "text": "c"}
    assert at_path(claims, "https://example.org/roles") == ["a"]
    assert at_path(claims, "realm.roles") == ["b"]
    assert at_path(claims, "text.roles") is None
    assert at_path(claims, "nothing.at.all") is None


def test_names_of_people_and_clients() -> None:
    assert principal_of({"sub": "1", "name": "Ada"}, "roles").name == "Ada"
    assert principal_of({"sub": "1", "preferred_username": "ada"}, "roles").name == "ada"
    assert principal_of({"sub": "1", "name": " "}, "roles").name == "1"
    assert principal_of({"sub": "1", "azp": "app"}, "roles").kind == "user"
    assert principal_of({"sub": "app", "client_id": "app"}, "roles").kind == "client"
    with pytest.raises(TokenError):
        principal_of({"name": "Ada"}, "roles")


def test_the_system_itself_is_a_principal_without_rights() -> None:
    worker = system_principal("shop", "sweeper")
    assert (worker.id, worker.kind, worker.has()) == ("system:shop/sweeper", "system", False)


# --- the order -------------------------------------------------------------------------------


async def tokens(browser: httpx2.AsyncClient, user: str) -> str:
    answer = await browser.post("/auth/token", json={"client_id": user})
    return f"Bearer {answer.json()['access_token']}"


def test_what_was_given_and_is_wrong_is_not_passed_over(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            _, key = await at.auth.api_keys.create(ADMIN, name="k", roles=["operator"])
            auditor = await tokens(browser, "demo-auditor")
            for headers, expected in [
                ({}, "demo-admin"),
                ({"X-API-Key": key}, f"key:{key.split('_')[1]}"),
                ({"Authorization": auditor, "X-API-Key": key}, "demo-auditor"),
                ({"Authorization": auditor.replace("Bearer", "bEARER")}, "demo-auditor"),
                ({"Authorization": "Basic YTpi"}, "demo-admin"),
            ]:
                assert (await browser.get("/maybe", headers=headers)).json() == expected
            for headers in [
                {"Authorization": auditor[:-3]},
                {"Authorization": "Bearer"},
                {"Authorization": "Bearer "},
                {"Authorization": "Bearer twk_x", "X-API-Key": key},
                {"X-API-Key": ""},
                {"X-API-Key": "twk_x"},
            ]:
                answer = await browser.get("/maybe", headers=headers)
                assert problem(answer) == (401, "UNAUTHENTICATED"), headers

    run(main())


def test_a_challenge_says_what_is_wanted(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            answer = await browser.get("/who")
            assert answer.headers["www-authenticate"] == 'Bearer realm="shop"'
            headers = {"Authorization": 'Bearer a".b\\.c'}
            answer = await browser.get("/who", headers=headers)
            challenge = answer.headers["www-authenticate"]
            assert 'error="invalid_token"' in challenge
            assert challenge.count('"') == 6

    run(main())


@unhurried
@given(st.binary(max_size=200))
def test_no_header_is_an_error_of_ours(value: bytes) -> None:
    identity = Identity(Settings(), Keys(None, {}), ManualClock())
    auth = Auth("shop", identity, roles=["admin"])

    async def main() -> None:
        for name in (b"authorization", b"x-api-key", b"cookie"):
            for before in (b"", b"Bearer ", b"Bearer twk_", b"tablewright-8080=v1."):
                scope = {"type": "http", "headers": [(name, before + value)], "method": "GET"}
                try:
                    found: object = await auth.principal(HTTPConnection(scope))
                except Problem as refusal:
                    found = None if refusal.status == 401 else refusal
                assert found is None

    run(main())


# --- whether ---------------------------------------------------------------------------------


def test_who_may(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            for user, change, audit in [
                ("demo-admin", 200, 200),
                ("demo-auditor", 403, 200),
                ("demo-operator", 403, 403),
            ]:
                headers = {"Authorization": await tokens(browser, user)}
                answers = [
                    await browser.post("/change", headers=headers),
                    await browser.get("/audit", headers=headers),
                ]
                assert [each.status_code for each in answers] == [change, audit]
            assert (await browser.post("/change")).status_code == 401

    run(main())


def test_systems_share_a_session_and_not_their_roles(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            other = Auth("mail", at.auth.identity, roles=["postman"])
            console = Auth("console", at.auth.identity)
            await sign_in(browser, "demo-postman")
            cookie = f"{at.cookie}={browser.cookies[at.cookie]}".encode()
            scope: dict[str, Any] = {
                "type": "http",
                "method": "GET",
                "headers": [(b"cookie", cookie)],
            }
            request = HTTPConnection(scope)
            seen = {
                auth.system: await auth.principal(request) for auth in (at.auth, other, console)
            }
            roles = {name: set(each.roles) if each else None for name, each in seen.items()}
            assert roles == {"shop": set(), "mail": {"postman"}, "console": set()}
            found = seen["console"]
            assert found is not None
            assert found.roles_in("mail") == {"postman"}

    run(main())


def test_without_a_database_there_are_no_keys(tablewright_clock: ManualClock) -> None:
    identity = Identity(Settings(), Keys(None, {}), tablewright_clock)
    console = Auth("console", identity)
    with pytest.raises(TypeError, match="API keys"):
        console.api_keys  # noqa: B018 - it raises
    headers = [(b"x-api-key", b"twk_x")]
    request = HTTPConnection({"type": "http", "method": "GET", "headers": headers})
    with pytest.raises(Exception, match="no API keys"):
        run(console.principal(request))
    assert run(console.first_key()) is None


def test_openapi_says_how_to_prove_oneself(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> dict[str, Any]:
        async with door(memory, tablewright_clock) as at:
            return at.app.openapi()

    document = run(main())
    assert set(document["components"]["securitySchemes"]) == {"bearer", "key", "session"}
    assert document["paths"]["/change"]["post"]["security"] == [
        {"bearer": []},
        {"key": []},
        {"session": []},
    ]
    assert "security" not in document["paths"]["/maybe"]["get"]


# --- streams ---------------------------------------------------------------------------------


def test_a_stream_token_opens_streams_for_a_minute(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            assert problem(await browser.get("/stream")) == (401, "UNAUTHENTICATED")
            headers = {"Authorization": await tokens(browser, "demo-auditor")}
            answer = await browser.post("/shop/api/v1/stream-token", headers=headers)
            token = answer.json()["stream_token"]
            address = {"stream_token": token}
            assert (await browser.get("/stream", params=address)).json() == "demo-auditor"
            answer = await browser.get("/who", params=address)
            assert problem(answer) == (401, "UNAUTHENTICATED"), "nothing else"
            tablewright_clock.advance(60)
            answer = await browser.get("/stream", params=address)
            assert problem(answer) == (401, "UNAUTHENTICATED")
            assert (await browser.get("/stream", headers=headers)).json() == "demo-auditor"
            await sign_in(browser)
            assert (await browser.get("/stream")).json() == "demo-admin"
            answer = await browser.get("/stream", params={"stream_token": "x"})
            assert problem(answer) == (401, "UNAUTHENTICATED")

    run(main())


def test_a_stream_token_is_for_one_system(tablewright_clock: ManualClock) -> None:
    ring = Keys(None, {}).ring("streams")
    shop, mail = (StreamTokens(name, ring, tablewright_clock) for name in ("shop", "mail"))
    token = shop.make(ADMIN)
    found = shop.read(token)
    assert found == ADMIN
    assert mail.read(token) is None
    assert (
        StreamTokens("shop", Keys(None, {}).ring("streams"), tablewright_clock).read(token) is None
    )


def test_only_somebody_with_a_role_gets_a_stream_token(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            answer = await browser.post("/shop/api/v1/stream-token")
            assert problem(answer) == (401, "UNAUTHENTICATED")
            await sign_in(browser)
            answer = await browser.post("/shop/api/v1/stream-token", headers=own())
            assert problem(answer) == (403, "CSRF")

    run(main())


# --- small rules -----------------------------------------------------------------------------


@unhurried
@given(
    payload=st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=5),
    purpose=st.text(max_size=10),
    other=st.text(max_size=10),
)
def test_what_is_sealed_comes_back_for_its_purpose_only(
    payload: dict[str, Any], purpose: str, other: str
) -> None:
    ring = Keys(None, {}).ring("seals")
    text = seal(ring, purpose, payload, expires=100)
    assert unseal(ring, purpose, text, now=99.9) == {**payload, "exp": 100}
    assert unseal(ring, purpose, text, now=100) is None
    if other != purpose:
        assert unseal(ring, other, text, now=0) is None


@unhurried
@given(st.text(max_size=60))
def test_any_text_can_be_looked_at(text: str) -> None:
    ring = Keys(None, {}).ring("seals")
    assert unseal(ring, "x", text, now=0) is None
    assert unseal(ring, "x", f"v1.{ring.current.kid}.{text}", now=0) is None


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://Example.org/base/", "https://example.org"),
        ("https://example.org:443", "https://example.org"),
        ("http://example.org:80/", "http://example.org"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_origins_as_browsers_write_them(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@unhurried
@given(st.text(max_size=30))
def test_no_text_leads_elsewhere(text: str) -> None:
    for wanted in (text, "/" + text, "//" + text, "/\\" + text):
        target = safe_path(wanted)
        joined = httpx2.URL("https://app.example.org/x").join(target)
        assert joined.host == "app.example.org"


def test_the_web_framework_is_not_imported_with_it() -> None:
    check = (
        "import sys, tablewright.service.auth, tablewright.service.limits\n"
        "heavy = {'fastapi', 'starlette', 'uvicorn', 'jinja2', 'httpx2', 'jwt', 'bcrypt'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
