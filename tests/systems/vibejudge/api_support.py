"""Vibejudge behind its own API, with an administrator, two organisers and nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from tests.service.support import asgi
from tests.systems.vibejudge.support import ADMIN, AS_ADMIN, START

from tablewright.clock import Clock
from tablewright.service.kit import audit
from tablewright.service.runtime import Runtime
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.system import system
from tablewright.testing.backends import Backend

API = "/vibejudge/api/v1"
#: The organisers that are there; both have the tier ``premium``.
OLGA, OTTO = "olga", "otto"


@dataclass(frozen=True)
class Api:
    """The API as somebody uses it."""

    http: httpx2.AsyncClient
    runtime: Runtime
    #: Other use cases on the same tables.
    courtroom: Courtroom
    keys: Mapping[str, str]
    who: str = OLGA

    def as_(self, who: str) -> Api:
        """As somebody else; an unknown one is nobody."""
        return replace(self, who=who)

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
        if self.who in self.keys:
            named["X-API-Key"] = self.keys[self.who]
        return await self.http.request(method, f"{API}{path}", headers=named, **sent)

    async def done(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """What a request that must succeed is answered."""
        answer = await self(method, path, body, **headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def get(self, path: str) -> Any:
        return await self.done("GET", path)

    async def audited(self) -> list[tuple[str, str, str]]:
        """Actor's kind, action and subject, without keys; the oldest first, if the clock moved."""
        page = await audit.entries(self.runtime.db, until=START + 10**7, limit=100)
        found = [(each.actor_kind, each.action, each.subject) for each in reversed(page)]
        return [each for each in found if not each[1].startswith("api-key")]


@asynccontextmanager
async def api_on(
    backend: Backend, clock: Clock, *, settings: Mapping[str, Any] | None = None, **options: object
) -> AsyncIterator[Api]:
    """The system without workers; ``options`` are its own settings, ``settings`` the process's."""
    environ = {
        f"TABLEWRIGHT_VIBEJUDGE_{name.upper()}": str(value) for name, value in options.items()
    }
    serving = asgi(system, backend, clock=clock, environ=environ, **(settings or {}))
    async with serving as (http, runtime):
        courtroom = Courtroom(runtime)
        _, admin = await runtime.auth.api_keys.create(ADMIN, name="admin", roles=["admin"])
        keys = {"admin": admin}
        for name in (OLGA, OTTO):
            body = OrganizerIn(email=f"{name}@people.test", name=name.capitalize())
            made = await courtroom.organizers.register(body, None)
            await courtroom.organizers.set_tier(AS_ADMIN, made.organizer.org_id, "premium")
            keys[name] = made.api_key
        yield Api(http, runtime, courtroom, keys)


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of a problem."""
    return answer.status_code, str(answer.json().get("code", ""))
