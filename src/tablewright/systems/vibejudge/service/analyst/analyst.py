"""The tasks of one process: how many are in work, and which are next."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tablewright.service.gathering import at_most
from tablewright.service.workers.leases import new_owner
from tablewright.systems.vibejudge import job_reads
from tablewright.systems.vibejudge.analysis import Task
from tablewright.systems.vibejudge.rules.job_states import is_at_work
from tablewright.systems.vibejudge.service.analyst.attempt import Attempt, Stop
from tablewright.systems.vibejudge.service.analyst.claiming import Claiming
from tablewright.systems.vibejudge.service.analyst.finding import Finding

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: A turn waits no longer than that; less than a process has to stop.
_TURN_SECS: Final = 2.0
#: How often jobs in work are asked whether they are to end: one read unit each.
_LOOK_SECS: Final = 5.0
#: For all attempts to put their tasks back, when the process stops.
_GRACE_SECS: Final = 4.0


class Analyst:
    """Takes tasks as long as there is room, and lets each come to its end.

    There is room for a task if a repository can be read now (``processes``), and not too many wait
    for models (``concurrent``). What waits for a place here would be in another process's hands
    sooner, so nothing is claimed before there is one.
    """

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._claiming = Claiming(courtroom, new_owner())
        self._finding = Finding(courtroom)
        self._in_work: dict[tuple[str, str], tuple[Attempt, asyncio.Task[None]]] = {}
        self._seats = courtroom.options.processes
        self._changed = asyncio.Event()
        self._looked_at = 0.0
        self._closing = False
        self._count = courtroom.runtime.metrics.gauge(
            "vibejudge_tasks_in_work", "Submissions that this process analyses."
        )

    # --- told by others --------------------------------------------------------------------------

    def notice(self) -> None:
        """There may be tasks: look now."""
        self._finding.notice()
        self._changed.set()

    def stop_job(self, job_id: str) -> None:
        """A job is to end: its tasks in work here do."""
        self._stop("cancel", lambda attempt: attempt.claim.task.job_id == job_id)

    def _stop(self, how: Stop, which: Callable[[Attempt], bool]) -> None:
        for attempt, _ in self._in_work.values():
            if which(attempt):
                attempt.stop(how)

    # --- the work --------------------------------------------------------------------------------

    async def turn(self) -> None:
        """Wait for something to do, for a moment, and begin it. A worker calls it all the time."""
        await self._wait(min(_TURN_SECS, self._finding.pause() if self._room() else _TURN_SECS))
        self._changed.clear()
        await self._look_after()
        if self._room() and self._finding.pause() == 0.0:
            await self._take()

    async def work_once(self) -> int:
        """Everything that is due, to its end; how many tasks that were. For tests and commands."""
        await self._courtroom.jobs.settle()
        done = 0
        while True:
            self._finding.notice()
            self._changed.clear()
            done += await self._take()
            if self._in_work:
                # A seat is free, or a task has ended.
                await self._changed.wait()
            elif self._finding.nothing_due or self._closing:
                return done

    async def close(self) -> None:
        """Put back what is in work: another process goes on with it at once."""
        self._closing = True
        self._stop("leave", lambda _: True)
        tasks = [task for _, task in self._in_work.values()]
        if not tasks:
            return
        await asyncio.wait(tasks, timeout=_GRACE_SECS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def in_work(self) -> int:
        return len(self._in_work)

    # --- taking ----------------------------------------------------------------------------------

    def _room(self) -> int:
        if self._closing:
            return 0
        options = self._courtroom.options
        # Those without models only have to be written any more: where units are few, more of them
        # would only wait longer, until their leases run out.
        writing = sum(each.claim.run.provider == "static" for each, _ in self._in_work.values())
        most = min(options.concurrent - len(self._in_work), 2 * options.processes - writing)
        return max(0, min(self._seats, most))

    async def _take(self) -> int:
        """Claim tasks until there is no room, or nothing is due; how many."""
        taken = 0
        while (room := self._room()) > 0:
            some = await self._finding.some(room)
            if not some:
                break
            begun = sum(await at_most(room, [self._begin(each) for each in some]))
            taken += begun
            if not begun:
                self._finding.rest()
        return taken

    async def _begin(self, task: Task) -> bool:
        """Claim one and begin it; the seat is taken before, and given back if it is not ours."""
        if (task.job_id, task.sub_id) in self._in_work:
            return False
        give_back = self._seat()
        try:
            claim = await self._claiming.claim(task)
        except BaseException:
            give_back()
            raise
        if claim is None:
            give_back()
            return False
        attempt = Attempt(self._courtroom, claim, give_back)
        work = asyncio.create_task(attempt.run(), name=f"task {task.sub_id}")
        key = (task.job_id, task.sub_id)
        self._in_work[key] = attempt, work
        self._count.set(len(self._in_work))
        work.add_done_callback(lambda _: self._over(key))
        return True

    def _seat(self) -> Callable[[], None]:
        """One process fewer for others; gives what to call, once or more, when it is free."""
        self._seats -= 1
        taken = True

        def give_back() -> None:
            nonlocal taken
            if taken:
                taken = False
                self._seats += 1
                self._changed.set()

        return give_back

    def _over(self, key: tuple[str, str]) -> None:
        del self._in_work[key]
        self._count.set(len(self._in_work))
        self._changed.set()

    # --- waiting ---------------------------------------------------------------------------------

    async def _wait(self, secs: float) -> None:
        if secs > 0:
            try:
                async with asyncio.timeout(secs):
                    await self._changed.wait()
            except TimeoutError:
                pass

    async def _look_after(self) -> None:
        """Whether somebody has cancelled, in another process, what is in work here."""
        if not self._in_work or time.monotonic() - self._looked_at < _LOOK_SECS:
            return
        self._looked_at = time.monotonic()
        jobs = {(a.claim.task.hack_id, a.claim.task.job_id) for a, _ in self._in_work.values()}
        for hack_id, job_id in jobs:
            job = await self._courtroom.db.run(job_reads.job(hack_id, job_id))
            if job is None or not is_at_work(job):
                log.info("job %s is to end", job_id)
                self.stop_job(job_id)
