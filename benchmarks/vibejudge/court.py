"""The use cases of one process, a hackathon with repositories, and a job to its end."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.vibejudge.repositories import START
from tablewright.client import AsyncEmbedded, RequestEvent
from tablewright.clock import Clock, SystemClock
from tablewright.engine import Engine
from tablewright.service.auth import Principal
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.service.workers import runner
from tablewright.systems.vibejudge import job_reads
from tablewright.systems.vibejudge.analysis import AnalysisJob
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.bodies.submissions import SubmissionIn
from tablewright.systems.vibejudge.entities import ALL_AGENTS, HackathonDetail
from tablewright.systems.vibejudge.rules.job_states import is_over
from tablewright.systems.vibejudge.rules.templates import TEMPLATES
from tablewright.systems.vibejudge.service.callers import Caller, organizer_owner
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.submissions.rows import RowResult
from tablewright.systems.vibejudge.system import system
from tablewright.systems.vibejudge.workers import workers

#: A model with a price for every agent; the stand-in answers by any name.
MODELS = {agent: {"label": "quick", "model_id": "gpt-4.1-mini"} for agent in ALL_AGENTS}
_ADMIN = Caller(Principal("user:bench", "bench", "user", frozenset({"admin"})))
_LOOK_SECS = 0.1


@asynccontextmanager
async def courtroom_on(
    engine: Engine,
    *,
    data: Path | None = None,
    heard: list[RequestEvent] | None = None,
    clock: Clock | None = None,
    transport: AsyncEmbedded | None = None,
    **options: Any,
) -> AsyncIterator[Courtroom]:
    """The use cases of a process, without its workers; ``heard`` gets all requests to the store."""
    environ = {f"TABLEWRIGHT_VIBEJUDGE_{key.upper()}": str(each) for key, each in options.items()}
    runtime = runtime_of(
        system,
        transport or AsyncEmbedded(engine),
        Settings(data=data),
        clock=clock or SystemClock(),
        environ=environ,
    )
    await runtime.db.create_tables(system.model, kit_model)
    courtroom = Courtroom(runtime)
    if heard is not None:
        courtroom.db.context = replace(courtroom.db.context, hook=heard.append)
    async with courtroom.lifespan():
        yield courtroom


def readable(repositories: Sequence[Path]) -> dict[str, Any]:
    """The options by which these may be read."""
    return {"allow_local_paths": True, "local_root": repositories[0].parent}


@dataclass(frozen=True)
class Entered:
    """A hackathon whose submissions have been handed in, and whose it is."""

    caller: Caller
    hackathon: HackathonDetail
    submissions: tuple[str, ...]


async def entered(
    courtroom: Courtroom,
    repositories: Sequence[Path],
    name: str,
    *,
    beside: bool = False,
    **said: Any,
) -> Entered:
    """A hackathon of an organiser of its own, with these repositories.

    ``beside``: as the API takes many rows where a table has few units, beside the request.
    """
    registered = await courtroom.organizers.register(
        OrganizerIn(email=f"{name}@people.test", name=name), None
    )
    org_id = registered.organizer.org_id
    await courtroom.organizers.set_tier(_ADMIN, org_id, "premium")
    caller = Caller(
        Principal(
            f"key:{name}",
            name,
            "key",
            frozenset({"organizer"}),
            grants=frozenset({"vibejudge:organizer"}),
            owner=organizer_owner(org_id),
        ),
        org_id,
    )
    made = await courtroom.hackathons.create(caller, _wanted(name, courtroom.now(), **said))
    made = await courtroom.hackathons.activate(caller, made.hack_id)
    rows = [
        SubmissionIn(team_name=f"Team {number}", repo_url=str(each))
        for number, each in enumerate(repositories)
    ]
    if beside:
        stored = await _beside(courtroom, caller, made.hack_id, rows)
    else:
        stored = await courtroom.submissions.submit(caller, made.hack_id, rows)
    for each in stored:
        if each.problem is not None:
            raise each.problem
    return Entered(caller, made, tuple(each.sub_id or "" for each in stored))


async def _beside(
    courtroom: Courtroom, caller: Caller, hack_id: str, rows: list[SubmissionIn]
) -> list[RowResult]:
    under_way = await courtroom.submissions.submit_beside(caller, hack_id, rows)
    while under_way.state == "running":
        await asyncio.sleep(_LOOK_SECS)
    return under_way.results


def _wanted(name: str, now: datetime, **said: Any) -> HackathonIn:
    """One that goes on for a while: nothing but a job is to happen now."""
    body = {
        "name": name,
        "start_date": f"{START:%Y-%m-%dT%H:%M:%SZ}",
        "end_date": f"{now + timedelta(days=30):%Y-%m-%dT%H:%M:%SZ}",
        "rubric": TEMPLATES[0].rubric.model_dump(mode="json"),
        **said,
    }
    return HackathonIn.model_validate(body, strict=False)


@dataclass(frozen=True)
class Ran:
    """A job that has ended."""

    job: AnalysisJob
    #: From its start to its end, and the CPU time of this process and of its children.
    secs: float
    parent_secs: float
    child_secs: float


async def ran(courtroom: Courtroom, entered: Entered, look_secs: float = _LOOK_SECS) -> Ran:
    """A job, by the workers of this process, to its end; it is looked at every so often.

    The workers end with it: a courtroom does that once.
    """
    hack_id = entered.hackathon.hack_id
    async with runner(courtroom.runtime, workers(courtroom)):
        began, own, children = time.perf_counter(), time.process_time(), child_secs()
        job = await courtroom.jobs.start(entered.caller, hack_id)
        while not is_over(job):
            await asyncio.sleep(look_secs)
            job = await courtroom.patient.require(job_reads.job(hack_id, job.job_id))
        secs = time.perf_counter() - began
        return Ran(job, secs, time.process_time() - own, child_secs() - children)


def child_secs() -> float:
    """CPU time of all children, and of theirs: those that have ended, and those still there."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + sum(map(_used, children(os.getpid())))


def children(pid: int) -> list[int]:
    """The processes that one has started, where the system tells (Linux)."""
    try:
        threads = (Path("/proc") / str(pid) / "task").iterdir()
        return [int(each) for one in threads for each in (one / "children").read_text().split()]
    except OSError:
        return []  # it has just ended


def _used(pid: int) -> float:
    """With its children that have ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    ticks = stat.rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
