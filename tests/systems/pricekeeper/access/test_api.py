"""Tokens, secrets and the audit log over HTTP."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.pricekeeper.access.http import API, AUTH, Service, bearer, serving
from tests.systems.pricekeeper.access.support import START

from tablewright.clock import ManualClock
from tablewright.systems.pricekeeper.samples import NOW, ORG, WEB
from tablewright.testing.backends import Backend

Scenario = Callable[[Callable[[Service], Awaitable[None]]], None]


@pytest.fixture
def run(tablewright_backend: Backend) -> Scenario:
    """Run a scenario with a service of its own."""

    def running(scenario: Callable[[Service], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with serving(tablewright_backend, ManualClock(START)) as service:
                await scenario(service)

        asyncio.run(whole())

    return running


# --- tokens --------------------------------------------------------------------------------------


def test_all_ways_to_ask_for_a_token(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        client_id, secret = await service.org()
        body = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": secret,
        }
        basic = base64.b64encode(f"{client_id}:{secret}".encode()).decode()
        header = {"Authorization": f"Basic {basic}"}
        grant = {"grant_type": "client_credentials"}
        url = f"{AUTH}/token"
        answers = [
            await service.http.post(url, json=body),
            await service.http.post(url, data=body),
            await service.http.post(url, data=grant, headers=header),
            await service.http.post(url, json=grant, headers=header),
            await service.http.post(url, json={**body, "scope": "org", "resource": "x"}),
        ]
        for answer in answers:
            assert answer.status_code == 200, answer.text
            found = answer.json()
            assert (found["token_type"], found["expires_in"], found["scope"]) == (
                "Bearer",
                3600,
                "org",
            )
            assert found["access_token"].count(".") == found["refresh_token"].count(".") == 2
            assert "no-store" in answer.headers["cache-control"]

    run(scenario)


def test_what_is_wrong_with_a_request_is_said_in_the_words_of_oauth(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        client_id, secret = await service.org()
        good = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": secret,
        }
        form = {"content-type": "application/x-www-form-urlencoded"}
        basic = {"Authorization": "Basic " + base64.b64encode(b"a:b").decode()}
        without = {name: value for name, value in good.items() if name != "client_secret"}
        url = f"{AUTH}/token"
        cases: list[tuple[dict[str, Any], int, str]] = [
            ({"json": {**good, "client_secret": "x"}}, 401, "INVALID_CLIENT"),
            ({"json": {**good, "grant_type": "password"}}, 400, "UNSUPPORTED_GRANT_TYPE"),
            ({"json": {**good, "grant_type": 7}}, 400, "INVALID_REQUEST"),
            ({"json": {**good, "client_id": "x" * 201}}, 400, "INVALID_REQUEST"),
            ({"json": {**good, "scope": "everything"}}, 400, "INVALID_SCOPE"),
            ({"json": without}, 400, "INVALID_REQUEST"),
            ({"json": good, "headers": basic}, 400, "INVALID_REQUEST"),
            ({"json": [1]}, 400, "INVALID_REQUEST"),
            (
                {"content": b"{", "headers": {"content-type": "application/json"}},
                400,
                "INVALID_REQUEST",
            ),
            ({"content": b"", "headers": form}, 400, "INVALID_REQUEST"),
            ({"content": b"grant_type=a&grant_type=b", "headers": form}, 400, "INVALID_REQUEST"),
            ({"content": b"a=%ff", "headers": form}, 400, "INVALID_REQUEST"),
            (
                {"content": b"&".join(b"a%d=1" % n for n in range(99)), "headers": form},
                400,
                "INVALID_REQUEST",
            ),
            ({"json": without, "headers": {"Authorization": "Basic !"}}, 400, "INVALID_REQUEST"),
            ({"json": without, "headers": {"Authorization": "Basic YWI="}}, 400, "INVALID_REQUEST"),
            (
                {"content": b"x", "headers": {"content-type": "text/plain"}},
                415,
                "UNSUPPORTED_MEDIA_TYPE",
            ),
        ]
        for request, status, code in cases:
            answer = await service.http.post(url, **request)
            assert (answer.status_code, answer.json()["code"]) == (status, code), request
            assert answer.headers["content-type"] == "application/problem+json"
            assert secret not in answer.text

    run(scenario)


def test_refresh_and_revoke(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        first = (await service.login(*await service.org())).json()
        answer = await service.http.post(
            f"{AUTH}/refresh", json={"refresh_token": first["refresh_token"]}
        )
        assert answer.status_code == 200
        second = answer.json()
        form = {"grant_type": "refresh_token", "refresh_token": second["refresh_token"]}
        third = await service.http.post(f"{AUTH}/refresh", data=form)
        assert third.status_code == 200
        again = await service.http.post(f"{AUTH}/refresh", data=form)
        assert (again.status_code, again.json()["code"]) == (400, "INVALID_GRANT")
        for token in (first["access_token"], third.json()["refresh_token"], "nonsense"):
            done = await service.http.post(f"{AUTH}/revoke", json={"token": token})
            assert (done.status_code, done.content) == (204, b"")
        missing = await service.http.post(f"{AUTH}/revoke", json={})
        assert (missing.status_code, missing.json()["errors"][0]["field"]) == (400, "body.token")

    run(scenario)


def test_the_public_keys_are_public(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        found = (await service.http.get(f"{AUTH}/jwks")).json()["keys"]
        assert [(key["alg"], key["crv"]) for key in found] == [("EdDSA", "Ed25519")]
        assert all("d" not in key for key in found)

    run(scenario)


# --- who may -------------------------------------------------------------------------------------


def test_scenario_17_tokens_reach_what_is_their_own(run: Scenario) -> None:
    """Scenario 17, on the routes of reservations."""

    async def scenario(service: Service) -> None:
        org = (await service.login(*await service.org())).json()["access_token"]
        app = (await service.login(*await service.app())).json()["access_token"]
        await service.app("other")
        stranger = "6f1c2b3a-4d5e-4f60-8a7b-9c0d1e2f3a4b"
        body = {"label": "premium", "max_usd_micros": 1}
        cases = [
            (org, ORG, WEB, 409),
            (app, ORG, WEB, 409),
            (app, ORG, "other", 403),
            (org, ORG, "nowhere", 404),
            (org, stranger, WEB, 404),
            (app, stranger, WEB, 404),
            ("x.y.z", ORG, WEB, 401),
            ("", ORG, WEB, 401),
            (app, ORG, "a%23LABEL%23b", 400),
            (org, "x", WEB, 400),
        ]
        for token, org_id, app_id, status in cases:
            url = f"{API}/orgs/{org_id}/apps/{app_id}/reservations"
            answer = await service.http.post(url, json=body, headers=bearer(token))
            assert answer.status_code == status, (org_id, app_id, answer.text)
            if status == 401:
                assert answer.headers["www-authenticate"].startswith("Bearer")
        nobody = await service.http.post(
            f"{API}/orgs/{ORG}/apps/{WEB}/reservations", json=body, headers=service.admin
        )
        assert nobody.status_code == 403

    run(scenario)


def test_only_administrators_rotate_and_fetch(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        token = (await service.login(*await service.org())).json()["access_token"]
        for path, body in (
            (f"/orgs/{ORG}/credentials/rotate", {}),
            (f"/orgs/{ORG}/apps/{WEB}/credentials/rotate", {}),
            ("/credentials/secret", {"token": "x"}),
        ):
            assert (await service.http.post(API + path, json=body)).status_code == 401
            own = await service.http.post(API + path, json=body, headers=bearer(token))
            assert own.status_code == 403
        audit = await service.http.get(f"{API}/audit", headers=bearer(token))
        assert audit.status_code == 403

    run(scenario)


# --- secrets -------------------------------------------------------------------------------------


def test_a_rotation_from_end_to_end(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        client_id, old = await service.org()
        url = f"{API}/orgs/{ORG}/credentials/rotate"
        answer = await service.post(url, {"grace_hours": 1})
        assert answer.status_code == 200, answer.text
        done = answer.json()
        assert done["client_id"] == client_id
        assert done["cred_version"] == 2
        assert done["grace_expires_at"] == f"{NOW + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
        _, new = await service.secret(done)
        for secret in (old, new):
            assert (await service.login(client_id, secret)).status_code == 200
        again = await service.post(url)
        assert (again.status_code, again.json()["code"]) == (409, "ROTATION_IN_GRACE")
        service.clock.advance(3600)
        assert (await service.login(client_id, old)).status_code == 401
        assert (await service.login(client_id, new)).status_code == 200
        assert (await service.post(url)).status_code == 200
        wrong = await service.post(url, {"grace_hours": 169})
        assert (wrong.status_code, wrong.json()["code"]) == (422, "INVALID")
        nowhere = await service.post(f"{API}/orgs/{ORG}/apps/nowhere/credentials/rotate")
        assert nowhere.status_code == 404

    run(scenario)


def test_all_tokens_of_a_client_end(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        org, app = await service.org(), await service.app()
        tokens = [(await service.login(*who)).json()["access_token"] for who in (org, app)]

        async def good() -> list[bool]:
            url = f"{API}/orgs/{ORG}/apps/{WEB}/reservations/x"
            answers = [await service.http.delete(url, headers=bearer(each)) for each in tokens]
            return [answer.status_code == 404 for answer in answers]

        assert await good() == [True, True]
        ended = await service.post(f"{API}/orgs/{ORG}/apps/{WEB}/credentials/revoke")
        assert ended.status_code == 204
        assert await good() == [True, False]
        # Its secret stays good, in this very second too.
        tokens[1] = (await service.login(*app)).json()["access_token"]
        assert await good() == [True, True]
        again = await service.post(f"{API}/orgs/{ORG}/apps/{WEB}/credentials/revoke")
        assert again.status_code == 204
        assert (await service.post(f"{API}/orgs/{ORG}/credentials/revoke")).status_code == 204
        assert (await good())[0] is False
        nowhere = await service.post(f"{API}/orgs/{ORG}/apps/nowhere/credentials/revoke")
        assert nowhere.status_code == 404

    run(scenario)


def test_who_can_log_in(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        org, _ = await service.org()
        app, _ = await service.app()
        await service.post(f"{API}/orgs/{ORG}/apps/{WEB}/credentials/rotate", {"grace_hours": 2})
        answer = await service.http.get(f"{API}/orgs/{ORG}/credentials", headers=service.admin)
        first, second = answer.json()["items"]
        assert (first["client_id"], first["cred_version"]) == (org, 1)
        assert (second["client_id"], second["cred_version"]) == (app, 2)
        assert first["grace_expires_at"] is None
        assert second["grace_expires_at"] == f"{NOW + timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}"
        assert "hash" not in answer.text
        stranger = "6f1c2b3a-4d5e-4f60-8a7b-9c0d1e2f3a4b"
        none = await service.http.get(f"{API}/orgs/{stranger}/credentials", headers=service.admin)
        assert none.status_code == 404

    run(scenario)


def test_a_used_token_is_no_token(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        await service.org()
        done = (await service.post(f"{API}/orgs/{ORG}/credentials/rotate")).json()
        await service.secret(done)
        url = f"{API}/credentials/secret"
        used = await service.post(url, {"token": done["retrieval_token"]})
        others = [await service.post(url, {"token": token}) for token in ("x", "", "x" * 300)]
        for answer in (used, *others):
            assert answer.status_code == 404
        same = [
            {
                name: value
                for name, value in answer.json().items()
                if name not in ("instance", "request_id")
            }
            for answer in (used, *others)
        ]
        assert all(each == same[0] for each in same)

    run(scenario)


# --- audit ---------------------------------------------------------------------------------------


def test_the_audit_log(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        await service.org()
        service.clock.advance(10)
        await service.app()
        for _ in range(3):
            service.clock.advance(10)
            await service.post(f"{API}/orgs/{ORG}/credentials/rotate", {"force": True})

        async def listed(**params: Any) -> dict[str, Any]:
            answer = await service.http.get(f"{API}/audit", params=params, headers=service.admin)
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()
            return found

        everything = (await listed())["items"]
        times = [each["at"] for each in everything]
        assert times == sorted(times, reverse=True)
        rotations = (await listed(action="credential.rotate"))["items"]
        assert [each["subject"] for each in rotations] == [f"client/org-{ORG}"] * 3
        assert all(each["actor_kind"] == "key" for each in rotations)
        # Page by page it is the same.
        paged, cursor = [], {}
        while True:
            page = await listed(limit=2, **cursor)
            paged += page["items"]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert paged == everything
        early = (NOW + timedelta(seconds=5)).isoformat()
        assert {each["at"] for each in (await listed(until=early))["items"]} == {times[-1]}
        assert len((await listed(since=early))["items"]) < len(everything)
        assert (await listed(since="0001-01-01T00:00:00Z", until="9999-12-31T23:59:59Z"))[
            "items"
        ] == everything
        for wrong in ({"limit": 0}, {"since": "yesterday"}, {"since": "2026-11-01T00:00:00"}):
            answer = await service.http.get(f"{API}/audit", params=wrong, headers=service.admin)
            assert answer.status_code == 422
        bad = await service.http.get(f"{API}/audit", params={"cursor": "x"}, headers=service.admin)
        assert (bad.status_code, bad.json()["code"]) == (400, "BAD_CURSOR")

    run(scenario)


# --- metrics -------------------------------------------------------------------------------------


def test_what_happens_is_counted(run: Scenario) -> None:
    async def scenario(service: Service) -> None:
        client_id, secret = await service.org()
        granted = (await service.login(client_id, secret)).json()
        await service.login(client_id, "wrong")
        await service.post(f"{API}/credentials/secret", {"token": "x"})
        await service.http.post(f"{AUTH}/revoke", json={"token": granted["refresh_token"]})
        text = service.runtime.metrics.text().decode()
        for line in (
            'pricekeeper_retrieval_tokens_total{outcome="issued"} 1.0',
            'pricekeeper_retrieval_tokens_total{outcome="redeemed"} 1.0',
            'pricekeeper_retrieval_tokens_total{outcome="failed"} 1.0',
            'pricekeeper_revocations_total{kind="family"} 1.0',
            'pricekeeper_grants_total{grant="client_credentials",outcome="granted"} 1.0',
            'pricekeeper_grants_total{grant="client_credentials",outcome="refused"} 1.0',
        ):
            assert line in text
        assert secret not in text

    run(scenario)
