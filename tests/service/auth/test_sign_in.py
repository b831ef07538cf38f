"""Signing in by an OpenID Connect issuer: our service, a real issuer over HTTP, and a browser."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from tests.service.auth.door import Door, door, problem, run
from tests.service.auth.issuer import AUDIENCE, CLIENT, SECRET, Issuer, key_pair

from tablewright.clock import ManualClock
from tablewright.service.settings import Issuer as IssuerSettings
from tablewright.testing import Backend

HOME = "https://app.example.org"
CALLBACK = f"{HOME}/auth/callback"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as one:
        one.redirect_uri = CALLBACK
        yield one


@asynccontextmanager
async def opened(
    memory: Backend, clock: ManualClock, issuer: Issuer, **other: Any
) -> AsyncIterator[tuple[Door, httpx2.AsyncClient]]:
    issuer.now = clock.now
    fields: dict[str, Any] = {
        "url": issuer.url,
        "audience": AUDIENCE,
        "client_id": CLIENT,
        "client_secret": SECRET,
        **other,
    }
    settings = IssuerSettings(**fields)
    async with (
        door(memory, clock, local=False, host="0.0.0.0", base_url=HOME, issuer=settings) as at,
        at.browser() as browser,
    ):
        yield at, browser


async def at_issuer(url: str) -> str:
    """Where the issuer sends the browser back to."""
    async with httpx2.AsyncClient() as browser:
        answer = await browser.get(url)
    assert answer.status_code == 302, answer.text
    return str(answer.headers["location"])


async def come_back(browser: httpx2.AsyncClient, target: str = "/") -> httpx2.Response:
    """The whole way, as a browser goes it."""
    answer = await browser.get("/auth/sign-in", params={"next": target})
    assert answer.status_code == 302, answer.text
    return await browser.get(await at_issuer(answer.headers["location"]))


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


# --- the way ---------------------------------------------------------------------------------


@pytest.mark.parametrize("methods", [None, ["client_secret_basic"], ["client_secret_post"]])
def test_signing_in_by_the_issuer(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer, methods: list[str] | None
) -> None:
    if methods is not None:
        issuer.discovery["token_endpoint_auth_methods_supported"] = methods

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            answer = await come_back(browser, "/shop/orders?page=2")
            assert (answer.status_code, answer.headers["location"]) == (303, "/shop/orders?page=2")
            who = (await browser.get("/who")).json()
            assert who == {"id": "ada", "name": "Ada", "kind": "user", "roles": ["admin"]}
            assert [cookie.name for cookie in browser.cookies.jar] == ["__Host-tablewright"]

    run(main())


def test_a_public_client_has_no_secret(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    issuer.secret = None

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer, client_secret=None) as (_, browser):
            assert (await come_back(browser)).status_code == 303

    run(main())


def test_what_the_issuer_is_asked(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            first, second = [await browser.get("/auth/sign-in") for _ in "ab"]
            asked = query_of(first.headers["location"])
            assert asked["tenant"] == "1", "what the endpoint has in its query stays"
            assert asked["redirect_uri"] == CALLBACK
            assert asked["scope"] == "openid profile email"
            assert len(asked["code_challenge"]) == 43
            again = query_of(second.headers["location"])
            assert all(asked[name] != again[name] for name in ("state", "nonce", "code_challenge"))
            cookie = first.headers["set-cookie"]
            for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/", "Max-Age=600", "__Host-"):
                assert part in cookie

    run(main())


def test_two_tabs_can_sign_in_at_once(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            begun = [await browser.get("/auth/sign-in", params={"next": to}) for to in ("/a", "/b")]
            backs = [await at_issuer(each.headers["location"]) for each in begun]
            answers = [await browser.get(back) for back in backs]
            assert [each.headers["location"] for each in answers] == ["/a", "/b"]

    run(main())


def test_roles_may_be_deep_inside(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    issuer.user = {"sub": "ada", "realm_access": {"roles": ["shop:auditor", "offline_access"]}}

    async def main() -> None:
        deep = {"roles_claim": "realm_access.roles"}
        async with opened(memory, tablewright_clock, issuer, **deep) as (_, browser):
            await come_back(browser)
            who = (await browser.get("/who")).json()
            assert (who["name"], who["roles"]) == ("ada", ["auditor"])

    run(main())


def test_somebody_without_a_role_is_somebody_who_may_nothing(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    issuer.user = {"sub": "eve", "roles": ["mail:admin", "admin", 7, {"shop": "admin"}]}

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            await come_back(browser)
            assert (await browser.get("/maybe")).json() == "eve"
            assert problem(await browser.get("/who")) == (403, "FORBIDDEN")

    run(main())


def test_bearer_tokens_of_the_same_issuer_work_beside(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            token = issuer.token(sub="robot", azp="robot")
            headers = {"Authorization": f"Bearer {token}"}
            who = (await browser.get("/who", headers=headers)).json()
            assert (who["id"], who["kind"]) == ("robot", "client")
            token = issuer.keys[0].sign(issuer.claims(aud=CLIENT, nonce="n"), typ="JWT")
            answer = await browser.get("/who", headers={"Authorization": f"Bearer {token}"})
            assert problem(answer) == (401, "UNAUTHENTICATED"), "an ID token opens nothing"

    run(main())


# --- what does not fit -----------------------------------------------------------------------


async def failed(browser: httpx2.AsyncClient, answer: httpx2.Response) -> str:
    assert problem(answer) == (401, "SIGN_IN_FAILED")
    assert "__Host-tablewright=" not in answer.headers.get("set-cookie", "")
    assert (await browser.get("/maybe")).json() == "nobody"
    return str(answer.json()["detail"])


def test_another_browser_cannot_finish_what_one_began(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    """Nobody can be signed in as somebody else by following a link."""

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (at, browser):
            begun = await browser.get("/auth/sign-in")
            back = await at_issuer(begun.headers["location"])
            async with at.browser() as victim:
                assert "another browser" in await failed(victim, await victim.get(back))
                own = await victim.get("/auth/sign-in")
                mixed = query_of(back)["code"]
                state = query_of(own.headers["location"])["state"]
                answer = await victim.get(f"{CALLBACK}?code={mixed}&state={state}")
                assert "did not accept" in await failed(victim, answer), "PKCE"

    run(main())


def test_a_state_that_was_not_given_out_is_refused(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            begun = await browser.get("/auth/sign-in")
            back = await at_issuer(begun.headers["location"])
            code, state = query_of(back)["code"], query_of(back)["state"]
            for wrong in ("", state[:-1], state[:12] + "x" * 31, "é", "%00", "x" * 5000):
                answer = await browser.get(CALLBACK, params={"code": code, "state": wrong})
                await failed(browser, answer)
            assert (await browser.get(back)).status_code == 303, "the right one still works"

    run(main())


def test_a_code_works_once(memory: Backend, tablewright_clock: ManualClock, issuer: Issuer) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (at, browser):
            begun = await browser.get("/auth/sign-in")
            cookie = begun.headers["set-cookie"].partition(";")[0]
            back = await at_issuer(begun.headers["location"])
            assert (await browser.get(back)).status_code == 303
            async with at.browser() as other:
                await failed(other, await other.get(back, headers={"Cookie": cookie}))

    run(main())


def test_callback_that_is_sent_again_is_refused_even_if_the_issuer_accepts_codes_twice(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (at, browser):
            begun = await browser.get("/auth/sign-in")
            cookie = begun.headers["set-cookie"].partition(";")[0]
            back = await at_issuer(begun.headers["location"])
            codes = dict(issuer.codes)
            assert (await browser.get(back)).status_code == 303
            issuer.codes.update(codes)
            async with at.browser() as other:
                answer = await other.get(back, headers={"Cookie": cookie})
                assert "finished before" in await failed(other, answer)

    run(main())


@pytest.mark.parametrize(
    "subject",
    ["system", "key:b8c2", "System:kurukshetra/door", "a\x00b", "a\nb", "\ud800", "a\u200b", " a"],
)
def test_subject_that_could_be_taken_for_another_is_refused(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer, subject: str
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            begun = await browser.get("/auth/sign-in")
            issuer.id_claims["sub"] = subject
            back = await at_issuer(begun.headers["location"])
            answer = await browser.get(back)
            assert answer.status_code < 500
            assert "`sub`" in await failed(browser, answer)

    run(main())


def test_a_sign_in_that_takes_too_long_begins_again(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            begun = await browser.get("/auth/sign-in")
            back = await at_issuer(begun.headers["location"])
            tablewright_clock.advance(600)
            assert "too long" in await failed(browser, await browser.get(back))

    run(main())


@pytest.mark.parametrize(
    ("claims", "match"),
    [
        ({"nonce": "another"}, "nonce"),
        ({"aud": AUDIENCE}, "another audience"),
        ({"aud": [CLIENT, "another"]}, "azp"),
        ({"azp": "another"}, "azp"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"exp": 1}, "expired"),
        ({"sub": ""}, "sub"),
        ({"sub": 7}, "sub"),
        ({"sub": "x" * 256}, "sub"),
    ],
)
def test_an_id_token_that_does_not_fit_signs_nobody_in(
    memory: Backend,
    tablewright_clock: ManualClock,
    issuer: Issuer,
    claims: dict[str, object],
    match: str,
) -> None:
    issuer.id_claims = claims

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            assert match in await failed(browser, await come_back(browser))

    run(main())


def test_several_audiences_are_fine_if_we_are_the_party(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    issuer.id_claims = {"aud": [CLIENT, "another"], "azp": CLIENT}

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            assert (await come_back(browser)).status_code == 303

    run(main())


def test_an_answer_of_another_issuer_is_refused(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            begun = await browser.get("/auth/sign-in")
            back = query_of(await at_issuer(begun.headers["location"]))
            answer = await browser.get(CALLBACK, params={**back, "iss": "https://evil.example"})
            assert "another issuer" in await failed(browser, answer)

    run(main())


def test_what_the_issuer_says_is_passed_on(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            begun = await browser.get("/auth/sign-in")
            state = query_of(begun.headers["location"])["state"]
            denied = {"state": state, "error": "access_denied"}
            answer = await browser.get(CALLBACK, params=denied)
            assert "access_denied" in await failed(browser, answer)
            assert "no code" in await failed(
                browser, await browser.get(CALLBACK, params={"state": state})
            )

    run(main())


def test_a_wrong_secret_signs_nobody_in(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    issuer.secret = "another"

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            await failed(browser, await come_back(browser))

    run(main())


# --- trouble ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["drop", "error", "garbage", "huge"])
def test_an_issuer_in_trouble_is_a_problem_that_says_so(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer, fault: str
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            issuer.faults["/.well-known/openid-configuration"] = fault
            answer = await browser.get("/auth/sign-in")
            assert problem(answer) == (503, "ISSUER_UNAVAILABLE")
            tablewright_clock.advance(5)
            issuer.faults = {"/token": fault}
            assert problem(await come_back(browser)) == (503, "ISSUER_UNAVAILABLE")
            issuer.faults = {}
            assert (await come_back(browser)).status_code == 303

    run(main())


def test_an_issuer_that_does_not_answer_is_not_waited_for_long(
    memory: Backend,
    tablewright_clock: ManualClock,
    issuer: Issuer,
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (at, browser):
            provider = at.auth.identity.provider
            assert provider is not None
            provider.fetcher._timeout = 0.2
            issuer.faults["/token"] = "trickle"
            begun = time.perf_counter()
            assert problem(await come_back(browser)) == (503, "ISSUER_UNAVAILABLE")
            assert time.perf_counter() - begun < 5

    run(main())


@pytest.mark.parametrize(
    "discovery",
    [
        {"authorization_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "http://id.example.org/authorize"},
    ],
)
def test_an_issuer_without_a_safe_place_to_sign_in_is_a_problem(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer, discovery: dict[str, Any]
) -> None:
    issuer.discovery = discovery

    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            answer = await browser.get("/auth/sign-in")
            assert problem(answer) == (502, "ISSUER_INCOMPLETE")

    run(main())


def test_without_a_client_there_is_no_sign_in(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer, client_id=None) as (_, browser):
            assert problem(await browser.get("/auth/sign-in")) == (404, "NO_SIGN_IN")

    run(main())


def test_the_issuers_keys_may_rotate_while_somebody_signs_in(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            await come_back(browser)
            issuer.keys = [key_pair("new", "ES256")]
            tablewright_clock.advance(5)
            assert (await come_back(browser)).status_code == 303

    run(main())


def test_signing_in_is_limited(
    memory: Backend, tablewright_clock: ManualClock, issuer: Issuer
) -> None:
    async def main() -> None:
        async with opened(memory, tablewright_clock, issuer) as (_, browser):
            answers = [await browser.get("/auth/sign-in") for _ in range(61)]
            assert problem(answers[-1]) == (429, "RATE_LIMITED")
            assert answers[-2].status_code == 302

    run(main())
