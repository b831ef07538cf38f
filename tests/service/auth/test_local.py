"""The local issuer: handy on one's own machine, and not to be had anywhere else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from tests.service.auth.door import URL, door, own, problem, run, sign_in
from tests.service.auth.issuer import Issuer as RealIssuer

from tablewright.clock import ManualClock
from tablewright.service.auth import Auth, Identity, require_local_or_issuer
from tablewright.service.auth.claims import TokenError
from tablewright.service.auth.local import LocalIssuer, NotLocal, demo_users
from tablewright.service.keys import Keys
from tablewright.service.settings import Issuer, Settings, SettingsError
from tablewright.testing import Backend

ISSUER = Issuer(url="https://id.example.org", audience="x")
#: Every way not to be local. The last two cannot be loaded from settings, only made by mistake.
ELSEWHERE = [
    Settings(local=False, host="0.0.0.0"),
    Settings(local=False, host="192.0.2.7"),
    Settings().model_copy(update={"host": "0.0.0.0"}),
    Settings().model_copy(update={"host": "example.org"}),
]


async def token_of(browser: httpx2.AsyncClient, user: str = "demo-admin") -> str:
    form = {"grant_type": "client_credentials", "client_id": user}
    answer = await browser.post("/auth/token", data=form)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# --- people ----------------------------------------------------------------------------------


def test_there_is_a_demo_user_for_each_role() -> None:
    users = {user.id: user for user in demo_users({"shop": ["admin", "clerk"], "mail": ["admin"]})}
    assert users["demo-admin"].grants == {"shop:admin", "mail:admin"}
    assert users["demo-clerk"].grants == {"shop:clerk"}
    assert users["demo-admin"].principal().within("mail").roles == {"admin"}
    assert users["demo-clerk"].principal().within("mail").roles == frozenset()


def test_the_sign_in_page_is_offered_them(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            for user in at.auth.demo_users():
                await sign_in(browser, user.id)
                assert (await browser.get("/maybe")).json() == user.id
            assert problem(await sign_in(browser, "root")) == (404, "NOT_FOUND")

    run(main())


def test_sign_in_with_an_address_gives_a_person_without_roles(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser, " Asha.Verma@People.test ")
            who = (await browser.get("/auth/me")).json()
            assert who["id"] == "local:asha.verma@people.test"
            assert (who["name"], who["roles"]) == ("Asha Verma", [])
            headers = bearer(await token_of(browser, "asha.verma@people.test"))
            assert (await browser.get("/maybe", headers=headers)).json() == who["id"]

    run(main())


def test_sign_in_with_the_address_of_a_demo_user_gives_that_user(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser, "demo-admin@example.org")
            assert (await browser.get("/maybe")).json() == "demo-admin"

    run(main())


@pytest.mark.parametrize("text", ["@", "a@", "a b@example.org", "<a>@example.org", "a@b@c"])
def test_sign_in_with_a_bad_address_returns_422(
    memory: Backend, tablewright_clock: ManualClock, text: str
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            answer = await sign_in(browser, text)
            assert problem(answer)[0] == 422
            assert "asha@example.org" in answer.text

    run(main())


# --- tokens ----------------------------------------------------------------------------------


def test_programs_get_tokens(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            body = {"client_id": "demo-auditor"}
            answer = await browser.post("/auth/token", json=body)
            found = answer.json()
            assert (found["token_type"], found["expires_in"]) == ("Bearer", 3600)
            headers = bearer(found["access_token"])
            who = (await browser.get("/who", headers=headers)).json()
            assert (who["id"], who["roles"]) == ("demo-auditor", ["auditor"])
            assert problem(await browser.post("/change", headers=headers)) == (403, "FORBIDDEN")
            tablewright_clock.advance(3600 + 60)
            answer = await browser.get("/who", headers=headers)
            assert problem(answer) == (401, "UNAUTHENTICATED")
            assert 'error="invalid_token"' in answer.headers["www-authenticate"]

    run(main())


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"data": {"client_id": "root"}}, 401, "INVALID_CLIENT"),
        ({"data": {}}, 401, "INVALID_CLIENT"),
        ({"data": {"grant_type": "password"}}, 400, "UNSUPPORTED_GRANT_TYPE"),
        ({"json": []}, 400, "INVALID_REQUEST"),
        ({"json": {"client_id": ["demo-admin"]}}, 401, "INVALID_CLIENT"),
        ({"json": {"client_id": None}}, 401, "INVALID_CLIENT"),
        (
            {"content": b"{", "headers": {"content-type": "application/json"}},
            400,
            "INVALID_REQUEST",
        ),
        (
            {"content": b"[" * 50_000, "headers": {"content-type": "application/json"}},
            400,
            "INVALID_REQUEST",
        ),
        (
            {"content": b"\xff\xfe", "headers": {"content-type": "text/plain"}},
            401,
            "INVALID_CLIENT",
        ),
        ({"files": {"client_id": b"demo-admin"}}, 401, "INVALID_CLIENT"),
    ],
)
def test_wrong_requests_for_tokens_are_refused(
    memory: Backend,
    tablewright_clock: ManualClock,
    request_: dict[str, Any],
    status: int,
    code: str,
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            answer = await browser.post("/auth/token", **request_)
            assert problem(answer) == (status, code)
            assert answer.json()["error"] == code.lower()

    run(main())


def test_others_can_check_its_tokens_as_of_any_issuer(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            found = (await browser.get("/auth/.well-known/openid-configuration")).json()
            assert found["issuer"] == f"{URL}/auth"
            keys = (await browser.get(found["jwks_uri"])).json()
            token = await token_of(browser)
            header = jwt.get_unverified_header(token)
            published = jwt.PyJWKSet.from_dict(keys)[header["kid"]]
            claims = jwt.decode(
                token,
                published,
                algorithms=["EdDSA"],
                audience="tablewright",
                issuer=found["issuer"],
            )
            assert (claims["sub"], header["typ"]) == ("demo-admin", "at+jwt")

    run(main())


def test_tokens_of_another_place_are_worth_nothing(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with (
            door(memory, tablewright_clock) as here,
            door(memory, tablewright_clock) as there,
            here.browser() as browser,
            there.browser() as other,
        ):
            headers = bearer(await token_of(other))
            assert problem(await browser.get("/who", headers=headers)) == (401, "UNAUTHENTICATED")
            assert (await other.get("/who", headers=headers)).status_code == 200

    run(main())


def test_a_token_for_another_address_is_worth_nothing(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            token = await token_of(browser)
        async with door(memory, tablewright_clock, data=tmp_path, port=9090) as at:
            with pytest.raises(TokenError, match="another issuer"):
                await at.auth.identity.bearer(token)

    run(main())


def test_tokens_outlive_a_rotation_of_its_keys(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            old = await token_of(browser)
            at.keys.rotate("local-issuer")
            new = await token_of(browser)
            kids = {jwt.get_unverified_header(each)["kid"] for each in (old, new)}
            assert len(kids) == 2
            for token in (old, new):
                assert (await browser.get("/who", headers=bearer(token))).status_code == 200

    run(main())


# --- not elsewhere ---------------------------------------------------------------------------


@pytest.mark.parametrize("settings", ELSEWHERE, ids=lambda each: f"{each.local} {each.host}")
def test_outside_of_this_machine_nothing_starts_without_an_issuer(settings: Settings) -> None:
    keys = Keys(None, {})
    with pytest.raises(SettingsError, match="TABLEWRIGHT_ISSUER_URL"):
        require_local_or_issuer(settings)
    with pytest.raises(SettingsError):
        Identity(settings, keys, ManualClock())
    with pytest.raises(NotLocal):
        LocalIssuer(settings, keys.signing("local-issuer"), ManualClock())


def test_on_loopback_without_an_issuer_there_are_api_keys_and_no_sign_in() -> None:
    settings = Settings(local=False, host="127.0.0.1")
    identity = Identity(settings, Keys(None, {}), ManualClock())
    assert (identity.local, identity.sign_in, identity.demo_users()) == (None, None, ())
    with pytest.raises(TokenError):
        asyncio.run(identity.bearer("a.b.c"))


@pytest.mark.parametrize(
    "address",
    [{"url": "http://id.example.org"}, {"url": ISSUER.url, "jwks_url": "http://example.org/jwks"}],
)
def test_an_issuer_that_others_could_stand_in_for_is_refused(address: dict[str, str]) -> None:
    own = Settings(issuer=Issuer(audience="x", **address))
    with pytest.raises(SettingsError, match="https"):
        require_local_or_issuer(own)


def test_people_cannot_be_sent_back_to_an_unknown_address() -> None:
    client = ISSUER.model_copy(update={"client_id": "us"})
    with pytest.raises(SettingsError, match="TABLEWRIGHT_BASE_URL"):
        require_local_or_issuer(Settings(local=False, host="0.0.0.0", issuer=client))
    require_local_or_issuer(Settings(local=False, host="0.0.0.0", issuer=ISSUER))


@pytest.mark.parametrize("settings", [Settings(), *ELSEWHERE], ids=lambda each: each.host)
def test_with_an_issuer_there_are_no_demo_users(settings: Settings) -> None:
    own = settings.model_copy(update={"issuer": ISSUER})
    identity = Identity(own, Keys(None, {}), ManualClock())
    assert identity.local is None
    assert identity.demo_users() == ()
    with pytest.raises(NotLocal):
        LocalIssuer(own, Keys(None, {}).signing("local-issuer"), ManualClock())


def test_outside_its_routes_and_tokens_do_not_exist(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    """The same data folder, and so the same keys, as when it ran locally."""

    async def local() -> tuple[str, str]:
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            await sign_in(browser)
            return await token_of(browser), browser.cookies[at.cookie]

    async def outside(token: str, session: str, issuer: RealIssuer) -> None:
        async with (
            door(
                memory,
                tablewright_clock,
                data=tmp_path,
                local=False,
                host="0.0.0.0",
                base_url=URL,
                issuer=Issuer(url=issuer.url, audience="tablewright"),
            ) as at,
            at.browser() as browser,
        ):
            assert at.auth.demo_users() == ()
            assert await at.auth.first_key() is None
            for path in ("/.well-known/openid-configuration", "/jwks.json"):
                assert (await browser.get(f"/auth{path}")).status_code == 404
            assert (await browser.post("/auth/token", data={})).status_code == 404
            form = {"user": "demo-admin"}
            answer = await browser.post("/auth/sign-in", data=form, headers=own())
            assert answer.status_code == 405
            assert "set-cookie" not in answer.headers
            answer = await browser.get("/who", headers=bearer(token))
            assert problem(answer) == (401, "UNAUTHENTICATED")
            assert "does not publish" in answer.json()["detail"]
            headers = {"Cookie": f"{at.cookie}={session}"}
            assert (await browser.get("/maybe", headers=headers)).json() == "nobody"

    token, session = run(local())
    with RealIssuer() as issuer:
        run(outside(token, session, issuer))


def test_names_that_lead_here_are_not_ours(memory: Backend, tablewright_clock: ManualClock) -> None:
    """A page of the web whose name was pointed at this machine, once it was loaded."""
    evil = "http://evil.example:8080"

    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser(evil) as browser:
            answer = await browser.post("/auth/token", data={"client_id": "demo-admin"})
            assert problem(answer) == (421, "WRONG_HOST")
            assert problem(await sign_in(browser, url=evil)) == (421, "WRONG_HOST")
            assert browser.cookies.jar.__len__() == 0
            headers = {"Host": "127.0.0.1:8080", **own(evil)}
            answer = await browser.post(
                "/auth/sign-in", data={"user": "demo-admin"}, headers=headers
            )
            assert problem(answer) == (403, "FORBIDDEN")

    run(main())


def test_another_page_cannot_sign_anybody_in(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            for headers in (
                {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
                {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site"},
                {"Sec-Fetch-Site": "cross-site"},
            ):
                form = {"user": "demo-admin"}
                answer = await browser.post("/auth/sign-in", data=form, headers=headers)
                assert problem(answer) == (403, "FORBIDDEN")
                assert "set-cookie" not in answer.headers

    run(main())


# --- the first key ---------------------------------------------------------------------------


def test_the_first_key_is_written_once_and_works(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            first = await at.auth.first_key()
            assert first == (tmp_path / "keys" / "admin.key").read_text().strip()
            assert await at.auth.first_key() == first
            headers = {"X-API-Key": str(first)}
            assert (await browser.post("/change", headers=headers)).status_code == 200
        async with door(memory, tablewright_clock, data=tmp_path) as at:
            assert await at.auth.first_key() == first

    run(main())


def test_a_system_without_admins_gets_a_key_with_all_its_roles(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            shelf = Auth("shelf", at.auth.identity, db=at.db, roles=["keeper", "reader"])
            found = await shelf.api_keys.principal(str(await shelf.first_key()))
            assert found is not None
            assert found.roles == {"keeper", "reader"}

    run(main())


def test_a_first_key_that_was_revoked_stays_so(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            text = str(await at.auth.first_key())
            admin = at.auth.demo_users()[0].principal()
            await at.auth.api_keys.revoke(admin, text.split("_")[1])
            tablewright_clock.advance(86_400 * 1000)
            assert await at.auth.first_key() == text
            answer = await browser.get("/who", headers={"X-API-Key": text})
            assert problem(answer) == (401, "UNAUTHENTICATED")

    run(main())


def test_several_starts_at_once_make_one_key(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at:
            found = await asyncio.gather(*(at.auth.first_key() for _ in range(10)))
            assert len(set(found)) == 1
            assert len(await at.auth.api_keys.list()) == 1

    run(main())
