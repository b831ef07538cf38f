"""Jobs, followed as they go.

What this process does is told at once. What others do is found by looking: at the job every two
seconds, and at its tasks when it has changed, the less often the more there are.

Events: ``snapshot`` (job, tasks, spend), then ``job``, ``task`` and ``spend`` with the new state of
each, and ``end`` when the job has ended.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from tablewright.service.events.lookouts import Lookout, Lookouts, too_many_streams
from tablewright.service.events.wire import lines
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysis import AnalysisJob, HackathonCost, Task
from tablewright.systems.vibejudge.bodies.jobs import job_out, spend_out, task_out
from tablewright.systems.vibejudge.rules.job_states import is_over

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.events.hub import Render
    from tablewright.systems.vibejudge.service.callers import Caller
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

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
        self._lookouts: Lookouts[_JobLookout] = Lookouts(MOST_STREAMS)
        self._open: Counter[str] = Counter()

    # --- told by those who change something ------------------------------------------------------

    def look(self, job_id: str) -> None:
        """A job has changed here, or a task of it."""
        self._lookouts.wake(job_id)

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
        if self._open[who] >= MOST_OF_ONE:
            raise too_many_streams()
        lookout = self._lookouts.of(job_id, lambda: _JobLookout(self._courtroom, job))
        answer = self._courtroom.runtime.events.stream(
            request, [lookout.topic], snapshot=lookout.picture, render=render
        )
        text = self._until_end(lookout, who, answer.body_iterator)
        return StreamingResponse(text, headers=answer.headers, media_type=answer.media_type)

    async def _until_end(
        self, lookout: _JobLookout, who: str, chunks: AsyncIterable[object]
    ) -> AsyncIterator[bytes]:
        followed = self._lookouts.followed(lookout.job.job_id, lookout, chunks)
        self._open[who] += 1
        try:
            async for data in followed:
                yield data
                if _is(data, END):
                    return
                if _is(data, "snapshot") and is_over(lookout.job):
                    yield lines(END, "{}")
                    return
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
            if isinstance(followed, AsyncGenerator):
                await followed.aclose()


def _is(chunk: bytes, kind: str) -> bool:
    """Of a whole line: what an event says begins with ``data:``."""
    return f"event: {kind}".encode() in chunk.splitlines()


class _JobLookout(Lookout):
    def __init__(self, courtroom: Courtroom, job: AnalysisJob) -> None:
        near = courtroom.runtime.settings.local
        super().__init__(f"vibejudge-job/{job.job_id}", _NEAR if near else _FAR)
        self._courtroom = courtroom
        self.job = job
        self._tasks: dict[str, Task] = {}
        self._cost: HackathonCost | None = None
        self._looked_at = float("-inf")
        self._stale = True

    def wake(self) -> None:
        self._stale = True
        super().wake()

    def told(self, task: Task) -> None:
        if self.known.is_set():
            self._note(task)

    async def picture(self) -> Mapping[str, object]:
        """All of it, for somebody who knows nothing yet."""
        await self.known.wait()
        return {
            "job": _plain(job_out(self.job)),
            "tasks": [_plain(task_out(each)) for each in self._tasks.values()],
            "spend": None if self._cost is None else _plain(spend_out(self._cost)),
        }

    # --- looking ---------------------------------------------------------------------------------

    async def looked(self) -> bool:
        """Tell what is new; whether that was all."""
        found = await self._courtroom.db.run(job_reads.job(self.job.hack_id, self.job.job_id))
        if found is None:
            self._publish(END, {})
            return True
        changed = found.version != self.job.version
        self._stale = self._stale or changed
        self.job = found
        if self._is_time() or is_over(found):
            await self._look_at_tasks()
        if changed and self.known.is_set():
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
        async for task in db.iterate(job_reads.tasks_of_job(self.job.job_id)):
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
        if not same and self.known.is_set():
            self._publish("task", _plain(task_out(task)))

    def _tell_job(self) -> None:
        self._publish("job", _plain(job_out(self.job)))

    def _tell_spend(self, cost: HackathonCost) -> None:
        if self.known.is_set():
            self._publish("spend", _plain(spend_out(cost)))

    def _publish(self, kind: str, data: Mapping[str, object]) -> None:
        self._courtroom.runtime.events.publish(self.topic, kind, data)


def _plain(body: BaseModel) -> dict[str, object]:
    return body.model_dump(mode="json")
