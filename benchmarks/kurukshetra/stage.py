"""An event with people and teams: the use cases of one process, without its workers.

One person registers as people do. The others are copies, sealed for their own places, with a team
of one each where they need one: thousands of registrations are not what is measured.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from tablewright.client import AsyncEmbedded, RequestEvent
from tablewright.engine import Engine
from tablewright.model import Entity, put
from tablewright.service.auth import DemoUser, Principal
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.events import EventIn
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system

ADMIN = Principal("user:bench", "Bench", "user", frozenset({"admin"}))
#: Entities of one transaction.
_AT_ONCE = 90


@dataclass(frozen=True)
class Led:
    """A team of one, and who leads it."""

    user_id: str
    team_id: str


@asynccontextmanager
async def festival_on(
    engine: Engine,
    *,
    data: Path | None = None,
    heard: list[RequestEvent] | None = None,
    **options: Any,
) -> AsyncIterator[Festival]:
    """The use cases of a process; ``heard`` gets all requests to the store."""
    environ = {f"TABLEWRIGHT_KURUKSHETRA_{key.upper()}": str(each) for key, each in options.items()}
    runtime = runtime_of(system, AsyncEmbedded(engine), Settings(data=data), environ=environ)
    await runtime.db.create_tables(system.model, kit_model)
    if heard is not None:
        runtime.db.context = replace(runtime.db.context, hook=heard.append)
    festival = Festival(runtime)
    async with festival.lifespan():
        yield festival


def person(name: str) -> Principal:
    """Somebody who has signed in, with an address that is verified."""
    claims = {"email": f"{name}@people.example", "email_verified": True}
    return Principal(f"user:{name}", name, "user", claims=claims)


async def planned(festival: Festival, event_id: str, seats: int, **config: Any) -> m.Config:
    """An event that is open, and whose holds last as long as a run may take."""
    now = festival.now()
    body = {
        "event_id": event_id,
        "event_name": "Bench",
        "registration_open": True,
        "registration_start": now - timedelta(days=1),
        "registration_end": now + timedelta(days=14),
        "event_start": now + timedelta(days=20),
        "event_end": now + timedelta(days=22),
        "max_teams": seats,
        "min_team_size": 1,
        "hold_minutes": 1440,
        **config,
    }
    made = EventIn.model_validate(body, strict=False)
    return (await festival.events.create(await festival.access.user(ADMIN), made)).config


async def registered(festival: Festival, event_id: str, name: str, **said: Any) -> Caller:
    """A participant, as a caller."""
    by = await festival.access.caller(person(name), event_id)
    body = {
        "first_name": "Asha",
        "last_name": "Verma",
        "phone": "+919876543210",
        "github_username": "asha-v",
        "college": "Example University",
        "year": "3",
        **said,
    }
    await festival.people.register(by, RegistrationIn.model_validate(body, strict=False))
    return await festival.access.now(by.principal, event_id)


async def peopled(
    festival: Festival, event_id: str, count: int, *, teams: bool = False, **said: Any
) -> list[Led]:
    """So many participants; with ``teams``, each leads a team of one."""
    first = await registered(festival, event_id, f"{event_id}-first", **said)
    page = await festival.db.require(m.participant_page(event_id, first.participant()))
    made = [_copy(festival, page, number, teams) for number in range(count - (not teams))]
    waiting: list[Entity] = []
    for _, entities in made:
        if len(waiting) + len(entities) > _AT_ONCE:
            await _put(festival, waiting)
            waiting = []
        waiting += entities
    await _put(festival, waiting)
    return [led for led, _ in made]


async def _put(festival: Festival, entities: Sequence[Entity]) -> None:
    if entities:
        await festival.db.transact(*map(put, entities))


def _copy(
    festival: Festival, page: m.ParticipantPage, number: int, teamed: bool
) -> tuple[Led, list[Entity]]:
    vault, before = festival.privacy.vault, page.participant
    led = Led(f"user:{before.event_id}-{number}", str(uuid4()))
    own = {"participant_id": str(uuid4()), "version": 0}
    uid_hash = festival.privacy.blind.uid(led.user_id)
    changes = {
        **own,
        "first_name": Plain(f"Number {number}"),
        "email_hash": f"{number:032x}",
        "firebase_uid": uid_hash,
        "team_id": led.team_id if teamed else None,
    }
    someone = vault.sealed(vault.opened(before).model_copy(update=changes))
    answers = [vault.sealed(vault.opened(each).model_copy(update=own)) for each in page.answers]
    kept = {"event_id": before.event_id, "created_at": before.created_at}
    links = [
        m.PeopleLink.model_validate({**kept, "participant_id": own["participant_id"]}),
        m.UidLink.model_validate({**kept, "uid_hash": uid_hash, "target": own["participant_id"]}),
    ]
    return led, [someone, *answers, *links, *(_team(led, someone, number) if teamed else ())]


def _team(led: Led, leader: m.Participant, number: int) -> tuple[m.Team, m.Member]:
    kept = {
        "event_id": leader.event_id,
        "team_id": led.team_id,
        "created_at": leader.created_at,
    }
    team = {
        "name": f"Team {number}",
        "track": "ai-ml",
        "leader_participant_id": leader.participant_id,
        "updated_at": leader.created_at,
    }
    member = {"participant_id": leader.participant_id, "joined_at": leader.created_at}
    return m.Team.model_validate({**kept, **team}), m.Member.model_validate({**kept, **member})


def tokens(festival: Festival, url: str, leaders: Sequence[Led]) -> list[str]:
    """What they show to the service at an address that has the same data folder."""
    local = festival.runtime.auth.identity.local
    assert local is not None
    users = [DemoUser(each.user_id, "Bench", "", frozenset()) for each in leaders]
    return [local.token(each, f"{url}/auth") for each in users]
