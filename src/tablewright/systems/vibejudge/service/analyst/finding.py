"""Tasks that are due, found without reading much when nothing is.

What is read, in units of the index, by each process:

- Nothing runs: the list of running jobs every two seconds, half a unit each time: 0.25 a second.
- Jobs run, and nothing is due here: eight partitions every ten seconds, half a unit each: 0.4 more.
- There is work: partitions in any order until there is enough; what was found and not yet taken is
  kept for a moment, so that a task is read once by a process and not at every turn.

A job that starts in this process is noticed at once, by :meth:`Finding.notice`.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Final

from tablewright.systems.vibejudge import job_reads
from tablewright.systems.vibejudge.analysis import Task
from tablewright.systems.vibejudge.rules.job_states import is_at_work
from tablewright.systems.vibejudge.table import DUE_SHARDS

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Seconds until the next look, if there is no job, and if there is one but nothing is due.
IDLE_SECS: Final = 2.0
WAITING_SECS: Final = 10.0
_REST_SECS: Final = 0.5
#: How long what was found may be gone by: others take tasks, too.
_FRESH_SECS: Final = 10.0
#: Tasks that are passed over in one partition, since their jobs do not run.
_MOST_PASSED: Final = 200


class Finding:
    """What one process knows of the tasks that are due."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._found: list[Task] = []
        self._found_at = 0.0
        self._next_look = 0.0
        #: The last look has found nothing at all.
        self.nothing_due = False

    def notice(self) -> None:
        """There may be something to do: look now."""
        self._next_look = 0.0

    def rest(self) -> None:
        """Others were quicker with all that was found here: what is known is too old."""
        self._found = []
        self._next_look = max(self._next_look, time.monotonic() + _REST_SECS)

    def pause(self) -> float:
        """Seconds until it is worth asking for more."""
        if self._fresh():
            return 0.0
        return max(0.0, self._next_look - time.monotonic())

    async def some(self, wanted: int) -> list[Task]:
        """Up to so many tasks that are probably due; who claims one finds out."""
        if not self._fresh() and time.monotonic() >= self._next_look:
            self._found = await self._look(wanted)
            self._found_at = time.monotonic()
            self.nothing_due = not self._found
        taken, self._found = self._found[:wanted], self._found[wanted:]
        return taken

    def _fresh(self) -> bool:
        return bool(self._found) and time.monotonic() - self._found_at < _FRESH_SECS

    async def _look(self, wanted: int) -> list[Task]:
        jobs = await self._running()
        if not jobs:
            self._next_look = time.monotonic() + IDLE_SECS
            return []
        found: list[Task] = []
        # Processes that look at the same time begin in different places.
        for shard in random.sample(range(DUE_SHARDS), DUE_SHARDS):
            if len(found) >= 2 * wanted:
                return found
            found += await self._in_shard(shard, jobs, 2 * wanted)
        # All of it is known now; what is due later is worth another look later.
        self._next_look = time.monotonic() + WAITING_SECS
        return found

    async def _running(self) -> set[str]:
        found = self._courtroom.db.iterate(job_reads.jobs_at_work("running"))
        return {each.job_id async for each in found if is_at_work(each)}

    async def _in_shard(self, shard: int, jobs: set[str], most: int) -> list[Task]:
        """Some tasks of jobs that run; those of other jobs are not in their way."""
        found: list[Task] = []
        passed = 0
        async for task in self._courtroom.db.iterate(
            job_reads.tasks_due(shard, self._courtroom.now())
        ):
            if task.job_id in jobs:
                found.append(task)
            passed += 1
            if len(found) >= most or passed >= _MOST_PASSED:
                break
        random.shuffle(found)
        return found
