"""``register/team`` and ``team/…``: founding, joining, leading and naming teams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import APIRouter, Depends, Path, Request, Response

from tablewright.service.auth.auth import address_of
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.kurukshetra.api.callers import (
    EventId,
    TeamId,
    caller_of,
    check_registrations,
)
from tablewright.systems.kurukshetra.bodies.teams import (
    InviteIn,
    JoinIn,
    LeaderIn,
    RepositoryIn,
    RepositoryOut,
    TeamChange,
    TeamOut,
    TeamPageOut,
    TeamRegistrationIn,
    repository_out,
    team_out,
    team_page_out,
)
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EmailHash: TypeAlias = Annotated[
    str, Path(description="What the team's page calls the invitation.", examples=["0" * 32])
]

_ENDED = "`TEAM_ENDED`: it was disbanded, or has its money back."
_REGISTERED: Responses = {
    201: {"headers": ETAG},
    **refusals(
        404,
        {
            403: "`EMAIL_UNVERIFIED`; `NOT_REGISTERED`.",
            409: "`DUPLICATE_EMAIL`; `NAME_TAKEN`; `ALREADY_IN_TEAM`; `REGISTRATION_CLOSED`.",
            503: "`BUSY`.",
        },
    ),
}
_PAGE: Responses = {200: {"headers": ETAG}, **refusals(404)}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404,
        412,
        428,
        {409: f"`NAME_TAKEN`. `WRONG_STATE`: it is no longer unpaid. {_ENDED}", 503: "`BUSY`."},
    ),
}
_JOINED = refusals(
    {
        403: "`NOT_REGISTERED`.",
        404: "`INVITE_INVALID`; `NOT_FOUND`.",
        409: "`TEAM_FULL`; `ALREADY_IN_TEAM`; `ROSTER_LOCKED`.",
        429: "`RATE_LIMITED`: too many wrong codes.",
        503: "`BUSY`.",
    }
)
_LEFT = refusals(
    404,
    {
        409: "`LEADER_MUST_HAND_OVER`; `TOO_FEW_MEMBERS`; `ROSTER_LOCKED`.",
        503: "`BUSY`.",
    },
)
_LED = refusals(404, {409: _ENDED, 503: "`BUSY`."})
_GONE = refusals(404, {409: f"`WRONG_STATE`: it is not unpaid. {_ENDED}", 503: "`BUSY`."})
_ASKED = refusals(
    404,
    {
        409: f"`TOO_MANY_INVITATIONS`; `ROSTER_LOCKED`. {_ENDED}",
        429: "`RATE_LIMITED`: too many invitations.",
        503: "`BUSY`.",
    },
)
_REPOSITORY = refusals(404, {409: f"`REPO_TAKEN`. {_ENDED}", 503: "`BUSY`."})


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/events/{e}", tags=["Teams"])
    signed_in = Depends(caller_of(festival))
    teams = festival.teams

    @routes.post("/register/team", status_code=201, responses=_REGISTERED)
    async def register_team(
        e: EventId,
        body: TeamRegistrationIn,
        request: Request,
        response: Response,
        by: Caller = signed_in,
    ) -> TeamOut:
        """Register, and found a team. A repetition goes on where the first one has stopped."""
        headers = await check_registrations(festival, by, request)
        response.headers.update(headers)
        return _tagged(response, await teams.register_team(by, body.person, body.team))

    # What is called by a name comes before what is called by an id.
    @routes.post("/team/join", responses=_JOINED)
    async def join_team(
        e: EventId, body: JoinIn, request: Request, by: Caller = signed_in
    ) -> TeamOut:
        """Join a team, by its code, or by its id if it has invited one's address."""
        if body.code is not None:
            return team_out(await teams.join(by, body.code, address_of(request)))
        return team_out(await teams.accept(by, body.team_id or ""))

    @routes.get("/team/{t}", responses=_PAGE)
    async def get_team(
        e: EventId, t: TeamId, response: Response, by: Caller = signed_in
    ) -> TeamPageOut:
        """A team with its members; its ETag is what a change is made with."""
        return await page_of(by, t, response)

    @routes.put("/team/{t}", responses=_CHANGED)
    async def change_team(
        e: EventId,
        t: TeamId,
        body: TeamChange,
        said: Said,
        response: Response,
        by: Caller = signed_in,
    ) -> TeamOut:
        """Another name or track, by the leader of an unpaid team."""
        return _tagged(response, await teams.edit(by, t, body, said))

    @routes.delete("/team/{t}", status_code=204, responses=_GONE)
    async def disband_team(e: EventId, t: TeamId, by: Caller = signed_in) -> None:
        """Give up an unpaid team: its members are free, and so are its name and its code."""
        await teams.disband(by, t)

    @routes.post("/team/{t}/leave", status_code=204, responses=_LEFT)
    async def leave_team(e: EventId, t: TeamId, by: Caller = signed_in) -> None:
        """Leave; the leader hands the team over first, unless it has ended."""
        await teams.leave(by, t)

    @routes.post("/team/{t}/leader", responses=_LED)
    async def hand_over_team(
        e: EventId, t: TeamId, body: LeaderIn, by: Caller = signed_in
    ) -> TeamOut:
        """Another member leads."""
        return team_out(await teams.hand_over(by, t, body.participant_id))

    @routes.post("/team/{t}/invite", responses={**_PAGE, **_ASKED})
    async def invite_to_team(
        e: EventId,
        t: TeamId,
        response: Response,
        body: InviteIn | None = None,
        by: Caller = signed_in,
    ) -> TeamPageOut:
        """Ask people to join by mail; without any, the team gets a new code."""
        wanted = body or InviteIn()
        # What is refused of it is refused before the old code ends; no mail has it.
        if wanted.emails:
            await teams.invite(by, t, wanted.emails)
        if wanted.rotate or not wanted.emails:
            await teams.rotate(by, t)
        return await page_of(by, t, response)

    @routes.delete("/team/{t}/invite/{email_hash}", status_code=204, responses=refusals(404))
    async def withdraw_invitation(
        e: EventId, t: TeamId, email_hash: EmailHash, by: Caller = signed_in
    ) -> None:
        """Somebody who was asked to join is not wanted any more."""
        await teams.withdraw(by, t, email_hash)

    @routes.put("/team/{t}/repository", responses=_REPOSITORY)
    async def set_repository(
        e: EventId, t: TeamId, body: RepositoryIn, by: Caller = signed_in
    ) -> RepositoryOut:
        """Where the team's work is: at GitHub, GitLab, Bitbucket or Codeberg."""
        return repository_out(await teams.repository(by, t, body.repo_url))

    async def page_of(by: Caller, t: str, response: Response) -> TeamPageOut:
        view = await teams.read(by, t)
        response.headers["ETag"] = etag(view.team.version)
        return team_page_out(view)

    return routes


def _tagged(response: Response, team: Team) -> TeamOut:
    response.headers["ETag"] = etag(team.version)
    return team_out(team)
