"""A courtroom on a database of its own, and organisers, hackathons and submissions for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tablewright.client import RequestEvent, Retries
from tablewright.clock import Clock
from tablewright.model import put
from tablewright.service.auth import Principal
from tablewright.service.kit import audit, kit_model
from tablewright.service.problems import Problem
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.demo_hackathons import NOW
from tablewright.systems.vibejudge.entities import (
    HackathonDetail,
    HackathonStatus,
    Submission,
    Tier,
)
from tablewright.systems.vibejudge.rules.templates import TEMPLATES
from tablewright.systems.vibejudge.service.callers import Caller, organizer_owner
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.system import system
from tablewright.testing.backends import Backend

__all__ = ["NOW"]

R = TypeVar("R")

START = NOW.timestamp()
#: Gives up soon, for tests in which the store is away.
QUICK = Retries(attempts=2, budget=0.2, base=0.001, cap=0.005)
_numbers = count(1)


def run(work: Coroutine[Any, Any, R]) -> R:
    return asyncio.run(work)


def person(name: str, *roles: str) -> Principal:
    """Somebody who has signed in."""
    return Principal(
        id=f"user:{name}",
        name=name,
        kind="user",
        roles=frozenset(roles),
        grants=frozenset(f"vibejudge:{role}" for role in roles),
    )


ADMIN = person("ann", "admin")
ORGANIZER = person("olga", "organizer")
#: An administrator as a caller: everything is in their reach.
AS_ADMIN = Caller(ADMIN)


@asynccontextmanager
async def courtroom_on(
    backend: Backend,
    clock: Clock,
    *,
    heard: list[RequestEvent] | None = None,
    quick: bool = False,
    opened: bool = False,
    data: Path | None = None,
    **options: object,
) -> AsyncIterator[Courtroom]:
    """The use cases of one process; ``options`` are vibejudge's own.

    ``heard`` gets all requests to the store, from here on; ``opened`` is inside the lifespan.
    """
    environ = {
        f"TABLEWRIGHT_VIBEJUDGE_{name.upper()}": str(value) for name, value in options.items()
    }
    transport = backend.async_transport()
    try:
        runtime = runtime_of(
            system,
            transport,
            Settings(data=data),
            clock=clock,
            environ=environ,
            names=backend.physical if backend.prefix else None,
        )
        await runtime.db.create_tables(system.model, kit_model)
        if quick:
            runtime.db.context = replace(runtime.db.context, retries=QUICK)
        courtroom = Courtroom(runtime)
        if heard is not None:
            courtroom.db.context = replace(courtroom.db.context, hook=heard.append)
        if not opened:
            yield courtroom
            return
        async with courtroom.lifespan():
            yield courtroom
    finally:
        await transport.close()


async def refused(work: Coroutine[Any, Any, object]) -> Problem:
    """The problem that something ends with."""
    with pytest.raises(Problem) as caught:
        await work
    return caught.value


async def audited(courtroom: Courtroom) -> list[tuple[str, str]]:
    """Action and subject, without keys; the oldest first, if the clock moved."""
    page = await audit.entries(courtroom.db, until=START + 10**7, limit=100)
    found = [(each.action, each.subject) for each in reversed(page)]
    return [each for each in found if not each[0].startswith("api-key")]


# --- organisers ----------------------------------------------------------------------------------


async def organizer(courtroom: Courtroom, name: str = "olga", tier: Tier = "premium") -> Caller:
    """Somebody who has registered, as a caller with their key."""
    body = OrganizerIn(email=f"{name}@people.test", name=name.capitalize())
    made = await courtroom.organizers.register(body, None)
    org_id = made.organizer.org_id
    if tier != "free":
        await courtroom.organizers.set_tier(AS_ADMIN, org_id, tier)
    return caller_of(org_id)


def caller_of(org_id: str) -> Caller:
    """A program with a key of that organiser."""
    principal = Principal(
        id=f"key:{org_id[-16:].lower()}",
        name="A key",
        kind="key",
        roles=frozenset({"organizer"}),
        grants=frozenset({"vibejudge:organizer"}),
        owner=organizer_owner(org_id),
    )
    return Caller(principal, org_id)


# --- hackathons ----------------------------------------------------------------------------------


def wanted(name: str = "Winter Code Jam", **said: Any) -> HackathonIn:
    """A hackathon that runs from yesterday until tomorrow."""
    return HackathonIn.model_validate(wanted_body(name, **said), strict=False)


def wanted_body(name: str = "Winter Code Jam", **said: Any) -> dict[str, Any]:
    """The same as a program sends it."""
    return {
        "name": name,
        "start_date": moment(NOW - timedelta(days=1)),
        "end_date": moment(NOW + timedelta(days=1)),
        "rubric": TEMPLATES[0].rubric.model_dump(mode="json"),
        **said,
    }


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


async def hackathon(
    courtroom: Courtroom,
    caller: Caller,
    status: HackathonStatus = "configured",
    **said: Any,
) -> HackathonDetail:
    """One of the caller's, in a state."""
    made = await courtroom.hackathons.create(caller, wanted(**said))
    if status == "draft":
        return made
    made = await courtroom.hackathons.activate(caller, made.hack_id)
    return made if status == "configured" else await moved(courtroom, made, status)


async def moved(
    courtroom: Courtroom, hackathon: HackathonDetail, status: HackathonStatus, **changes: Any
) -> HackathonDetail:
    """The hackathon in another state, however that came about."""
    latest = await courtroom.db.require(reads.hackathon(hackathon.hack_id))
    after = latest.model_copy(update={"status": status, **changes})
    await courtroom.db.run(writes.edit_hackathon(after, courtroom.now()))
    return await courtroom.db.require(reads.hackathon(hackathon.hack_id))


# --- submissions ---------------------------------------------------------------------------------


async def submission(
    courtroom: Courtroom,
    hackathon: HackathonDetail,
    team: str | None = None,
    repo_url: str | None = None,
    **changes: Any,
) -> Submission:
    """One that was handed in, with its locks; ``changes`` are what has become of it since."""
    number = next(_numbers)
    name = team or f"Team {number}"
    now = courtroom.now()
    made = Submission(
        hack_id=hackathon.hack_id,
        team_name=name,
        repo_url=repo_url or f"https://github.com/team-{number}/project-{number}",
        repo_owner=f"team-{number}",
        repo_name=f"project-{number}",
        created_at=now,
        updated_at=now,
    )
    op = writes.submit([made], hackathon.org_id, 5000, now, by_owner=True)
    await courtroom.db.run(op)
    stored = await courtroom.db.require(reads.submission(made.hack_id, made.sub_id))
    if not changes:
        return stored
    await courtroom.db.run(put(stored.model_copy(update=changes)).replace())
    return await courtroom.db.require(reads.submission(made.hack_id, made.sub_id))
