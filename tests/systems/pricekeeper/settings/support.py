"""Pricekeeper behind its own API, with somebody of each role, on an engine in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from tests.service.support import asgi

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.engine import Engine
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.systems.pricekeeper.samples import NOW
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import in_process

START = NOW.timestamp()
ORG = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"
API = "/pricekeeper/api/v1"
ROLES = ("admin", "operator", "auditor")
MODELS = {
    "premium": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "standard": "anthropic.claude-haiku-4-5-20251001-v1:0",
    "economy": "amazon.nova-lite-v1:0",
}
ROOT = Principal(id="user:root", name="Root", kind="user", roles=frozenset({"admin"}))


@dataclass(frozen=True)
class Api:
    """The API as one role uses it."""

    http: httpx2.AsyncClient
    db: AsyncDb
    keys: Mapping[str, str]
    role: str = "admin"

    def as_(self, role: str) -> Api:
        return Api(self.http, self.db, self.keys, role)

    async def __call__(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.role in self.keys:
            named["X-API-Key"] = self.keys[self.role]
        return await self.http.request(method, f"{API}{path}", json=body, headers=named)

    async def get(self, path: str) -> Any:
        answer = await self("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def put(self, path: str, body: object, status: int = 200, **headers: str) -> Any:
        answer = await self("PUT", path, body, **headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def audited(self) -> list[tuple[str, str]]:
        """What is in the audit log of settings, the oldest first."""
        page = await audit.entries(self.db, until=START + 10**7, limit=100)
        found = [(entry.action, entry.subject) for entry in reversed(page)]
        return [each for each in found if not each[0].startswith(("api_key", "key."))]


@asynccontextmanager
async def opened(
    engine: Engine, clock: Clock, *, labels: bool = True, **options: object
) -> AsyncIterator[Api]:
    """The system at work; ``options`` are its own settings."""
    environ = {
        f"TABLEWRIGHT_PRICEKEEPER_{name.upper()}": str(value) for name, value in options.items()
    }
    with in_process(engine) as backend:
        async with asgi(system, backend, clock=clock, environ=environ) as (http, runtime):
            keys = {}
            for role in ROLES:
                made = await runtime.auth.api_keys.create(ROOT, name=role, roles=[role])
                keys[role] = made[1]
            api = Api(http, runtime.db, keys)
            for label, model in MODELS.items() if labels else ():
                await api.put(f"/labels/{label}", {"bedrock_model_id": model}, 201)
            yield api


def org_body(**changes: object) -> dict[str, object]:
    return {
        "org_name": "Sample",
        "timezone": "Europe/Oslo",
        "model_ordering": ["premium", "standard"],
        "quotas": {"premium": 10_000_000, "standard": None},
        **changes,
    }


def app_body(**changes: object) -> dict[str, object]:
    return {"app_name": "Web", **changes}
