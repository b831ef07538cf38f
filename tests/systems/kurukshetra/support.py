"""A festival on a database of its own, and people, events and teams for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import httpx2
import pytest
from tests.service.support import asgi

from tablewright.client import RequestEvent, Retries
from tablewright.clock import Clock
from tablewright.service.auth import DemoUser, Principal
from tablewright.service.kit import audit, kit_model
from tablewright.service.problems import Problem
from tablewright.service.process import runtime_of
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.events import EventIn
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.demo_items import NOW
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.rules import invites
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend

__all__ = ["NOW"]

R = TypeVar("R")

START = NOW.timestamp()
API = "/kurukshetra/api/v1"
#: The event that is made if nobody says which.
EVENT = "kurukshetra-2026"
#: Gives up soon, for tests in which the store is away.
QUICK = Retries(attempts=2, budget=0.2, base=0.001, cap=0.005)
#: Where nobody answers: the process then brings no sandbox of its own.
_NO_SANDBOX = "http://127.0.0.1:9"
#: A test's minute may be long.
_PATIENT = {
    "requests_per_minute": 1_000_000,
    "admin_requests_per_minute": 1_000_000,
    "registrations_per_minute": 1_000_000,
}
_numbers = count(1)


def run(work: Coroutine[Any, Any, R]) -> R:
    return asyncio.run(work)


# --- people --------------------------------------------------------------------------------------


def person(name: str, *roles: str, email: str | None = None, verified: bool = True) -> Principal:
    """Somebody who has signed in; roles are at all events. No address: ``email=""``."""
    address = f"{name}@people.test" if email is None else email
    claims = {"email": address, "email_verified": verified} if address else {}
    return Principal(
        id=f"user:{name}",
        name=name.capitalize(),
        kind="user",
        roles=frozenset(roles),
        grants=frozenset(f"kurukshetra:{role}" for role in roles),
        claims=claims,
    )


ADMIN = person("ann", "admin")
ORGANIZER = person("olga", "organizer")
FINANCE = person("faye", "finance")
VOLUNTEER = person("vik", "volunteer")
AUDITOR = person("ada", "auditor")


# --- a process -----------------------------------------------------------------------------------


@asynccontextmanager
async def festival_on(
    backend: Backend,
    clock: Clock,
    *,
    heard: list[RequestEvent] | None = None,
    quick: bool = False,
    data: Path | None = None,
    sandbox: bool = False,
    opened: bool = True,
    **options: object,
) -> AsyncIterator[Festival]:
    """The use cases of one process, inside its lifespan; ``options`` are kurukshetra's own.

    ``heard`` gets all requests to the store; ``sandbox`` runs the gateway's sandbox with it.
    """
    transport = backend.async_transport()
    try:
        runtime = runtime_of(
            system,
            transport,
            Settings(data=data),
            clock=clock,
            environ=_environ(sandbox, options),
            names=backend.physical if backend.prefix else None,
        )
        await runtime.db.create_tables(system.model, kit_model)
        if quick:
            runtime.db.context = replace(runtime.db.context, retries=QUICK)
        if heard is not None:
            runtime.db.context = replace(runtime.db.context, hook=heard.append)
        festival = Festival(runtime)
        if not opened:
            yield festival
            return
        async with festival.lifespan():
            yield festival
    finally:
        await transport.close()


def _environ(sandbox: bool, options: Mapping[str, object]) -> dict[str, str]:
    own = {} if sandbox else {"sandbox_url": _NO_SANDBOX}
    wanted = {**own, **_PATIENT, **options}
    return {f"TABLEWRIGHT_KURUKSHETRA_{name.upper()}": str(each) for name, each in wanted.items()}


async def refused(work: Coroutine[Any, Any, object]) -> Problem:
    """The problem that something ends with."""
    with pytest.raises(Problem) as caught:
        await work
    return caught.value


async def audited(festival: Festival) -> list[tuple[str, str]]:
    """Action and subject, without keys; the oldest first, if the clock moved."""
    page = await audit.entries(festival.db, until=START + 10**7, limit=100)
    found = [(each.action, each.subject) for each in reversed(page)]
    return [each for each in found if not each[0].startswith("api-key")]


# --- behind its API ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Api:
    """The API as somebody uses it."""

    http: httpx2.AsyncClient
    runtime: Runtime
    #: Other use cases on the same tables, with memories of their own.
    festival: Festival
    who: Principal | None = None

    def as_(self, who: Principal | None) -> Api:
        """As somebody else, or as nobody."""
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
        if self.who is not None:
            named["Authorization"] = f"Bearer {token_of(self.runtime, self.who)}"
        return await self.http.request(method, f"{API}{path}", headers=named, **sent)

    async def done(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """What a request that must succeed is answered."""
        answer = await self(method, path, body, **headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def get(self, path: str) -> Any:
        return await self.done("GET", path)

    async def refused(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, str]:
        """Status and code of what a request is refused with."""
        return code_of(await self(method, path, body, **headers))


def token_of(runtime: Runtime, who: Principal) -> str:
    """An access token of the local issuer, with an address that is verified, or none."""
    identity = runtime.auth.identity
    assert identity.local is not None
    address = str(who.claims.get("email", "")) if who.claims.get("email_verified") else ""
    user = DemoUser(who.id, who.name, "", who.grants, email=address)
    return identity.local.token(user, identity.local_url)


@asynccontextmanager
async def api_on(
    backend: Backend,
    clock: Clock,
    *,
    sandbox: bool = False,
    workers: bool = False,
    settings: Mapping[str, Any] | None = None,
    **options: object,
) -> AsyncIterator[Api]:
    """The system as it is served; ``options`` are its own settings, ``settings`` the process's."""
    serving = asgi(
        system,
        backend,
        clock=clock,
        environ=_environ(sandbox, options),
        workers=workers,
        **(settings or {}),
    )
    async with serving as (http, runtime):
        yield Api(http, runtime, Festival(runtime))


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of a problem."""
    return answer.status_code, str(answer.json().get("code", ""))


# --- events --------------------------------------------------------------------------------------


def event_body(event_id: str = EVENT, **config: Any) -> dict[str, Any]:
    """An event whose registration is open for a fortnight, as a program sends it."""
    return {
        "event_id": event_id,
        "event_name": "Kurukshetra 2026",
        "registration_open": True,
        "registration_start": moment(NOW - timedelta(days=1)),
        "registration_end": moment(NOW + timedelta(days=14)),
        "event_start": moment(NOW + timedelta(days=20)),
        "event_end": moment(NOW + timedelta(days=22)),
        "roster_lock_at": moment(NOW + timedelta(days=19)),
        **config,
    }


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


async def event_made(festival: Festival, event_id: str = EVENT, **config: Any) -> m.Config:
    """An event, with the settings of :func:`event_body` and these."""
    body = EventIn.model_validate(event_body(event_id, **config), strict=False)
    setup = await festival.events.create(await festival.access.user(ADMIN), body)
    return setup.config


async def caller(festival: Festival, who: Principal, event_id: str = EVENT) -> Caller:
    """Somebody at an event, as they are now."""
    return await festival.access.now(who, event_id)


# --- participants and teams ----------------------------------------------------------------------


def registration(name: str = "asha", **said: Any) -> RegistrationIn:
    return RegistrationIn.model_validate(registration_body(name, **said), strict=False)


def registration_body(name: str = "asha", **said: Any) -> dict[str, Any]:
    """What somebody types."""
    return {
        "first_name": name.capitalize(),
        "last_name": "Verma",
        "phone": f"+9198{next(_numbers):08d}",
        "college": "Example University",
        "year": "3",
        **said,
    }


async def registered(festival: Festival, event_id: str, name: str, **said: Any) -> Caller:
    """A participant, as a caller."""
    who = person(name)
    by = await festival.access.caller(who, event_id)
    await festival.people.register(by, registration(name, **said))
    return await festival.access.now(who, event_id)


@dataclass(frozen=True)
class Made:
    """A team and its people; the first of them leads it."""

    team: m.Team
    members: tuple[Caller, ...]
    #: The code that others join with.
    code: str

    @property
    def team_id(self) -> str:
        return self.team.team_id

    @property
    def leader(self) -> Caller:
        return self.members[0]


async def team_made(
    festival: Festival, event_id: str = EVENT, size: int = 2, name: str | None = None, **team: Any
) -> Made:
    """A team of new participants, unpaid; written as founding and joining write it."""
    number = next(_numbers)
    people = [
        await registered(festival, event_id, f"member-{number}-{place}") for place in range(size)
    ]
    code = invites.new()
    made = await _founded(festival, event_id, people[0], code, name or f"Team {number}", team)
    now = festival.events.moment(await festival.events.config(event_id))
    for each in people[1:]:
        assert each.participant_id is not None
        assert made.invite_hash is not None
        op = m.join_team(event_id, made.team_id, made.invite_hash, each.participant_id, now)
        await festival.db.run(op)
    for each in people:
        festival.access.forget(each)
    members = [await festival.access.now(each.principal, event_id) for each in people]
    stored = await festival.db.require(m.team(event_id, made.team_id))
    return Made(stored, tuple(members), code)


async def _founded(
    festival: Festival, event_id: str, leader: Caller, code: str, name: str, team: dict[str, Any]
) -> m.Team:
    config = await festival.events.config(event_id)
    now = festival.events.moment(config)
    assert leader.participant_id is not None
    wanted = {
        "event_id": event_id,
        "team_id": str(uuid4()),
        "name": name,
        "track": config.tracks[0],
        "leader_participant_id": leader.participant_id,
        "max_members": config.max_team_size,
        "currency": config.currency,
        "invite_code": Plain(code),
        "invite_hash": festival.privacy.blind.invite(code),
        "created_at": now.at,
        "updated_at": now.at,
        **team,
    }
    made = festival.privacy.vault.sealed(m.Team.model_validate(wanted))
    await festival.db.run(m.found_team(made, now))
    return made
