"""The sweep: what others have left undone, every 30 seconds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

EVERY_SECS = 30.0


def worker(courtroom: Courtroom) -> Worker:
    """No fence is needed: all that it writes is on condition of what it has read."""

    async def run(held: Held) -> None:
        swept = await asyncio.gather(
            courtroom.jobs.sweep(), courtroom.budgets.sweep(), return_exceptions=True
        )
        for each in swept:
            if isinstance(each, BaseException):
                raise each

    return Worker("sweep", EVERY_SECS, run, lease_secs=60)
