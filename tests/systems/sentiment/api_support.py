"""Sentiment behind its own API, with somebody of each role."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from tests.service.support import asgi
from tests.systems.sentiment.support import ADMIN, START

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.service.kit import audit
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import Backend

API = "/sentiment/api/v1"
ROLES = ("admin", "operator", "analyst", "viewer", "ingest")


@dataclass(frozen=True)
class Api:
    """The API as one role uses it."""

    http: httpx2.AsyncClient
    db: AsyncDb
    keys: Mapping[str, str]
    role: str = "admin"

    def as_(self, role: str) -> Api:
        """As another role; an unknown one is nobody."""
        return replace(self, role=role)

    async def __call__(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> httpx2.Response:
        sent = {} if body is None else {"json": body}
        return await self.send(method, path, headers=headers, **sent)

    async def send(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **sent: Any
    ) -> httpx2.Response:
        """A request with any body; ``_`` in the names of headers is ``-``."""
        named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.role in self.keys:
            named["X-API-Key"] = self.keys[self.role]
        return await self.http.request(method, f"{API}{path}", headers=named, **sent)

    async def get(self, path: str) -> Any:
        answer = await self("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def audited(self) -> list[tuple[str, str, str]]:
        """Actor's kind, action and subject, without keys; the oldest first, if the clock moved."""
        page = await audit.entries(self.db, until=START + 10**7, limit=100)
        found = [(each.actor_kind, each.action, each.subject) for each in reversed(page)]
        return [each for each in found if not each[1].startswith("api-key")]


@asynccontextmanager
async def api_on(
    backend: Backend, clock: Clock, *, settings: Mapping[str, Any] | None = None, **options: object
) -> AsyncIterator[Api]:
    """The system without workers; ``options`` are its own settings, ``settings`` the process's."""
    environ = {
        f"TABLEWRIGHT_SENTIMENT_{name.upper()}": str(value) for name, value in options.items()
    }
    serving = asgi(system, backend, clock=clock, environ=environ, **(settings or {}))
    async with serving as (http, runtime):
        keys = {}
        for role in ROLES:
            _, keys[role] = await runtime.auth.api_keys.create(ADMIN, name=role, roles=[role])
        yield Api(http, runtime.db, keys)
