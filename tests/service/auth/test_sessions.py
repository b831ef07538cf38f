"""Signing in and out with a browser, and what its requests must show."""

from __future__ import annotations

from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.service.auth.door import URL, Door, csrf_of, door, own, problem, run, sign_in

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.sessions import Sessions
from tablewright.service.keys import Keys
from tablewright.service.kit import audit
from tablewright.service.problems import Problem
from tablewright.testing import Backend, injected

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def cookie_in(response: httpx2.Response) -> SimpleCookie:
    return SimpleCookie(response.headers["set-cookie"])


# --- the cookie ------------------------------------------------------------------------------


def test_signing_in_gives_a_session(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            assert (await browser.get("/maybe")).json() == "nobody"
            assert problem(await browser.get("/who")) == (401, "UNAUTHENTICATED")
            answer = await sign_in(browser)
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            assert (await browser.get("/who")).json() == {
                "id": "demo-admin",
                "name": "Demo admin",
                "kind": "user",
                "roles": ["admin"],
            }
            me = (await browser.get("/auth/me")).json()
            assert (me["id"], me["roles"]) == ("demo-admin", ["shop:admin"])

    run(main())


def test_the_cookie_is_for_us_alone(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
            assert one.key == "tablewright-8080"
            assert (one["httponly"], one["samesite"], one["path"]) == (True, "lax", "/")
            assert (one["domain"], one["secure"]) == ("", "")
            assert int(one["max-age"]) == 8 * 3600
        async with door(memory, tablewright_clock, base_url="https://tw.localhost") as at:
            async with at.browser() as browser:
                answer = await sign_in(browser, url="https://tw.localhost")
                (one,) = cookie_in(answer).values()
                assert one.key == "__Host-tablewright"
                assert (one["secure"], one["path"], one["domain"]) == (True, "/", "")

    run(main())


def test_a_session_ends_by_itself(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, session_hours=2) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
            keeping = {"Cookie": f"{at.cookie}={one.value}"}
            tablewright_clock.advance(7199)
            assert (await browser.get("/who", headers=keeping)).status_code == 200
            tablewright_clock.advance(1)
            assert (await browser.get("/maybe", headers=keeping)).json() == "nobody"

    run(main())


def test_a_changed_cookie_is_nobodys(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser, "demo-auditor")).values()
            version, kid, body, mac = one.value.split(".")
            for text in (
                "",
                "v1.a.b.c",
                "v1....",
                f"{version}.{kid}.{body}.{mac[:-2]}AA",
                f"{version}.{kid}.{body[:-2]}AA.{mac}",
                f"{version}.{'0' * 8}.{body}.{mac}",
                f"v2.{kid}.{body}.{mac}",
                one.value + "A",
                one.value * 20,
                "é",
            ):
                headers = {"Cookie": f"{at.cookie}={text}".encode()}
                async with at.browser() as other:
                    answer = await other.get("/maybe", headers=headers)
                assert answer.json() == "nobody", text

    run(main())


def test_a_token_of_another_kind_is_no_session(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            csrf = await csrf_of(browser)
            stream = at.auth.stream_token(Principal("x", "x", "user", frozenset({"admin"})))
            for text in (csrf, stream):
                async with at.browser() as other:
                    answer = await other.get("/maybe", headers={"Cookie": f"{at.cookie}={text}"})
                assert answer.json() == "nobody"

    run(main())


def test_sessions_go_on_after_a_restart_and_a_rotation(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
        Keys(tmp_path / "keys", {}).rotate("sessions")
        headers = {"Cookie": f"{at.cookie}={one.value}"}
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            assert (await browser.get("/maybe", headers=headers)).json() == "demo-admin"
            (new,) = cookie_in(await sign_in(browser)).values()
            assert new.value.split(".")[1] != one.value.split(".")[1]
        (tmp_path / "keys" / "sessions" / "0001").unlink()
        async with door(memory, tablewright_clock, data=tmp_path) as at, at.browser() as browser:
            assert (await browser.get("/maybe", headers=headers)).json() == "nobody"
            headers = {"Cookie": f"{at.cookie}={new.value}"}
            assert (await browser.get("/maybe", headers=headers)).json() == "demo-admin"

    run(main())


@pytest.mark.parametrize(
    ("claims", "kept"),
    [
        (
            {"email": "a@x.test", "email_verified": True},
            {"email": "a@x.test", "email_verified": True},
        ),
        (
            {"email": "a@x.test", "email_verified": "true", "phone": "1"},
            {"email": "a@x.test", "email_verified": True},
        ),
        (
            {"email": "a@x.test", "email_verified": "yes"},
            {"email": "a@x.test", "email_verified": False},
        ),
        ({"email": "a@x.test"}, {"email": "a@x.test", "email_verified": False}),
        ({"email": ["a@x.test"], "email_verified": True}, {}),
        ({"email": "a" * 255, "email_verified": True}, {}),
    ],
)
def test_a_session_keeps_the_address_and_whether_it_is_verified(
    claims: dict[str, object], kept: dict[str, object]
) -> None:
    sessions = Sessions(Keys(None, {}).ring("sessions"), vouched_by="local", lasts_secs=60)
    _, cookie = sessions.start(Principal("ada", "Ada", "user", claims=claims), now=1000)
    found = sessions.read(cookie, now=1001)
    assert found is not None
    assert found.principal.claims == kept


def test_more_roles_than_a_cookie_holds_are_refused() -> None:
    sessions = Sessions(Keys(None, {}).ring("sessions"), vouched_by="local", lasts_secs=60)
    grants = frozenset(f"system-{number}:role-with-a-long-name" for number in range(200))
    with pytest.raises(Problem) as caught:
        sessions.start(Principal("ada", "Ada", "user", grants=grants), now=0)
    assert caught.value.code == "TOO_MANY_ROLES"


# --- signing out -----------------------------------------------------------------------------


async def sign_out(browser: httpx2.AsyncClient, csrf: str | None = None) -> httpx2.Response:
    token = await csrf_of(browser) if csrf is None else csrf
    form = {"csrf_token": token, "next": "/sign-in"}
    return await browser.post("/auth/sign-out", data=form, headers=own())


def test_signing_out_ends_every_copy_of_the_cookie(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
            copy = {"Cookie": f"{at.cookie}={one.value}"}
            answer = await sign_out(browser)
            assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
            assert (await browser.get("/maybe")).json() == "nobody"
            async with at.browser() as thief:
                assert (await thief.get("/maybe", headers=copy)).json() == "nobody"
                assert (await thief.get("/page", headers=copy)).text.startswith("nobody")
            assert (await sign_out(browser, "")).status_code == 303, "twice is no problem"

    run(main())


def test_signing_out_takes_effect_at_once_in_another_process(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with (
            door(memory, tablewright_clock, data=tmp_path) as here,
            door(memory, tablewright_clock, data=tmp_path) as there,
            here.browser() as browser,
            there.browser() as other,
        ):
            (one,) = cookie_in(await sign_in(browser)).values()
            copy = {"Cookie": f"{there.cookie}={one.value}"}
            assert (await other.get("/maybe", headers=copy)).json() == "demo-admin"
            await sign_out(browser)
            assert (await other.get("/maybe", headers=copy)).json() == "nobody"

    run(main())


def test_session_is_refused_with_503_while_the_store_cannot_say_whether_it_was_ended(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            assert (await browser.get("/maybe")).json() == "demo-admin"
            with injected(tablewright_engine, Fault(error="ResourceNotFoundException")):
                assert (await browser.get("/maybe")).status_code >= 500
            assert (await browser.get("/maybe")).json() == "demo-admin"

    run(main())


# --- ended by an administrator ---------------------------------------------------------------


async def end_sessions(at: Door, admin: httpx2.AsyncClient, user: str) -> httpx2.Response:
    """Ask the API to end all sessions of a user."""
    token = await csrf_of(admin)
    headers = {**own(), "X-CSRF-Token": token}
    return await admin.post("/shop/api/v1/sessions/end", json={"user": user}, headers=headers)


def test_admin_ends_all_sessions_of_a_user_at_once_in_every_process(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with (
            door(memory, tablewright_clock, data=tmp_path) as here,
            door(memory, tablewright_clock, data=tmp_path) as there,
            here.browser() as admin,
            here.browser() as laptop,
            there.browser() as phone,
        ):
            await sign_in(admin)
            await sign_in(laptop, "demo-operator")
            await sign_in(phone, "demo-operator")
            for browser in (laptop, phone):
                assert (await browser.get("/maybe")).json() == "demo-operator"
            tablewright_clock.advance(1)
            assert (await end_sessions(here, admin, "demo-operator")).status_code == 204
            for browser in (laptop, phone):
                assert (await browser.get("/maybe")).json() == "nobody"
            assert (await admin.get("/maybe")).json() == "demo-admin"
            tablewright_clock.advance(1)
            await sign_in(phone, "demo-operator")
            assert (await phone.get("/maybe")).json() == "demo-operator"
            entries = await audit.entries(here.db, until=tablewright_clock.now() + 1)
            assert [(entry.actor, entry.action, entry.subject) for entry in entries] == [
                ("demo-admin", "sessions.end", "user/demo-operator")
            ]

    run(main())


def test_sessions_end_by_email_address_whatever_its_case_and_the_log_keeps_no_address(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            asha = Principal("sub-1", "Asha", "user", claims={"email": "Asha@Example.org"})
            session, _ = at.auth.identity.sessions.start(asha, now=tablewright_clock.now())
            assert not await at.auth.identity.ended.has(session)
            admin = Principal("boss", "Boss", "user", roles=frozenset({"admin"}))
            await at.auth.end_sessions(admin, " asha@example.org ")
            assert await at.auth.identity.ended.has(session)
            entries = await audit.entries(at.db, until=tablewright_clock.now() + 1)
            assert "example" not in repr(list(entries)).lower()

    run(main())


def test_only_admins_end_the_sessions_of_others(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser, "demo-operator")
            assert (await end_sessions(at, browser, "demo-admin")).status_code == 403
            await sign_in(browser)
            assert (await end_sessions(at, browser, " ")).status_code == 422
            assert (await end_sessions(at, browser, "a\x00b")).status_code == 422

    run(main())


def test_earlier_cutoff_does_not_replace_a_later_one(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            someone = Principal("sub-1", "Asha", "user")
            tablewright_clock.advance(60)
            session, _ = at.auth.identity.sessions.start(someone, now=tablewright_clock.now())
            await at.auth.identity.ended.end_all("sub-1")
            tablewright_clock.advance(-60)  # another process, whose clock is behind
            await at.auth.identity.ended.end_all("sub-1")
            tablewright_clock.advance(60)
            assert await at.auth.identity.ended.has(session)

    run(main())


def test_signing_out_while_another_request_is_looked_at(
    memory: Backend, tablewright_clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
            session = at.auth.identity.sessions.read(one.value, now=tablewright_clock.now())
            assert session is not None
            ended = at.auth.identity.ended
            really = at.db.run

            async def slow(op: Any) -> Any:
                """Read, and have somebody sign out before what was read is looked at."""
                found = await really(op)
                monkeypatch.setattr(at.db, "run", really)
                await ended.end(session)
                return found

            monkeypatch.setattr(at.db, "run", slow)
            assert await ended.has(session)
            assert await ended.has(session)

    run(main())


def test_a_clock_that_goes_back_keeps_no_session_alive(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with (
            door(memory, tablewright_clock, data=tmp_path) as here,
            door(memory, tablewright_clock, data=tmp_path) as there,
            here.browser() as browser,
            there.browser() as other,
        ):
            (one,) = cookie_in(await sign_in(browser)).values()
            copy = {"Cookie": f"{there.cookie}={one.value}"}
            assert (await other.get("/maybe", headers=copy)).json() == "demo-admin"
            await sign_out(browser)
            tablewright_clock.advance(-60)
            assert (await other.get("/maybe", headers=copy)).json() == "nobody"

    run(main())


def test_signing_out_works_while_the_store_is_down(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
            await browser.get("/maybe")
            with injected(tablewright_engine, Fault(error="ResourceNotFoundException")):
                assert (await sign_out(browser)).status_code == 303
            copy = {"Cookie": f"{at.cookie}={one.value}"}
            assert (await browser.get("/maybe", headers=copy)).json() == "nobody"

    run(main())


def test_signing_in_again_ends_the_session_before(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            (one,) = cookie_in(await sign_in(browser)).values()
            await sign_in(browser, "demo-auditor")
            assert (await browser.get("/maybe")).json() == "demo-auditor"
            copy = {"Cookie": f"{at.cookie}={one.value}"}
            async with at.browser() as other:
                assert (await other.get("/maybe", headers=copy)).json() == "nobody"

    run(main())


def test_another_page_cannot_sign_anybody_out(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
            answer = await browser.post("/auth/sign-out", headers=evil)
            assert problem(answer) == (403, "CSRF")
            assert (await browser.get("/maybe")).json() == "demo-admin"

    run(main())


# --- whose page ------------------------------------------------------------------------------


def test_a_form_of_ours_gets_through(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            csrf = await csrf_of(browser)
            form = {"text": "hello", "csrf_token": csrf}
            answer = await browser.post("/form", data=form, headers=own())
            assert answer.json() == "demo-admin: hello"
            answer = await browser.post("/form", files={"f": b""}, data=form, headers=own())
            assert answer.json() == "demo-admin: hello"
            answer = await browser.post(
                "/form", data={"text": "hi"}, headers={**own(), "X-CSRF-Token": csrf}
            )
            assert answer.json() == "demo-admin: hi"
            answer = await browser.post("/change", headers={**own(), "X-CSRF-Token": csrf})
            assert answer.json() == "demo-admin"
            answer = await browser.post("/change", headers={"X-CSRF-Token": csrf})
            assert answer.json() == "demo-admin", "a script with a cookie is no browser"

    run(main())


def test_the_token_differs_each_time_and_all_of_them_work(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            tokens = {await csrf_of(browser) for _ in range(5)}
            assert len(tokens) == 5
            for token in tokens:
                answer = await browser.post("/change", headers={**own(), "X-CSRF-Token": token})
                assert answer.status_code == 200

    run(main())


@pytest.mark.parametrize(
    "origin",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8081"},
        {"Origin": "https://127.0.0.1:8080"},
        {"Origin": "http://127.0.0.1:8080.evil.example"},
        {"Origin": "http://evil.example#http://127.0.0.1:8080"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_somebody_else_does_not_even_with_a_token(
    memory: Backend, tablewright_clock: ManualClock, origin: dict[str, str]
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            headers = {**origin, "X-CSRF-Token": await csrf_of(browser)}
            assert problem(await browser.post("/change", headers=headers)) == (403, "CSRF")

    run(main())


def test_without_the_right_token_nothing_changes(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with (
            door(memory, tablewright_clock, session_hours=1) as at,
            at.browser() as browser,
            at.browser() as other,
        ):
            await sign_in(browser)
            await sign_in(other)
            theirs = await csrf_of(other)
            mine = await csrf_of(browser)
            session = browser.cookies[at.cookie]
            for token in ("", "x", theirs, mine[:-1], mine + "A", session):
                headers = {**own(), "X-CSRF-Token": token}
                assert problem(await browser.post("/change", headers=headers)) == (403, "CSRF")
                form = {"text": "x", "csrf_token": token}
                answer = await browser.post("/form", data=form, headers=own())
                assert problem(answer) == (403, "CSRF")
            assert problem(await browser.post("/change", headers=own())) == (403, "CSRF")

    run(main())


def test_plain_reads_need_no_token(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser)
            evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
            assert (await browser.get("/who", headers=evil)).status_code == 200

    run(main())


def test_credentials_that_no_browser_sends_need_no_token(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            await sign_in(browser, "demo-auditor")
            token = await token_of(at)
            headers = {"Authorization": f"Bearer {token}", "Origin": "https://app.example"}
            assert (await browser.post("/change", headers=headers)).json() == "demo-admin"

    run(main())


async def token_of(at: Door, user: str = "demo-admin") -> str:
    async with at.browser() as client:
        form = {"grant_type": "client_credentials", "client_id": user}
        return str((await client.post("/auth/token", data=form)).json()["access_token"])


# --- where to go then ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        ("/shop/orders?a=1", "/shop/orders?a=1"),
        ("", "/"),
        ("https://evil.example", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("\\\\evil.example", "/"),
        ("/a\r\nSet-Cookie: x=1", "/"),
        ("/\t/evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("shop", "/"),
        ("/ü", "/"),
    ],
)
def test_signing_in_leads_to_pages_of_ours_only(
    memory: Backend, tablewright_clock: ManualClock, wanted: str, target: str
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            form = {"user": "demo-admin", "next": wanted}
            answer = await browser.post("/auth/sign-in", data=form, headers=own())
            assert (answer.status_code, answer.headers["location"]) == (303, target)

    run(main())


def test_htmx_is_told_where_to_go(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as browser:
            form = {"user": "demo-admin", "next": "/shop"}
            headers = {**own(), "HX-Request": "true"}
            answer = await browser.post("/auth/sign-in", data=form, headers=headers)
            assert (answer.status_code, answer.headers["hx-redirect"]) == (204, "/shop")
            assert (await browser.get("/maybe")).json() == "demo-admin"

    run(main())


def test_every_name_of_this_machine_is_ours(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            for url in (URL, "http://localhost:8080", "http://localhost:9999", "http://[::1]:8080"):
                async with at.browser(url) as browser:
                    assert (await sign_in(browser, url=url)).status_code == 303
                    headers = {**own(url), "X-CSRF-Token": await csrf_of(browser)}
                    assert (await browser.post("/change", headers=headers)).status_code == 200

    run(main())
