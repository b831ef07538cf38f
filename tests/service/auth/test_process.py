"""The door of a real process: uvicorn, sockets, all middleware, and files in a data folder."""

from __future__ import annotations

from pathlib import Path

import httpx2
from tests.service import shelf
from tests.service.auth.issuer import AUDIENCE, CLIENT, SECRET, Issuer
from tests.service.support import Running, running

from tablewright.service.settings import Issuer as IssuerSettings
from tablewright.testing import Backend

SECRET_PATH = "/shelf/api/v1/secret"


def signed_in(service: Running, client: httpx2.Client) -> httpx2.Response:
    form = {"user": "demo-keeper", "next": "/shelf"}
    return client.post("/auth/sign-in", data=form, headers={"Origin": service.url})


def test_a_browser_signs_in_works_and_signs_out(memory: Backend, tmp_path: Path) -> None:
    with running(shelf.system, memory, data=tmp_path, workers=False) as service:
        with service.client() as browser:
            assert browser.get(SECRET_PATH).status_code == 401
            answer = signed_in(service, browser)
            assert (answer.status_code, answer.headers["location"]) == (303, "/shelf")
            assert browser.get(SECRET_PATH).json() == "Demo keeper"
            token = browser.get("/auth/me").json()["csrf_token"]
            made = browser.post("/shelf/api/v1/stream-token", headers={"X-CSRF-Token": token})
            assert made.json()["stream_token"]
            answer = browser.post("/auth/sign-out", data={"csrf_token": token})
            assert answer.status_code == 303
            assert browser.get(SECRET_PATH).status_code == 401
            assert browser.get("/auth/me").headers["cache-control"] == "no-store"


def test_a_program_uses_the_first_key_or_a_token(memory: Backend, tmp_path: Path) -> None:
    with running(shelf.system, memory, data=tmp_path, workers=False) as service:
        key = service.do(service.runtime.auth.first_key())
        assert key == (tmp_path / "keys" / "admin.key").read_text().strip()
        with service.client() as client:
            assert client.get(SECRET_PATH, headers={"X-API-Key": key}).json() == "First admin key"
            form = {"grant_type": "client_credentials", "client_id": "demo-keeper"}
            token = client.post("/auth/token", data=form).json()["access_token"]
            headers = {"Authorization": f"Bearer {token}"}
            assert client.get(SECRET_PATH, headers=headers).json() == "Demo keeper"
            found = client.get("/auth/.well-known/openid-configuration").json()
            assert found["issuer"] == f"{service.url}/auth"
            assert client.get(found["jwks_uri"]).json()["keys"]


def test_a_browser_signs_in_by_an_issuer(memory: Backend) -> None:
    with Issuer(user={"sub": "ada", "name": "Ada", "roles": ["shelf:keeper"]}) as issuer:
        settings = IssuerSettings(
            url=issuer.url, audience=AUDIENCE, client_id=CLIENT, client_secret=SECRET
        )
        with running(shelf.system, memory, issuer=settings, workers=False) as service:
            issuer.redirect_uri = f"{service.url}/auth/callback"
            with service.client(follow_redirects=True) as browser:
                answer = browser.get("/auth/sign-in", params={"next": SECRET_PATH})
                assert answer.json() == "Ada"
                assert [each.url.path for each in answer.history] == [
                    "/auth/sign-in",
                    "/authorize",
                    "/auth/callback",
                ]
                assert browser.post("/auth/token", data={}).status_code == 404


def test_wrong_names_and_long_headers_are_refused(memory: Backend) -> None:
    with running(shelf.system, memory, workers=False) as service, service.client() as client:
        answer = client.post("/auth/token", data={}, headers={"Host": "evil.example"})
        assert (answer.status_code, answer.json()["code"]) == (421, "WRONG_HOST")
        answer = client.get(SECRET_PATH, headers={"Authorization": "Bearer " + "x" * 20_000})
        assert answer.status_code == 401
