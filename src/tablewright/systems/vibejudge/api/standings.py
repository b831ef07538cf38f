"""Leaderboards, figures, resemblances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request

from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate
from tablewright.service.paging import Paging
from tablewright.service.problem_answers import refusals
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.bodies.standings import (
    LeaderboardOut,
    SimilarityOut,
    StatsOut,
    leaderboard_out,
    similarity_out,
    stats_out,
)
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Of one address that says nothing of itself, and of one organiser.
_LOOKS, _COMPARISONS = Rate(600), Rate(30)
_ROLES: Final = ("organizer", "admin")


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["standings"])
    organizer = Depends(organizer_of(courtroom))
    standings, limits = courtroom.standings, courtroom.runtime.limits

    async def anybody(request: Request) -> Caller | None:
        """An organiser, an administrator, or nobody in particular."""
        principal = await courtroom.runtime.auth.principal(request)
        if principal is not None and principal.has(*_ROLES):
            return await courtroom.organizers.caller(principal)
        await limits.check("boards", address_of(request), _LOOKS)
        return None

    somebody = Depends(anybody)

    @routes.get("/hackathons/{hack_id}/leaderboard", responses=refusals(401, 404, 429))
    async def get_leaderboard(
        hack_id: HackId, paging: Paging, by: Caller | None = somebody
    ) -> LeaderboardOut:
        """The ranking, the best first: for its organiser, and for all once it is released.

        Of a hackathon that is private, or not released, others learn nothing: it is not there.
        """
        return leaderboard_out(await standings.board(by, hack_id, paging.limit, paging.cursor))

    @routes.get("/hackathons/{hack_id}/stats", responses=refusals(404))
    async def get_stats(hack_id: HackId, by: Caller = organizer) -> StatsOut:
        """Counts, the distribution of scores, and averages by dimension and agent."""
        return stats_out(await standings.stats(by, hack_id))

    @routes.get("/hackathons/{hack_id}/similarity", responses=refusals(404))
    async def get_similarity(hack_id: HackId, by: Caller = organizer) -> SimilarityOut:
        """Submissions whose code resembles each other's, the most alike first."""
        await limits.check("comparisons", by.principal.id, _COMPARISONS)
        return similarity_out(await standings.similarity(by, hack_id))

    return routes
