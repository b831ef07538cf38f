"""Analysis: every process takes tasks, as many as it has room for.

There is no lease around it: each task has its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Between turns; a turn itself waits until there is something to do.
EVERY_SECS = 0.05
#: In a process that leaves it to others.
_NEVER_SECS = 3600.0


def worker(courtroom: Courtroom) -> Worker:
    wanted, analyst = courtroom.options.analyse, courtroom.analyst

    async def run(held: Held) -> None:
        if wanted:
            await analyst.turn()

    every = EVERY_SECS if wanted else _NEVER_SECS
    return Worker("analyse", every, run, shared=True, close=analyst.close)
