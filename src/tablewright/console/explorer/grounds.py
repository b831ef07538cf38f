"""Where patterns and statements are run: on the practice tables, or on the live ones.

On the practice tables everybody may do everything. The live tables are for reading, and for those
who may see what is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fastapi import Request

from tablewright.client import AsyncDb
from tablewright.client.context import Context, Retries
from tablewright.console.explorer.noting import Note, note_of, unnoted
from tablewright.console.explorer.recording import Recording
from tablewright.console.tools import Tools
from tablewright.model.table import Table
from tablewright.service.auth import Principal
from tablewright.service.limits import Rate
from tablewright.service.problems import Problem

GroundName: TypeAlias = Literal["practice", "live"]

#: Somebody waits for the page: better an answer than many attempts.
_RETRIES = Retries(attempts=3, budget=2.0)
#: Requests of one run; a filter that finds little ends there.
MOST_REQUESTS = 20
#: Runs of one person.
RUNS = Rate(per_minute=240, burst=60)


@dataclass(frozen=True)
class Ground:
    """A database to run something on, with a record of what is sent."""

    name: GroundName
    db: AsyncDb
    recording: Recording
    tables: Mapping[str, Table]
    #: To be told before something is read.
    note: Note = unnoted

    @property
    def live(self) -> bool:
        return self.name == "live"

    def physical(self, table: str) -> str:
        return self.db.context.physical(table)

    def logical(self, physical: str) -> str:
        """The name that the model has for a table, of the one that it has in the database."""
        return next((name for name in self.tables if self.physical(name) == physical), physical)


async def grounds_for(tools: Tools, request: Request) -> Sequence[GroundName]:
    """Where the caller may run something, the best to begin with first."""
    live: Sequence[GroundName] = ("live",) if await tools.may_see_data(request) else ()
    return live if tools.practice is None else ("practice", *live)


async def ground_for(tools: Tools, request: Request, name: str) -> Ground:
    """The ground of that name, if the caller may run something there; else the problem why not."""
    if name == "live":
        who = await tools.admit_to_data(request)
        await _slowly(tools, who)
        return live_ground(tools, who)
    await _slowly(tools, await tools.admit(request))
    if name != "practice":
        raise Problem(404, "NOT_FOUND", "There are practice tables and live ones.")
    return await practice_ground(tools)


async def _slowly(tools: Tools, who: Principal) -> None:
    await tools.runtime.limits.check("explore", who.id, RUNS)


def live_ground(tools: Tools, who: Principal) -> Ground:
    """What the system itself works on, its kit table included, if it has one."""
    db = tools.runtime.db
    recording = Recording(db.transport, reads_only=True)
    driver = _db(tools, "live", recording, db.context)
    return Ground("live", driver, recording, tools.live_tables, note_of(tools, who))


async def practice_ground(tools: Tools) -> Ground:
    practice = tools.practice
    if practice is None:
        raise Problem(404, "NO_PRACTICE", "This process has no practice tables.")
    if practice.full:
        raise Problem(409, "PRACTICE_FULL", "The practice tables are full. Fill them anew.")
    recording = Recording(await practice.transport(), wrote=practice.wrote)
    # With a hook, requests ask what they use; here the record tells it.
    context = Context(clock=practice.clock, hook=lambda event: None)
    db = _db(tools, "practice", recording, context)
    return Ground("practice", db, recording, tools.system.model.tables)


def _db(tools: Tools, name: GroundName, recording: Recording, context: Context) -> AsyncDb:
    """A driver for somebody who waits; a cursor of one ground is worth nothing on another."""
    return AsyncDb(
        recording,
        names=context.names,
        clock=context.clock,
        hook=context.hook,
        retries=_RETRIES,
        cursor_key=tools.runtime.keys.secret("cursors") + name.encode(),
        max_pages=MOST_REQUESTS,
    )
