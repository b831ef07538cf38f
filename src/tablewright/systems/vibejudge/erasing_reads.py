"""Reads of whole partitions: what is to be erased, and what an audit compares."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.model import (
    Rate,
    Ulid,
    collect,
    query,
    scan,
)
from tablewright.systems.vibejudge.analysis import (
    AgentScore,
    AnalysisJob,
    CostRecord,
    Fingerprint,
    HackathonCost,
    Reservation,
    Run,
    SubmissionSummary,
    Task,
)
from tablewright.systems.vibejudge.entities import (
    Erasure,
    ExternalLock,
    Hackathon,
    HackathonDetail,
    RepoLock,
    Submission,
    TeamLock,
    Timer,
)
from tablewright.systems.vibejudge.judging import (
    Appeal,
    Assignment,
    BlendRequest,
    Comparison,
    HumanScore,
    Judge,
    Override,
    Round,
)
from tablewright.systems.vibejudge.rates import (
    HACKATHONS,
    monthly,
)
from tablewright.systems.vibejudge.releases import Release, ReleasePage


@dataclass(frozen=True)
class HackathonPartition:
    """All that lies under a hackathon."""

    detail: HackathonDetail | None
    timer: Timer | None
    cost: HackathonCost | None
    submissions: tuple[Submission, ...]
    repo_locks: tuple[RepoLock, ...]
    team_locks: tuple[TeamLock, ...]
    external_locks: tuple[ExternalLock, ...]
    jobs: tuple[AnalysisJob, ...]
    reservations: tuple[Reservation, ...]
    fingerprints: tuple[Fingerprint, ...]
    rounds: tuple[Round, ...]
    judges: tuple[Judge, ...]
    blend: BlendRequest | None
    assignments: tuple[Assignment, ...]
    comparisons: tuple[Comparison, ...]
    releases: tuple[Release, ...]
    release_pages: tuple[ReleasePage, ...]


@dataclass(frozen=True)
class SubmissionPartition:
    """All that lies under a submission."""

    summary: SubmissionSummary | None
    runs: tuple[Run, ...]
    scores: tuple[AgentScore, ...]
    costs: tuple[CostRecord, ...]
    human_scores: tuple[HumanScore, ...]
    overrides: tuple[Override, ...]
    appeals: tuple[Appeal, ...]


@dataclass(frozen=True)
class JobPartition:
    """All that lies under a job."""

    tasks: tuple[Task, ...]


@query(Erasure, consistent=True, component="eraser", rate=Rate(1 / 30), expect=0.1)
def erasures() -> None:
    """Who and what is still to be erased."""


@query(Hackathon, consistent=True, component="eraser", rate=monthly(1), expect=10)
def hackathons_to_erase(org_id: Ulid) -> None:
    """All hackathons of an organiser who is gone, down to the last one that was made. [AP31]"""


# So many at a time: the eraser deletes them and looks again, until only the costs are left.
# Strongly: what it does not see now, nobody finds any more.
@collect(
    HackathonPartition, limit=500, consistent=True, component="eraser", rate=monthly(1), expect=400
)
def hackathon_partition(hack_id: Ulid) -> None:
    """The first 500 items under a hackathon that is to be erased. [AP31]"""


@collect(SubmissionPartition, consistent=True, component="eraser", rate=monthly(50), expect=20)
def submission_partition(sub_id: Ulid) -> None:
    """All items under a submission that is to be erased. [AP31]"""


@collect(JobPartition, limit=500, consistent=True, component="eraser", rate=monthly(3), expect=50)
def job_partition(job_id: Ulid) -> None:
    """The first 500 items under a job that is to be erased. [AP31]"""


@scan(HackathonDetail, admin=True, component="cli", rate=monthly(1), expect=12 * HACKATHONS)
def all_hackathons() -> None:
    """Every hackathon there is, to check its copies, counters and locks. [AP32]"""
