"""What an operator's look at the books reads, and how it puts right what is wrong.

Everything that is read is read strongly, and every change rests on what was read: who writes
meanwhile makes it fail, and nothing is lost.
"""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Check,
    Delete,
    Put,
    Ulid,
    Update,
    attr,
    check,
    delete,
    get,
    put,
    query,
    scan,
    transaction,
    update,
    write,
)
from tablewright.systems.vibejudge.analysis import CostRecord, HackathonCost
from tablewright.systems.vibejudge.entities import (
    ExternalLock,
    Hackathon,
    HackathonDetail,
    Organizer,
    RepoLock,
    Submission,
    TeamLock,
)
from tablewright.systems.vibejudge.rates import HACKATHONS, SUBMISSIONS, monthly
from tablewright.systems.vibejudge.rules.scoring import recommend
from tablewright.systems.vibejudge.table import Count, Score

#: All hackathons of a year, once a month.
_LOOKED_AT = monthly(12 * HACKATHONS)
_MENDED = monthly(1)

Lock = RepoLock | TeamLock | ExternalLock

# --- reads ---------------------------------------------------------------------------------------


@scan(Organizer, admin=True, component="cli", rate=monthly(1), expect=20)
def all_organizers() -> None:
    """Every organiser there is, for an operator who does not know their ids. [AP32]"""


@get(Hackathon, consistent=True, component="cli", rate=_LOOKED_AT)
def hackathon_listed(org_id: Ulid, hack_id: Ulid) -> None:
    """A hackathon's row in its organiser's list, to compare with the hackathon itself."""


@query(RepoLock, consistent=True, component="cli", rate=_LOOKED_AT, expect=500)
def repo_locks(hack_id: Ulid) -> None:
    """Which repositories take part in a hackathon, and as which submissions."""


@query(TeamLock, consistent=True, component="cli", rate=_LOOKED_AT, expect=500)
def team_locks(hack_id: Ulid) -> None:
    """Which names of teams are taken in a hackathon."""


@query(ExternalLock, consistent=True, component="cli", rate=_LOOKED_AT, expect=50)
def external_locks(hack_id: Ulid) -> None:
    """Which submissions of a hackathon other systems have names for."""


@query(CostRecord, consistent=True, component="cli", rate=monthly(12 * SUBMISSIONS), expect=4)
def calls_paid(sub_id: Ulid) -> None:
    """Every call that was paid for a submission, to compare with what the hackathon has cost."""


# --- writes --------------------------------------------------------------------------------------


@transaction(component="cli", rate=_MENDED)
def mend_hackathon(
    hackathon: HackathonDetail, listed: Hackathon | None, submission_count: Count, now: datetime
) -> tuple[Update[HackathonDetail], Put[Hackathon]]:
    """So many submissions as there are, and a row in the list that says what the hackathon says.

    Refused if one of them is not the latest that was read: each submission changes both.
    """
    counted = update(hackathon).do(
        attr(HackathonDetail.submission_count).set(submission_count),
        attr(HackathonDetail.updated_at).set(now),
    )
    row = hackathon.listing().model_copy(
        update={
            "submission_count": submission_count,
            "updated_at": now,
            "version": 0 if listed is None else listed.version,
        }
    )
    return counted, put(row)


@transaction(component="cli", rate=_MENDED)
def mend_lock(
    submission: Submission, lock: Lock
) -> tuple[Check[Submission], Put[RepoLock] | Put[TeamLock] | Put[ExternalLock]]:
    """The lock that a submission lacks; nobody else may have it, nor the submission have changed.

    Its repository is what may change.
    """
    there = check(Submission, submission.hack_id, submission.sub_id)
    same = attr(Submission.repo_url) == submission.repo_url
    return there.when(same), _new(lock)


def _new(lock: Lock) -> Put[RepoLock] | Put[TeamLock] | Put[ExternalLock]:
    # One put for each kind: what a pattern writes is told by its types.
    if isinstance(lock, RepoLock):
        return put(lock).new()
    if isinstance(lock, TeamLock):
        return put(lock).new()
    return put(lock).new()


@transaction(component="cli", rate=_MENDED)
def drop_lock(
    lock: Lock, *, withdrawn: bool = False
) -> tuple[Check[Submission], Delete[RepoLock] | Delete[TeamLock] | Delete[ExternalLock]]:
    """Drop the lock of a submission that is not there or is withdrawn, unless it is another's."""
    holder = check(Submission, lock.hack_id, lock.sub_id)
    out = attr(Submission.status) == "withdrawn"
    gone = holder.when(out) if withdrawn else holder.absent()
    if isinstance(lock, RepoLock):
        mine = delete(RepoLock, lock.hack_id, lock.repo).when(attr(RepoLock.sub_id) == lock.sub_id)
        return gone, mine
    if isinstance(lock, TeamLock):
        team = delete(TeamLock, lock.hack_id, lock.team)
        return gone, team.when(attr(TeamLock.sub_id) == lock.sub_id)
    other = delete(ExternalLock, lock.hack_id, lock.external_id)
    return gone, other.when(attr(ExternalLock.sub_id) == lock.sub_id)


@write(component="cli", rate=_MENDED)
def mend_cost(cost: HackathonCost) -> Put[HackathonCost]:
    """What a hackathon has cost, added up anew; refused if a call was booked since it was read."""
    return put(cost).replace()


@write(component="cli", rate=_MENDED)
def mend_score(
    submission: Submission, final_score: Score | None, rank_score: Score | None, now: datetime
) -> Update[Submission]:
    """The final score and the rank that follow from the others; refused if they have changed."""
    return update(submission).do(
        attr(Submission.final_score).set(final_score),
        attr(Submission.rank_score).set(rank_score),
        attr(Submission.recommendation).set(recommend(submission.overall_score, final_score)),
        attr(Submission.updated_at).set(now),
    )
