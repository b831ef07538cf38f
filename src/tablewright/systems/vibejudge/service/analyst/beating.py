"""Signs of life: as long as they arrive, a task is ours."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.systems.vibejudge import task_writes
from tablewright.systems.vibejudge.analysis import Task

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: Signs in the time of a lease.
_BEATS = 4


async def beat_until_lost(courtroom: Courtroom, task: Task) -> None:
    """Keep a lease; it returns when the task is not ours any more, or may not be.

    Each beat is one write, on condition that owner and attempt are still ours. What counts is the
    time that has passed here, not the time of day: a clock that is set back prolongs nothing.
    """
    secs = courtroom.options.lease_secs
    ends = time.monotonic() + secs
    while True:
        await asyncio.sleep(secs / _BEATS)
        began = time.monotonic()
        if began >= ends:
            # Stopped for so long that somebody else may have it; what we write is refused then.
            log.warning("task %s was without a sign of life for too long", task.sub_id)
        try:
            async with asyncio.timeout(max(1.0, ends - began)):
                now = courtroom.now()
                beat = task_writes.beat(task, now, lease=timedelta(seconds=secs))
                await courtroom.patient.run(beat)
        except ConditionFailed:
            log.info("task %s is somebody else's by now", task.sub_id)
            return
        except (TablewrightError, TimeoutError) as error:
            log.warning("no sign of life for task %s: %s", task.sub_id, error)
            if time.monotonic() >= ends:
                return
        else:
            ends = began + secs
