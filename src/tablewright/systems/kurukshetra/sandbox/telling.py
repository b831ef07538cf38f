"""Events, and when they are to be delivered.

An event is kept in the transaction of what it tells about, with its body and its signature: they
are the same at every delivery, also after the secret was changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from tablewright.systems.kurukshetra.gateway.signatures import webhook_signature
from tablewright.systems.kurukshetra.sandbox import entities
from tablewright.systems.kurukshetra.sandbox.chance import Chance
from tablewright.systems.kurukshetra.sandbox.entities import Document
from tablewright.systems.kurukshetra.sandbox.settings import Misbehaviour
from tablewright.systems.kurukshetra.sandbox.work import Work

#: How many later events may overtake one.
_OVERTAKEN_BY = 8
_MOST_COPIES = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """One delivery of an event."""

    after_secs: float
    rank: int
    dropped: bool = False


def tell(work: Work, kind: str, parts: Mapping[str, Document]) -> None:
    """Keep an event; nothing that it could be about has it twice."""
    number = work.store.next_number("events")
    identity = work.chance.identity("event", number)
    body = orjson.dumps(entities.event(kind, parts, work.now))
    secret = work.settings.credentials.webhook_secret.get_secret_value()
    subject = parts[kind.partition(".")[0]]["id"]
    work.store.write(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(number, identity, kind, subject, work.now, body, webhook_signature(body, secret)),
    )
    for each in plans(work.settings.misbehaviour, work.chance, number):
        state = "dropped" if each.dropped else "waiting"
        work.store.write(
            "INSERT INTO deliveries (event, rank, state, due_at) VALUES (?, ?, ?, ?)",
            *(number, each.rank, state, work.now + each.after_secs),
        )


def plans(how: Misbehaviour, chance: Chance, number: int) -> list[Plan]:
    """When the number-th event is delivered, and how often."""
    if chance.happens(f"drop/{number}", how.drop):
        return [Plan(0.0, number, dropped=True)]
    copies = 1
    if chance.happens(f"duplicate/{number}", how.duplicate):
        copies = chance.draw(f"copies/{number}").randint(2, _MOST_COPIES)
    return [_plan(how, chance, number, copy) for copy in range(copies)]


def _plan(how: Misbehaviour, chance: Chance, number: int, copy: int) -> Plan:
    name = f"{number}/{copy}"
    after, rank = 0.0, number
    if chance.happens(f"delay/{name}", how.delay):
        after = chance.draw(f"after/{name}").uniform(0.0, how.delay_secs)
    if chance.happens(f"reorder/{name}", how.reorder):
        rank += chance.draw(f"rank/{name}").randint(1, _OVERTAKEN_BY)
    return Plan(after, rank)
