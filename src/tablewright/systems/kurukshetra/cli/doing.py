"""Jobs: begun, and followed to their end.

Where kurukshetra runs, its workers do them, and a command only looks on. In a place that nobody
runs the command does the work itself; a lease keeps the two apart.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from tablewright.service.commands import Answer, Desk, Line, Styled
from tablewright.service.problems import Problem
from tablewright.service.typed import facts
from tablewright.service.wording import plain
from tablewright.systems.kurukshetra.cli.given import Festival

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.jobs import Job
    from tablewright.systems.kurukshetra.service.callers import Caller

_PAUSE_SECS = 0.2
#: Longer without getting any further, something is the matter.
_PATIENCE_SECS = 120.0


async def followed(festival: Festival, desk: Desk, by: Caller, job: Job, line: str) -> Answer:
    """What came of a job, when it has ended; not well if it failed."""
    from tablewright.systems.kurukshetra.bodies.tickets import JobOut

    ended = await _ended(festival, desk, by, job)
    told = JobOut.model_validate(ended).model_dump(mode="json")
    if ended.state == "failed":
        why = f"{ended.kind}: {plain(ended.error or '')} ({ended.error_code})"
        return Answer([Styled(why, "red")], told, ok=False)
    shown = [
        (name.replace("_", " "), plain(str(each)))
        for name, each in ended.result.items()
        if not isinstance(each, list | dict)
    ]
    lines: list[Line] = [line, *facts(shown)]
    return Answer(lines, told)


async def _ended(festival: Festival, desk: Desk, by: Caller, job: Job) -> Job:
    seen, since = -1, time.monotonic()
    while True:
        if not desk.joined:
            await festival.jobs.work_all()
        job = await festival.jobs.read(by, job.job_id)
        if job.state in ("done", "failed"):
            return job
        if job.done != seen:
            seen, since = job.done, time.monotonic()
        if time.monotonic() - since > _PATIENCE_SECS:
            raise _stuck(job)
        of = f" of {job.total:,}" if job.total is not None else ""
        desk.tick(f"{job.kind}: {job.done:,}{of}")
        await asyncio.sleep(_PAUSE_SECS)


def _stuck(job: Job) -> Problem:
    detail = f"The job {job.job_id} does not get any further: {plain(job.error or 'it waits')}."
    hint = "It is kept, and goes on where kurukshetra runs: tablewright up kurukshetra."
    return Problem(503, "JOB_WAITS", detail, extra={"hint": hint})
