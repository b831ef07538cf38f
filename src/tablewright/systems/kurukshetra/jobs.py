"""Jobs: what takes longer than a request, and how far it is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import JsonValue

from tablewright.model import (
    Attribute,
    Condition,
    Delete,
    Field,
    IsoSeconds,
    Key,
    Put,
    Rate,
    Ttl,
    Ulid,
    Update,
    attr,
    delete,
    get,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.systems.kurukshetra.base import Changing, Kept, table
from tablewright.systems.kurukshetra.fields import EventId, Hash, Slug

JobState: TypeAlias = Literal["queued", "running", "done", "failed"]


class Job(
    Changing,
    table=table,
    type="job",
    keys={"primary": Key("EVENT#{event_id}#JOBS", "JOB#{job_id}")},
):
    """Something that an organiser asked for. Nothing in it names a person."""

    event_id: EventId
    job_id: Ulid
    #: ``certificates``, ``handover``, ...
    kind: Slug
    state: JobState = "queued"
    #: What exactly is to be done.
    detail: dict[str, JsonValue] = Field(default={})
    done: int = Field(default=0, ge=0)
    total: int | None = Field(default=None, ge=0)
    #: Where to go on, in the words of its kind.
    position: str | None = Field(default=None, max_length=500)
    #: A scan's ``result`` is a text, and tools want one kind of value under one name.
    result: Annotated[dict[str, JsonValue], Attribute("results")] = Field(default={})
    #: Of whoever works on it: who has lost the lease writes nothing more.
    fence: int = Field(default=0, ge=0)
    #: Begun so often since it last came further.
    attempts: int = Field(default=0, ge=0)
    error_code: str | None = Field(default=None, max_length=60)
    error: str | None = Field(default=None, max_length=500)
    #: Who asked for it, as a hash.
    by: Hash
    started_at: IsoSeconds | None = None
    ended_at: IsoSeconds | None = None
    #: Ninety days after it was asked for.
    ttl: Ttl


class JobTurn(
    Kept,
    table=table,
    type="job_turn",
    keys={"primary": Key("JOBS#{kind}", "{due_at}#{job_id}")},
):
    """A job that is not at its end, by the time at which it is looked at next."""

    kind: Slug
    due_at: IsoSeconds
    job_id: Ulid
    event_id: EventId


@get(Job, consistent=True, component="api", rate=Rate(0.1, peak=5))
def job(event_id: EventId, job_id: Ulid) -> None:
    """One job, and how far it is."""


@query(Job, descending=True, consistent=True, component="api", rate=Rate(0.02), expect=10)
def jobs(event_id: EventId) -> None:
    """The jobs of an event, the latest first."""


@query(JobTurn, consistent=True, component="jobs", rate=Rate(1), expect=0.1)
def jobs_to_do(kind: str) -> None:
    """Jobs of a kind that are not at their end, the one that is due first before others."""


@transaction(component="api", rate=Rate(0.01))
def start_job(job: Job, turn: JobTurn) -> tuple[Put[Job], Put[JobTurn]]:
    """Something is to be done, and will be found by who does it."""
    return put(job).new(), put(turn).new()


@write(component="jobs", rate=Rate(0.01))
def take_job(job: Job, fence: int, at: datetime) -> Update[Job]:
    """Work on a job begins, or begins again after somebody died; never behind a later holder."""
    taken = update(Job, job.event_id, job.job_id).do(
        attr(Job.state).set("running"),
        attr(Job.fence).set(fence),
        attr(Job.attempts).add(1),
        attr(Job.started_at).set_if_missing(at),
        attr(Job.updated_at).set(at),
    )
    return taken.when(_open() & (attr(Job.fence) <= fence))


@write(component="jobs", rate=Rate(0.1, peak=5))
def note_progress(job: Job, at: datetime) -> Update[Job]:
    """How far a job is, and where to go on; by its worker alone."""
    noted = update(Job, job.event_id, job.job_id).do(
        attr(Job.done).set(job.done),
        attr(Job.result).set(job.result),
        attr(Job.attempts).set(0),
        attr(Job.updated_at).set(at),
    )
    if job.total is not None:
        noted = noted.do(attr(Job.total).set(job.total))
    if job.position is not None:
        noted = noted.do(attr(Job.position).set(job.position))
    return noted.when(_open() & (attr(Job.fence) == job.fence))


@transaction(component="jobs", rate=Rate(0.01))
def end_job(job: Job, turn: JobTurn, at: datetime) -> tuple[Update[Job], Delete[JobTurn]]:
    """A job is done or has failed, as ``job`` says; nobody looks for it any more."""
    ended = update(Job, job.event_id, job.job_id).do(
        attr(Job.state).set(job.state),
        attr(Job.done).set(job.done),
        attr(Job.result).set(job.result),
        attr(Job.ended_at).set(at),
        attr(Job.updated_at).set(at),
    )
    if job.error_code is not None:
        ended = ended.do(attr(Job.error_code).set(job.error_code), attr(Job.error).set(job.error))
    return ended.when(_open() & (attr(Job.fence) == job.fence)), _gone(turn)


@transaction(component="jobs", rate=Rate(0.001))
def put_off_job(
    job: Job, turn: JobTurn, later: JobTurn, at: datetime
) -> tuple[Update[Job], Delete[JobTurn], Put[JobTurn]]:
    """A job that could not go on is tried again at another time, which is not the same."""
    waiting = update(Job, job.event_id, job.job_id).do(
        attr(Job.state).set("queued"), attr(Job.updated_at).set(at)
    )
    mine = _open() & (attr(Job.fence) == job.fence)
    return waiting.when(mine), _gone(turn), put(later).new()


@write(component="jobs", rate=Rate(0.001))
def drop_turn(turn: JobTurn) -> Delete[JobTurn]:
    """A turn of a job that is gone."""
    return _gone(turn)


def _open() -> Condition:
    return attr(Job.state).is_in(["queued", "running"])


def _gone(turn: JobTurn) -> Delete[JobTurn]:
    return delete(JobTurn, turn.kind, turn.due_at, turn.job_id)
