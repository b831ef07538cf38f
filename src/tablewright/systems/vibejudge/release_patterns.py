"""Releases, written and read."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Check,
    Put,
    Ulid,
    Update,
    attr,
    check,
    get,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.systems.vibejudge.entities import Hackathon, HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import BlendRequest
from tablewright.systems.vibejudge.rates import HACKATHONS, RARE, VIEWED, monthly
from tablewright.systems.vibejudge.releases import Release, ReleasePage
from tablewright.systems.vibejudge.writes import SCORES_OPEN

# --- reads ---------------------------------------------------------------------------------------


@get(Release, consistent=True, component="api", rate=VIEWED)
def release(hack_id: Ulid, release_id: Ulid) -> None:
    """How many teams a release has, and where their scores lie."""


@get(ReleasePage, component="api", rate=VIEWED)
def release_page(hack_id: Ulid, release_id: Ulid, page: int) -> None:
    """Some rows of a released ranking; they never change."""


@query(Submission, consistent=True, component="api", rate=monthly(HACKATHONS), expect=50)
def submissions_to_release(hack_id: Ulid) -> None:
    """All submissions of a hackathon whose scores are final."""


# --- writes --------------------------------------------------------------------------------------


@transaction(component="api", rate=monthly(HACKATHONS))
def begin_release(
    hackathon: HackathonDetail, release_id: Ulid, public_ranks: int | None, now: datetime
) -> tuple[Update[HackathonDetail], Update[Hackathon], Check[BlendRequest]]:
    """Make scores and ranks final, so that the snapshot of a release can be taken.

    Refused if the hackathon is not the latest that was read (opening a round changes it), if its
    scores are final already, if it is analysed, or if final scores are still to be computed. One
    that has ended without an analysis is completed with that.
    """
    final = update(hackathon).do(
        attr(HackathonDetail.release_id).set(release_id),
        attr(HackathonDetail.public_ranks).set(public_ranks),
        attr(HackathonDetail.status).set("completed"),
        attr(HackathonDetail.updated_at).set(now),
    )
    states = attr(HackathonDetail.status).is_in(["configured", "completed"])
    idle = attr(HackathonDetail.active_job_id).missing()
    listed = update(Hackathon, hackathon.org_id, hackathon.hack_id).do(
        attr(Hackathon.status).set("completed"), attr(Hackathon.updated_at).set(now)
    )
    return (
        final.when(states & idle & SCORES_OPEN),
        listed,
        check(BlendRequest, hackathon.hack_id).absent(),
    )


@transaction(component="api", rate=monthly(HACKATHONS), expect=3)
def release_results(
    header: Release, pages: list[ReleasePage], now: datetime
) -> list[Put[Release] | Put[ReleasePage] | Update[HackathonDetail]]:
    """Teams and the public may see the results: the snapshot and the date, all or nothing.

    Refused if the release was taken back by a reopening, or somebody else has finished it.
    """
    released = update(HackathonDetail, header.hack_id).do(
        attr(HackathonDetail.released_at).set(now), attr(HackathonDetail.updated_at).set(now)
    )
    mine = attr(HackathonDetail.release_id) == header.release_id
    return [
        put(header).new(),
        *(put(each).new() for each in pages),
        released.when(mine & attr(HackathonDetail.released_at).missing()),
    ]


@write(component="api", rate=RARE)
def keep_scores_open(hack_id: Ulid, now: datetime) -> Update[HackathonDetail]:
    """Judges are about to score: a release that is being made reads the rounds again.

    Joins the opening of a round, and refuses it once scores are final.
    """
    touched = update(HackathonDetail, hack_id).do(attr(HackathonDetail.updated_at).set(now))
    return touched.when(SCORES_OPEN)
