"""Writes that erase: an organiser asks, a worker goes from partition to partition."""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.model import (
    Delete,
    Entity,
    Put,
    Ulid,
    attr,
    batch,
    definition,
    delete,
    put,
    transaction,
    write,
)
from tablewright.systems.vibejudge.analysis import (
    AgentScore,
    AnalysisJob,
    Fingerprint,
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
    OrgUsage,
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
from tablewright.systems.vibejudge.rates import RARE, monthly
from tablewright.systems.vibejudge.releases import Release, ReleasePage

#: All but costs: they name nobody, and bills rest on them.
Erased: TypeAlias = (
    Delete[Hackathon]
    | Delete[HackathonDetail]
    | Delete[Timer]
    | Delete[OrgUsage]
    | Delete[Submission]
    | Delete[RepoLock]
    | Delete[TeamLock]
    | Delete[ExternalLock]
    | Delete[AnalysisJob]
    | Delete[Task]
    | Delete[Run]
    | Delete[AgentScore]
    | Delete[SubmissionSummary]
    | Delete[Fingerprint]
    | Delete[Reservation]
    | Delete[Round]
    | Delete[Judge]
    | Delete[BlendRequest]
    | Delete[Assignment]
    | Delete[Comparison]
    | Delete[HumanScore]
    | Delete[Override]
    | Delete[Appeal]
    | Delete[Release]
    | Delete[ReleasePage]
)


@transaction(component="api", rate=RARE)
def erase_hackathon(
    erasure: Erasure, hack_id: Ulid
) -> tuple[Delete[HackathonDetail], Delete[Hackathon], Put[Erasure]]:
    """A hackathon goes at once, unless it is being analysed; what belongs to it goes next."""
    idle = attr(HackathonDetail.active_job_id).missing()
    return (
        delete(HackathonDetail, hack_id).existing().when(idle),
        delete(Hackathon, erasure.org_id, hack_id),
        put(erasure),
    )


@write(component="eraser", rate=RARE)
def put_off_erasure(erasure: Erasure) -> Put[Erasure]:
    """Erasing goes on when work that was under way has ended."""
    return put(erasure).when(attr(Erasure.org_id) == erasure.org_id)


@write(component="eraser", rate=RARE)
def end_erasure(erasure: Erasure) -> Delete[Erasure]:
    """All of it is gone."""
    return delete(erasure)


@batch(component="eraser", rate=monthly(40), expect=500)
def erase(items: list[Entity]) -> list[Erased]:
    """Delete what the partitions of a hackathon hold, whatever state it is in. [AP31]"""
    return [_gone(each) for each in items]


def _gone(item: Entity) -> Any:
    # By key: what is erased is erased in any version.
    known = definition(item)
    return delete(type(item), **{name: getattr(item, name) for name in known.primary.fields})
