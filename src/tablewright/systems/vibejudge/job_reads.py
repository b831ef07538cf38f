"""Reads of analysis jobs, their tasks, and what is due."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Range,
    Rate,
    Ulid,
    get,
    query,
)
from tablewright.systems.vibejudge.analysis import (
    AnalysisJob,
    JobStatus,
    Reservation,
    Task,
)
from tablewright.systems.vibejudge.entities import (
    Submission,
    Timer,
)
from tablewright.systems.vibejudge.rates import (
    EACH,
    RARE,
    SWEPT,
    VIEWED,
)
from tablewright.systems.vibejudge.table import (
    DueShard,
)


@query(AnalysisJob, descending=True, component="api", rate=VIEWED, expect=3)
def jobs_of_hackathon(hack_id: Ulid) -> None:
    """The jobs of a hackathon, the latest first. [AP14]"""


# The index does not hold when a job expires, so whole jobs are read.
@query(
    AnalysisJob,
    key="by_status",
    hydrate=True,
    component="sweeper",
    # Those that wait and those that run, every 30 seconds.
    rate=Rate(2 / 30),
    expect=2,
)
def jobs_by_status(status: JobStatus) -> None:
    """All jobs in one state, the oldest first. [AP15]"""


@query(
    AnalysisJob,
    key="by_status",
    hydrate=True,
    component="analyser",
    # Half a read unit each time nothing runs: what it costs to notice a job within two seconds.
    rate=Rate(1 / 2),
    expect=0.1,
)
def jobs_at_work(status: JobStatus) -> None:
    """The jobs that run, for a worker to know whether to look for tasks."""


@query(Submission, consistent=True, component="api", rate=RARE, expect=50)
def submissions_to_analyse(hack_id: Ulid) -> None:
    """All submissions of a hackathon, as they are when a job begins."""


@get(AnalysisJob, consistent=True, component="analyser", rate=EACH)
def job(hack_id: Ulid, job_id: Ulid) -> None:
    """One job and its counters, as they are now. [AP18]"""


@query(Task, consistent=True, component="api", rate=VIEWED, expect=50)
def tasks_of_job(job_id: Ulid) -> None:
    """The tasks of a job, as they are now. [AP19]"""


@query(
    Task,
    key="due",
    range=Range("due_at", le="now"),
    hydrate=True,
    component="analyser",
    rate=SWEPT,
    expect=6,
    limit=25,
)
def tasks_due(shard: DueShard, now: datetime) -> None:
    """Tasks that wait, or whose lease has run out, the oldest first. [AP20]"""


@query(
    Timer,
    key="due",
    range=Range("due_at", le="now"),
    hydrate=True,
    component="freezer",
    rate=SWEPT,
    expect=0.1,
)
def timers_due(shard: DueShard, now: datetime) -> None:
    """Hackathons that have ended and are not frozen. [AP20]"""


@query(
    Reservation,
    key="due",
    range=Range("due_at", le="now"),
    hydrate=True,
    component="sweeper",
    rate=SWEPT,
    expect=0.1,
)
def reservations_due(shard: DueShard, now: datetime) -> None:
    """Reservations that nobody has settled in time. [AP20]"""


@query(Reservation, consistent=True, component="api", rate=RARE, expect=8)
def reservations(hack_id: Ulid) -> None:
    """What is set aside of a hackathon's budget at this moment. [AP24]"""
