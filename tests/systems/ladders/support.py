"""A company on a database of its own, and people, teams, ladders and plans for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
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
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo_items import NOW, ladder
from tablewright.systems.ladders.fields import (
    Activation,
    AssessmentType,
    Ladder,
    PlanStatus,
    RoleName,
)
from tablewright.systems.ladders.rules.ladder_text import written
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.system import system as system
from tablewright.testing.backends import Backend

__all__ = ["NOW"]

R = TypeVar("R")

START = NOW.timestamp()
API = "/ladders/api/v1"
#: The season of a plan if nobody says which.
SEASON = "2026-H2"
#: Gives up soon, for tests in which the store is away.
QUICK = Retries(attempts=2, budget=0.2, base=0.001, cap=0.005)
#: A test's minute may be long.
_PATIENT = {"requests_per_minute": 1_000_000}
_numbers = count(1)


def run(work: Coroutine[Any, Any, R]) -> R:
    return asyncio.run(work)


# --- people --------------------------------------------------------------------------------------


def person(name: str, *roles: str, email: str | None = None, verified: bool = True) -> Principal:
    """Somebody who has signed in; ``roles`` are the issuer's. No address: ``email=""``."""
    address = f"{name}@people.test" if email is None else email
    claims = {"email": address, "email_verified": verified} if address else {}
    return Principal(
        id=f"user:{name}",
        name=name.capitalize(),
        kind="user",
        roles=frozenset(roles),
        grants=frozenset(f"ladders:{role}" for role in roles),
        claims=claims,
    )


#: An operator: the issuer says that they are an admin, and the company knows nothing of them.
OPERATOR = person("olaf", "admin", email="")


async def user_made(
    company: Company, name: str | None = None, *roles: RoleName, **fields: Any
) -> Caller:
    """A user who was invited and has signed in, as a caller."""
    short = name or f"user-{next(_numbers)}"
    who, now, user_id = person(short), company.now(), str(uuid4())
    user = m.User(
        user_id=user_id,
        email=f"{short}@people.test",
        name=short.capitalize(),
        roles=set(roles),
        created_by=user_id,
        created_at=now,
        updated_at=now,
        **fields,
    )
    await company.db.run(m.invite_user(user))
    return await company.people.caller(who)


async def again(company: Company, by: Caller) -> Caller:
    """The same caller, as they are now."""
    return await company.people.caller(by.principal)


# --- a process -----------------------------------------------------------------------------------


@asynccontextmanager
async def company_on(
    backend: Backend,
    clock: Clock,
    *,
    heard: list[RequestEvent] | None = None,
    quick: bool = False,
    data: Path | None = None,
    **options: object,
) -> AsyncIterator[Company]:
    """The use cases of one process, inside its lifespan; ``options`` are ladders' own.

    ``heard`` gets all requests to the store.
    """
    transport = backend.async_transport()
    try:
        runtime = runtime_of(
            system,
            transport,
            Settings(data=data),
            clock=clock,
            environ=_environ(options),
            names=backend.physical if backend.prefix else None,
        )
        await runtime.db.create_tables(system.model, kit_model)
        if quick:
            runtime.db.context = replace(runtime.db.context, retries=QUICK)
        if heard is not None:
            runtime.db.context = replace(runtime.db.context, hook=heard.append)
        company = Company(runtime)
        async with company.lifespan():
            yield company
    finally:
        await transport.close()


def _environ(options: Mapping[str, object]) -> dict[str, str]:
    wanted = {**_PATIENT, **options}
    return {f"TABLEWRIGHT_LADDERS_{name.upper()}": str(each) for name, each in wanted.items()}


async def refused(work: Coroutine[Any, Any, object]) -> Problem:
    """The problem that something ends with."""
    with pytest.raises(Problem) as caught:
        await work
    return caught.value


async def code_in(work: Coroutine[Any, Any, object]) -> tuple[int, str]:
    """Status and code of the problem that something ends with."""
    problem = await refused(work)
    return problem.status, problem.code


async def audited(company: Company) -> list[tuple[str, str]]:
    """Action and subject, without keys; the oldest first, if the clock moved."""
    page = await audit.entries(company.db, until=START + 10**7, limit=100)
    found = [(each.action, each.subject) for each in reversed(page)]
    return [each for each in found if not each[0].startswith("api-key")]


# --- behind its API ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Api:
    """The API as somebody uses it."""

    http: httpx2.AsyncClient
    runtime: Runtime
    #: Other use cases on the same tables.
    company: Company
    who: Principal | None = None

    def as_(self, who: Principal | Caller | None) -> Api:
        """As somebody else, or as nobody."""
        return replace(self, who=who.principal if isinstance(who, Caller) else who)

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
    workers: bool = False,
    settings: Mapping[str, Any] | None = None,
    **options: object,
) -> AsyncIterator[Api]:
    """The system as it is served; ``options`` are its own settings, ``settings`` the process's."""
    serving = asgi(
        system,
        backend,
        clock=clock,
        environ=_environ(options),
        workers=workers,
        **(settings or {}),
    )
    async with serving as (http, runtime):
        yield Api(http, runtime, Company(runtime))


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of a problem."""
    return answer.status_code, str(answer.json().get("code", ""))


# --- teams ---------------------------------------------------------------------------------------


async def team_made(
    company: Company, manager: Caller | None = None, *members: Caller, **fields: Any
) -> m.Team:
    """A team as it is stored; the manager has the role already."""
    now, by = company.now(), str(uuid4())
    wanted = {
        "team_id": str(uuid4()),
        "team_name": f"Team {next(_numbers)}",
        "manager_id": None if manager is None else manager.user_id,
        "created_by": by,
        "created_at": now,
        "updated_at": now,
        **fields,
    }
    team = m.Team.model_validate(wanted)
    await company.db.run(m.create_team(team))
    if members:
        joining = [each.user_id for each in members]
        await company.db.run(m.add_members(team.team_id, joining, now))
    return await company.db.require(m.team(team.team_id))


@dataclass(frozen=True)
class Crew:
    """A team with its people, as callers."""

    team: m.Team
    manager: Caller
    members: tuple[Caller, ...]

    @property
    def team_id(self) -> str:
        return self.team.team_id


async def crew_made(company: Company, size: int = 2) -> Crew:
    """A team of new people, with a manager."""
    manager = await user_made(company, None, "manager")
    members = [await user_made(company) for _ in range(size)]
    team = await team_made(company, manager, *members)
    now = [await again(company, each) for each in members]
    return Crew(team, await again(company, manager), tuple(now))


# --- ladders and plans ---------------------------------------------------------------------------


async def config_made(
    company: Company, version: str = "1.0.0", steps: Ladder | None = None, *, active: bool = True
) -> m.ConfigVersion:
    """A version of the ladder, two by two competencies of five levels if nobody says which."""
    now, found = company.now(), steps or ladder()
    by = str(uuid4())
    config = m.ConfigVersion(
        version=version,
        config_content=written(found),
        parsed_config=found,
        created_by=by,
        created_at=now,
        updated_at=now,
    )
    await company.db.run(m.upload_config(config))
    if active:
        await _activated(company, config)
    return await company.db.require(m.config(config.config_id))


async def _activated(company: Company, config: m.ConfigVersion) -> None:
    before, now = await company.db.run(m.active_config()), company.now()
    pointer = m.ActiveConfig(
        active_config_id=config.config_id,
        previous_config_id=None if before is None else before.active_config_id,
        version=config.version,
        created_by=config.created_by,
        created_at=now,
        updated_at=now,
        revision=0 if before is None else before.revision,
    )
    await company.db.run(m.activate_config(config.config_id, pointer, now))


async def plan_made(
    company: Company,
    team: m.Team,
    season: str = SEASON,
    status: PlanStatus = "active",
    **fields: Any,
) -> m.Plan:
    """A plan of a team, with an active ladder (made if there is none) and its assessments.

    It ends in a fortnight. Written as drafting, activating and completing write it.
    """
    pointer = await company.db.run(m.active_config())
    if pointer is None:
        await config_made(company)
        pointer = await company.db.require(m.active_config())
    now = company.now()
    wanted = {
        "team_id": team.team_id,
        "season": season,
        "plan_name": f"Review {season}",
        "start_date": now - timedelta(days=1),
        "end_date": now + timedelta(days=14),
        "config_id": pointer.active_config_id,
        "config_version": pointer.version,
        "created_by": team.created_by,
        "created_at": now,
        "updated_at": now,
        **fields,
    }
    plan = m.Plan.model_validate(wanted)
    await company.db.run(m.draft_plan(plan))
    if status != "draft":
        await _opened(company, plan.plan_id)
    if status in ("completed", "archived"):
        active = await company.db.require(m.plan(plan.plan_id))
        await company.db.run(m.complete_plan(active, now))
    if status == "archived":
        complete = await company.db.require(m.plan(plan.plan_id))
        await company.db.run(m.archive_plan(complete, now))
    return await company.db.require(m.plan(plan.plan_id))


async def _opened(company: Company, plan_id: str) -> None:
    now, plan = company.now(), await company.db.require(m.plan(plan_id))
    team = await company.db.require(m.team(plan.team_id))
    config = await company.db.require(m.config(plan.config_id))
    begun = Activation(by=plan.created_by, at=now)
    await company.db.run(m.begin_activation(plan, team, begun))
    kinds: tuple[AssessmentType, ...] = ("self", "manager")
    for member in sorted(team.member_ids):
        for kind in kinds:
            made = assessment_new(plan, team, member, kind, config.parsed_config)
            await company.db.run(m.start_assessment(made))
    await company.db.run(m.finish_activation(plan, now))


def assessment_new(
    plan: m.Plan, team: m.Team, member: str, kind: AssessmentType, steps: Ladder
) -> m.Assessment:
    """An assessment that nobody has begun, with the maps that its ladder asks for."""
    assert team.manager_id is not None
    inside = {each.name: [one.name for one in each.competencies] for each in steps.categories}
    return m.Assessment(
        plan_id=plan.plan_id,
        team_member_id=member,
        assessment_type=kind,
        team_id=plan.team_id,
        assessor_id=member if kind == "self" else team.manager_id,
        selections={name: {} for name in inside},
        feedback={name: {each: {} for each in found} for name, found in inside.items()},
        total=sum(map(len, inside.values())),
        created_by=plan.created_by,
        created_at=plan.updated_at,
        updated_at=plan.updated_at,
    )


async def assessment_of(
    company: Company, plan: m.Plan, member: Caller, kind: AssessmentType = "self"
) -> m.Assessment:
    """An assessment as it is stored."""
    found = ids.assessment_id(plan.plan_id, member.user_id, kind)
    return await company.db.require(m.assessment(found))
