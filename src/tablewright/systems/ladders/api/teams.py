"""``teams``: teams, their members and managers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.ladders.api.callers import TeamId, UserId, caller_of
from tablewright.systems.ladders.api.keyed import keyed
from tablewright.systems.ladders.bodies.teams import (
    ManagerIn,
    MembersIn,
    TeamIn,
    TeamOut,
    TeamPageOut,
    TeamPatch,
    team_out,
    team_page_out,
)
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.teams import TeamView

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_LIST: Responses = refusals(403, {400: "`BAD_CURSOR`."})
_STALE = "`REVISION_CONFLICT`: somebody has changed it since you read it."
_CONFLICT = "`CONFLICT`: others are changing the same all the time."
_UNFIT = "`NOT_A_MANAGER`: not active, or without the role; `TOO_MANY_TEAMS`."
_MADE: Responses = {
    201: {"headers": ETAG},
    **refusals(403, {409: f"{_UNFIT} {_CONFLICT}"}),
}
_PAGE: Responses = {200: {"headers": ETAG}, **refusals(404)}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(403, 404, 428, {409: f"`TEAM_CLOSED`. {_CONFLICT}", 412: _STALE}),
}
_CLOSED = refusals(403, 404, {409: f"`OPEN_PLANS`. {_CONFLICT}", 412: _STALE})
_LED: Responses = {
    200: {"headers": ETAG},
    **refusals(403, 404, {409: f"{_UNFIT} `MANAGER_IS_MEMBER`. {_CONFLICT}", 412: _STALE}),
}
_JOINED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        403,
        404,
        {409: f"`MANAGER_IS_MEMBER`; `TEAM_FULL`; `TOO_MANY_TEAMS`; `TEAM_CLOSED`. {_CONFLICT}"},
    ),
}
_LEFT: Responses = {200: {"headers": ETAG}, **refusals(403, 404, {409: _CONFLICT})}


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Teams"], route_class=keyed(company))
    _teams(routes, company)
    _people(routes, company)
    return routes


def _teams(routes: APIRouter, company: Company) -> None:
    signed_in, teams = Depends(caller_of(company)), company.teams

    @routes.get("/teams", responses=_LIST)
    async def list_teams(paging: Paging, by: Caller = signed_in) -> PageBody[TeamOut]:
        """All teams, closed ones too, in no order."""
        page = await teams.list(by, limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [team_out(each) for each in page])

    @routes.post("/teams", status_code=201, responses=_MADE)
    async def create_team(body: TeamIn, response: Response, by: Caller = signed_in) -> TeamPageOut:
        """A new team without members: a manager's own, or that of whom an administrator names."""
        made = await teams.create(by, body.team_name, body.description, body.manager_id)
        return tagged(response, made)

    # What is called by a name comes before what is called by an id.
    @routes.get("/teams/mine")
    async def list_my_teams(by: Caller = signed_in) -> PageBody[TeamOut]:
        """The teams that the caller is in, or manages, by name."""
        return PageBody(items=[team_out(each) for each in await teams.mine(by)])

    @routes.get("/teams/{team_id}", responses=_PAGE)
    async def get_team(team_id: TeamId, response: Response, by: Caller = signed_in) -> TeamPageOut:
        """A team with its people; its ETag is what a change is made with."""
        return tagged(response, await teams.read(by, team_id))

    @routes.patch("/teams/{team_id}", responses=_CHANGED)
    async def change_team(
        team_id: TeamId, body: TeamPatch, said: Said, response: Response, by: Caller = signed_in
    ) -> TeamPageOut:
        """Another name or description."""
        return tagged(response, await teams.edit(by, team_id, body.change(), said))

    @routes.delete("/teams/{team_id}", status_code=204, responses=_CLOSED)
    async def close_team(team_id: TeamId, said: Said, by: Caller = signed_in) -> None:
        """Close a team without open plans; what there was stays to be read."""
        await teams.close(by, team_id, said)


def _people(routes: APIRouter, company: Company) -> None:
    signed_in, teams = Depends(caller_of(company)), company.teams

    @routes.put("/teams/{team_id}/manager", responses=_LED)
    async def assign_manager(
        team_id: TeamId, body: ManagerIn, said: Said, response: Response, by: Caller = signed_in
    ) -> TeamPageOut:
        """Somebody else manages the team from now on, or nobody."""
        return tagged(response, await teams.assign_manager(by, team_id, body.manager_id, said))

    @routes.post("/teams/{team_id}/members", responses=_JOINED)
    async def add_members(
        team_id: TeamId, body: MembersIn, response: Response, by: Caller = signed_in
    ) -> TeamPageOut:
        """One to fifty users join, by id or by address; who is there already stays."""
        return tagged(response, await teams.add_members(by, team_id, body.user_ids, body.emails))

    @routes.delete("/teams/{team_id}/members/{user_id}", responses=_LEFT)
    async def remove_member(
        team_id: TeamId, user_id: UserId, response: Response, by: Caller = signed_in
    ) -> TeamPageOut:
        """Somebody leaves; their place in an open plan they keep until it is withdrawn."""
        return tagged(response, await teams.remove_members(by, team_id, [user_id]))


def tagged(response: Response, view: TeamView) -> TeamPageOut:
    response.headers["ETag"] = etag(view.team.revision)
    return team_page_out(view)
