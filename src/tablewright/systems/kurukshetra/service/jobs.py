"""Jobs: what takes longer than a request. Asked for now, done soon, by one process of all.

A subject names a kind and who does it, when it is made, and starts one where the API answers 202::

    festival.jobs.handle("mail", self._send_all)         # in __init__

    job = await festival.jobs.start(by, "mail", {"subject": ...})

    async def _send_all(self, going: Going) -> Mapping[str, JsonValue] | None:
        for each in ...:                                 # from going.job.position on
            ...
            await going.reached(done, total=total, position=each.id)
        return {"sent": done}                            # the job's result

The job and its turn among those to do are written together, with the audit entry. A worker takes
the turns of each kind under a lease; all it writes about a job is refused once somebody with a
higher fence has taken it. A handler may die anywhere and is begun again, with the position that it
noted last: what it does has to bear being done twice from there on.

A :class:`.Problem` with a status below 500 ends the job as failed, with the problem's code. Any
other error is tried again, ever later; after eight times without getting further it has failed.
What a job keeps may be read by all who run the event: ids and counts, never a person's data.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from pydantic import JsonValue

from tablewright.client import Page
from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.problems import Problem, not_found
from tablewright.service.workers import Held, Leases
from tablewright.systems.kurukshetra import jobs as m
from tablewright.systems.kurukshetra.jobs import Job, JobTurn
from tablewright.systems.kurukshetra.rules.ids import is_ulid
from tablewright.systems.kurukshetra.rules.retention import JOB
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: The worker's name, and how long others wait for one that has gone silent.
WORKER: Final = "jobs"
LEASE_SECS: Final = 30.0
#: Without getting further in between.
MOST_ATTEMPTS: Final = 8
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=10)
#: Of one kind, in one round.
_AT_ONCE: Final = 20

Handler: TypeAlias = "Callable[[Going], Awaitable[Mapping[str, JsonValue] | None]]"


class TakenOver(Exception):
    """Somebody else works on the job by now: nothing more may be done for it."""


@dataclass
class Going:
    """A job that is being done."""

    #: As it was last written.
    job: Job
    _festival: Festival

    async def reached(
        self,
        done: int,
        *,
        total: int | None = None,
        position: str | None = None,
        result: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """Note how far it is. One write, on condition that nobody has taken the job over."""
        said = {"done": done, "total": total, "position": position, "result": result}
        changes = {name: value for name, value in said.items() if value is not None}
        noted = self.job.model_copy(update=changes)
        op = m.note_progress(noted, self._festival.now())
        try:
            await settled(self._festival.db, lambda: op)
        except ConditionFailed:
            raise TakenOver from None
        self.job = noted.model_copy(update={"attempts": 0})


class Jobs:
    """What takes longer than a request."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._handlers: dict[str, Handler] = {}

    def handle(self, kind: str, handler: Handler) -> None:
        """Say who does the jobs of a kind."""
        if kind in self._handlers:
            raise ValueError(f"jobs of the kind {kind} are done by somebody already")
        self._handlers[kind] = handler

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._handlers)

    # --- asking ----------------------------------------------------------------------------------

    async def start(
        self,
        by: Caller,
        kind: str,
        detail: Mapping[str, JsonValue],
        *,
        job_id: str | None = None,
        logged: Mapping[str, JsonValue] | None = None,
    ) -> Job:
        """Something that is to be done at the caller's event.

        One transaction: the job and its turn, which are new, and the audit entry. With a ``job_id``
        that there is already, it is refused: so something is done once, whoever asks for it. The
        log keeps ``logged``, if not the whole ``detail`` is for it.
        """
        if kind not in self._handlers:
            raise ValueError(f"nobody does jobs of the kind {kind}")
        now = self._festival.now()
        job = Job(
            event_id=by.event_id,
            job_id=job_id or self._festival.runtime.ids(),
            kind=kind,
            detail=dict(detail),
            by=by.uid_hash,
            created_at=now,
            updated_at=now,
            ttl=now + JOB,
        )
        subject = f"job/{job.event_id}/{job.job_id}"
        told = detail if logged is None else logged
        noted = recorded(by.principal, f"job.{kind}", subject, at=now, detail=told)
        op = together(m.start_job(job, _turn(job, now)), noted)
        await settled(self._festival.db, lambda: op, code="BUSY")
        return job

    async def read(self, by: Caller, job_id: str) -> Job:
        """One job of the caller's event."""
        by.require("organizer", "finance")
        found = None
        if is_ulid(job_id):
            found = await self._festival.db.run(m.job(by.event_id, job_id))
        if found is None:
            raise not_found("job")
        return found

    async def all(self, by: Caller, limit: int, cursor: str | None) -> Page[Job]:
        """Those of the caller's event, the latest first."""
        by.require("organizer", "finance")
        return await self._festival.db.run(m.jobs(by.event_id), limit=limit, cursor=cursor)

    # --- doing -----------------------------------------------------------------------------------

    async def work(self, held: Held) -> int:
        """Do what is due of the kind that the lease is for; how many jobs were looked at."""
        kind, now = held.partition, self._festival.now()
        found = await self._festival.db.run(m.jobs_to_do(kind), limit=_AT_ONCE)
        due = [turn for turn in found if turn.due_at <= now]
        for turn in due:
            await self._take(turn, held.fence)
        return len(due)

    async def work_all(self) -> int:
        """The same for every kind whose lease nobody holds: for a command, and for tests."""
        leases = Leases(self._festival.db, self._festival.runtime.clock)
        found = 0
        for kind in self.kinds:
            held = await leases.acquire(f"{WORKER}/{kind}", LEASE_SECS)
            if held is not None:
                async with leases.keeping(held):
                    found += await self.work(held)
        return found

    async def _take(self, turn: JobTurn, fence: int) -> None:
        db, now = self._festival.db, self._festival.now()
        job = await db.run(m.job(turn.event_id, turn.job_id))
        if job is None:
            # Nothing is forgotten before its end, unless the event itself is.
            await db.run(m.drop_turn(turn))
            return
        try:
            await db.run(m.take_job(job, fence, now))
        except ConditionFailed:
            return
        taken = {"state": "running", "fence": fence, "attempts": job.attempts + 1}
        await self._try(Going(job.model_copy(update=taken), self._festival), turn)

    async def _try(self, going: Going, turn: JobTurn) -> None:
        try:
            result = await self._handlers[turn.kind](going)
        except TakenOver:
            log.warning("job %s was taken over", turn.job_id)
        except Problem as problem:
            if problem.status < 500:
                await self._failed(going, turn, problem.code, problem.detail)
            else:
                await self._again(going, turn, problem.code, problem.detail)
        except Exception as error:
            log.exception("job %s of the kind %s has to wait", turn.job_id, turn.kind)
            await self._again(going, turn, "INTERNAL", type(error).__name__)
        else:
            final = {**going.job.result, **(result or {})}
            await self._end(going, turn, {"state": "done", "result": final})

    async def _again(self, going: Going, turn: JobTurn, code: str, why: str) -> None:
        """Later; one transaction that moves the turn, refused if the job was taken over."""
        job, now = going.job, self._festival.now()
        if job.attempts >= MOST_ATTEMPTS:
            await self._failed(going, turn, code, why)
            return
        later = _turn(job, max(now, turn.due_at) + pause(job.attempts))
        await self._write(m.put_off_job(job, turn, later, now))

    async def _failed(self, going: Going, turn: JobTurn, code: str, why: str) -> None:
        failed = {"state": "failed", "error_code": code[:60], "error": why[:500]}
        await self._end(going, turn, failed)

    async def _end(self, going: Going, turn: JobTurn, changes: Mapping[str, object]) -> None:
        """The job's end and its turn, in one transaction, refused if it was taken over."""
        ended = going.job.model_copy(update=changes)
        await self._write(m.end_job(ended, turn, self._festival.now()))

    async def _write(self, op: Op[object]) -> None:
        try:
            await settled(self._festival.db, lambda: op)
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            log.warning("somebody else has ended the job")


def pause(attempts: int) -> timedelta:
    """Before another attempt: ever longer."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * (1 << max(0, attempts - 1)))


def _turn(job: Job, due: datetime) -> JobTurn:
    return JobTurn(
        kind=job.kind,
        due_at=due,
        job_id=job.job_id,
        event_id=job.event_id,
        created_at=job.created_at,
    )
