"""Pricekeeper over HTTP, and an administrator who sets it up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from tests.service.support import asgi

from tablewright.clock import ManualClock
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.samples import ORG, WEB
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend

API, AUTH = "/pricekeeper/api/v1", "/pricekeeper/auth"
SETTINGS = {
    "org_name": "sample_corp",
    "timezone": "America/New_York",
    "model_ordering": ["premium"],
    "quotas": {"premium": 1_000_000},
}


@dataclass
class Service:
    http: httpx2.AsyncClient
    runtime: Runtime
    clock: ManualClock
    admin: dict[str, str]

    async def post(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return await self.http.post(path, json=body, headers=self.admin, **more)

    async def org(self) -> tuple[str, str]:
        """A new organisation's client and its secret."""
        label = {"bedrock_model_id": "m", "tier": "x", "family": "x"}
        await self.http.put(f"{API}/labels/premium", json=label, headers=self.admin)
        made = await self.http.put(f"{API}/orgs/{ORG}", json=SETTINGS, headers=self.admin)
        assert made.status_code == 201, made.text
        return await self.secret(made.json())

    async def app(self, app_id: str = WEB) -> tuple[str, str]:
        body = {"app_name": app_id}
        made = await self.http.put(f"{API}/orgs/{ORG}/apps/{app_id}", json=body, headers=self.admin)
        assert made.status_code == 201, made.text
        return await self.secret(made.json())

    async def secret(self, made: dict[str, Any]) -> tuple[str, str]:
        token = _found(made, "retrieval_token")
        answer = await self.post(f"{API}/credentials/secret", {"token": token})
        assert answer.status_code == 200, answer.text
        return answer.json()["client_id"], answer.json()["client_secret"]

    async def login(self, client_id: str, secret: str) -> httpx2.Response:
        body = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": secret,
        }
        return await self.http.post(f"{AUTH}/token", json=body)


def _found(body: Any, name: str) -> Any:
    """A member, wherever it stands in a body."""
    if isinstance(body, dict):
        if name in body:
            return body[name]
        found = (_found(each, name) for each in body.values())
        return next((each for each in found if each is not None), None)
    return None


@asynccontextmanager
async def serving(backend: Backend, clock: ManualClock) -> AsyncIterator[Service]:
    async with asgi(system, backend, clock=clock) as (http, runtime):
        key = await runtime.auth.first_key()
        assert key is not None
        yield Service(http, runtime, clock, {"X-API-Key": key})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
