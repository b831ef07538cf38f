"""Working on a job where nobody else does.

Where vibejudge runs, its workers take the tasks of a job, and a command only looks on. In a place
that nobody runs the command does the work itself. Each task has a lease of its own, so whoever is
there besides takes others; who is interrupted puts back what it has, and loses nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tablewright.systems.vibejudge.cli.given import Courtroom

#: The worker that one process has, wherever vibejudge runs.
_WORKER = "sweep"
#: How often is looked for what is due, and for what others have left undone.
_PAUSE_SECS, _SWEEP_SECS = 0.2, 10.0


async def is_worked_on(courtroom: Courtroom) -> bool:
    """Whether some process does the work of this place."""
    from tablewright.service.workers import Leases

    leases = Leases(courtroom.db, courtroom.runtime.clock)
    return not leases.free(await leases.look(_WORKER))


@asynccontextmanager
async def worked_on(courtroom: Courtroom) -> AsyncIterator[asyncio.Task[None]]:
    """All tasks that are due are done beside whatever the caller does meanwhile."""
    working = asyncio.create_task(_work(courtroom))
    try:
        yield working
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def _work(courtroom: Courtroom) -> None:
    swept = time.monotonic()
    while True:
        await courtroom.analyst.work_once()
        if time.monotonic() - swept >= _SWEEP_SECS:
            await courtroom.jobs.sweep()
            await courtroom.budgets.sweep()
            swept = time.monotonic()
        await asyncio.sleep(_PAUSE_SECS)
