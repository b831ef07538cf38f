"""Jobs, followed as they go: one look for all who follow the same one in this process.

What this process does is told at once. What others do is found by looking: at the job every two
seconds, and at its tasks when it has changed, the less often the more there are. Nobody looks at a
job that nobody follows.

Events: ``snapshot`` (job, tasks, spend), then ``job``, ``task`` and ``spend`` with the new state of
each, and ``end`` when the job has ended.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from tablewright.model.errors import TablewrightError
from tablewright.service.events.wire import lines
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import AnalysisJob, HackathonCost, Task
from tablewright.systems.vibejudge.bodies.jobs import job_out, spend_out, task_out
from tablewright.systems.vibejudge.rules.job_states import is_over

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.events.hub import Render
    from tablewright.systems.vibejudge.service.callers import Caller
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

END: Final = "end"
#: Seconds between looks at a job: where the engine is near, and where reading costs money.
_NEAR, _FAR = 0.25, 2.0
#: Tasks that a look may read in a second, and how long they are not looked at, at the most.
_TASKS_A_SECOND, _LONGEST_SECS = 25.0, 15.0
#: Streams of one organiser, and of all, that a process has open: anybody may register, and each
#: takes the place of a request.
MOST_OF_ONE, MOST_STREAMS = 20, 500


class Watching:
    """The jobs that somebody follows in this process."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._lookouts: dict[str, _Lookout] = {}
        self._open: Counter[str] = Counter()

    # --- told by those who change something ------------------------------------------------------

    def look(self, job_id: str) -> None:
        """A job has changed here, or a task of it."""
        if (lookout := self._lookouts.get(job_id)) is not None:
            lookout.wake()

    def task(self, task: Task) -> None:
        """A task has changed here, and this is it."""
        if (lookout := self._lookouts.get(task.job_id)) is not None:
            lookout.told(task)

    # --- following -------------------------------------------------------------------------------

    async def stream(
        self,
        request: Request,
        caller: Caller,
        hack_id: str,
        job_id: str,
        render: Render | None = None,
    ) -> Response:
        """The whole picture, then every change, until the job has ended.

        Who comes back to a job that has ended gets 204, which tells browsers not to come again.
        """
        from starlette.responses import Response, StreamingResponse

        _, job = await self._courtroom.jobs.owned(caller, hack_id, job_id)
        if is_over(job) and request.headers.get("last-event-id"):
            return Response(status_code=204)
        who = caller.org_id or caller.principal.id
        self._check_room(who)
        lookout = self._lookouts.get(job_id) or _Lookout(self._courtroom, job)
        answer = self._courtroom.runtime.events.stream(
            request, [lookout.topic], snapshot=lookout.picture, render=render
        )
        text = self._until_end(lookout, who, answer.body_iterator)
        return StreamingResponse(text, headers=answer.headers, media_type=answer.media_type)

    def _check_room(self, who: str) -> None:
        if self._open[who] >= MOST_OF_ONE or self._open.total() >= MOST_STREAMS:
            detail = "Too many streams are open. Close one, or try again later."
            raise Problem(429, "STREAM_LIMIT", detail, headers={"Retry-After": "30"})

    async def _until_end(
        self, lookout: _Lookout, who: str, chunks: AsyncIterable[object]
    ) -> AsyncIterator[bytes]:
        self._join(lookout, who)
        try:
            async for chunk in chunks:
                data = chunk if isinstance(chunk, bytes) else str(chunk).encode()
                yield data
                if _is(data, END):
                    return
                if _is(data, "snapshot") and is_over(lookout.job):
                    yield lines(END, "{}")
                    return
        finally:
            self._leave(lookout, who)
            if isinstance(chunks, AsyncGenerator):
                await chunks.aclose()

    def _join(self, lookout: _Lookout, who: str) -> None:
        self._open[who] += 1
        self._lookouts.setdefault(lookout.job.job_id, lookout)
        lookout.readers += 1
        lookout.start()

    def _leave(self, lookout: _Lookout, who: str) -> None:
        self._open[who] -= 1
        if not self._open[who]:
            del self._open[who]
        lookout.readers -= 1
        if lookout.readers == 0:
            lookout.stop()
            if self._lookouts.get(lookout.job.job_id) is lookout:
                del self._lookouts[lookout.job.job_id]


def _is(chunk: bytes, kind: str) -> bool:
    """Of a whole line: what an event says begins with ``data:``."""
    return f"event: {kind}".encode() in chunk.splitlines()


class _Lookout:
    """What is known of one job, and who tells of its changes."""

    def __init__(self, courtroom: Courtroom, job: AnalysisJob) -> None:
        self._courtroom = courtroom
        self.job = job
        self.topic = f"vibejudge-job/{job.job_id}"
        self.readers = 0
        self._tasks: dict[str, Task] = {}
        self._cost: HackathonCost | None = None
        self._changed = asyncio.Event()
        self._known = asyncio.Event()
        self._looked_at = float("-inf")
        self._stale = True
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), name=f"job {self.job.job_id}")

    def stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def wake(self) -> None:
        self._stale = True
        self._changed.set()

    def told(self, task: Task) -> None:
        if self._known.is_set():
            self._note(task)

    async def picture(self) -> Mapping[str, object]:
        """All of it, for somebody who knows nothing yet."""
        await self._known.wait()
        return {
            "job": _plain(job_out(self.job)),
            "tasks": [_plain(task_out(each)) for each in self._tasks.values()],
            "spend": None if self._cost is None else _plain(spend_out(self._cost)),
        }

    # --- looking ---------------------------------------------------------------------------------

    async def _look(self) -> None:
        pause = _NEAR if self._courtroom.runtime.settings.local else _FAR
        while True:
            try:
                if await self._looked():
                    return
            except TablewrightError as error:
                log.warning("job %s cannot be looked at: %s", self.job.job_id, error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), pause)
            self._changed.clear()
            # Many changes at once are one look.
            await asyncio.sleep(_NEAR / 5)

    async def _looked(self) -> bool:
        """Tell what is new; whether that was all."""
        found = await self._courtroom.db.run(reads.job(self.job.hack_id, self.job.job_id))
        if found is None:
            self._known.set()
            self._publish(END, {})
            return True
        changed = found.version != self.job.version
        self._stale = self._stale or changed
        self.job = found
        if self._is_time() or is_over(found):
            await self._look_at_tasks()
        first = not self._known.is_set()
        self._known.set()
        if changed and not first:
            self._tell_job()
        if is_over(found):
            self._publish(END, {})
            return True
        return False

    def _is_time(self) -> bool:
        passed = time.monotonic() - self._looked_at
        least = 0.0 if self._near else min(_LONGEST_SECS, len(self._tasks) / _TASKS_A_SECOND)
        return passed >= (least if self._stale else _LONGEST_SECS)

    @property
    def _near(self) -> bool:
        return self._courtroom.runtime.settings.local

    async def _look_at_tasks(self) -> None:
        db = self._courtroom.db
        self._looked_at, self._stale = time.monotonic(), False
        async for task in db.iterate(reads.tasks_of_job(self.job.job_id)):
            self._note(task)
        cost = await db.run(reads.hackathon_cost(self.job.hack_id))
        if cost is not None and (self._cost is None or cost.version != self._cost.version):
            self._cost = cost
            self._tell_spend(cost)

    # --- telling ---------------------------------------------------------------------------------

    def _note(self, task: Task) -> None:
        known = self._tasks.get(task.sub_id)
        self._tasks[task.sub_id] = task
        same = known is not None and (known.state, known.attempt) == (task.state, task.attempt)
        if not same and self._known.is_set():
            self._publish("task", _plain(task_out(task)))

    def _tell_job(self) -> None:
        self._publish("job", _plain(job_out(self.job)))

    def _tell_spend(self, cost: HackathonCost) -> None:
        if self._known.is_set():
            self._publish("spend", _plain(spend_out(cost)))

    def _publish(self, kind: str, data: Mapping[str, object]) -> None:
        self._courtroom.runtime.events.publish(self.topic, kind, data)


def _plain(body: BaseModel) -> dict[str, object]:
    return body.model_dump(mode="json")
