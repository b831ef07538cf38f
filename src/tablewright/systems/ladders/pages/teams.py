"""Teams: one's own, and all there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.bodies.teams import TeamIn
from tablewright.systems.ladders.entities import Team
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.form_fields import TEAM, read_form
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import Names, names_of
from tablewright.systems.ladders.pages.row_pages import PageNumber, page_of_rows
from tablewright.systems.ladders.pages.team_list import MOST, all_teams, by_name
from tablewright.systems.ladders.pages.users import managers_of
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.teams import TeamView

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class TeamLine:
    """A team in a list."""

    team: Team
    manager: str
    #: What the reader is to it.
    part: str = ""

    @property
    def path(self) -> str:
        return paths.team_path(self.team.team_id)


def lines_of(by: Caller, teams: Sequence[Team], names: Names) -> list[TeamLine]:
    return [
        TeamLine(
            each,
            names.of(each.manager_id) if each.manager_id else "",
            "manager" if each.manager_id == by.user_id else "member",
        )
        for each in teams
    ]


def _texts(line: TeamLine) -> tuple[str | None, ...]:
    """What teams are found by."""
    return line.team.team_name, line.manager


def read_team(values: Typed, manager_id: str | None = None) -> TeamIn:
    """The body that a form makes, or a problem at its fields."""
    said = {
        "team_name": values.get("team_name", ""),
        "description": values.get("description") or None,
        "manager_id": manager_id or None,
    }
    return read_form(TeamIn, said, TEAM)


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter()
    caller = Depends(caller_of(company))

    async def own(request: Request, by: Caller, **context: object) -> Response:
        teams = by_name(await company.teams.mine(by))
        names = await names_of(company, (each.manager_id for each in teams))
        return shown(
            pages,
            request,
            "ladders/teams.html",
            by,
            lines=lines_of(by, teams, names),
            may_create=rights.may("create_team", by.who()),
            here=paths.TEAMS,
            all_path=paths.ALL_TEAMS if by.admin else "",
            **context,
        )

    async def every(
        request: Request, by: Caller, q: str = "", number: int = 1, **context: object
    ) -> Response:
        teams = await all_teams(company, by)
        names = await names_of(company, (each.manager_id for each in teams))
        rows = page_of_rows(lines_of(by, teams, names), _texts, paths.ALL_TEAMS, q=q, page=number)
        return shown(
            pages,
            request,
            "ladders/all_teams.html",
            by,
            lines=rows.rows,
            found=rows.total,
            more=rows.more,
            q=q,
            open=sum(each.is_active for each in teams),
            full=len(teams) >= MOST,
            managers=await managers_of(company, by),
            here=paths.ALL_TEAMS,
            **context,
        )

    @routes.get("/teams")
    async def teams(request: Request, by: Caller = caller) -> Response:
        return await own(request, by)

    @routes.get("/admin/teams")
    async def every_team(
        request: Request, q: str = "", page: PageNumber = 1, by: Caller = caller
    ) -> Response:
        by.require("list_teams")
        return await every(request, by, q[:200], page)

    async def made(by: Caller, body: TeamIn) -> TeamView:
        return await company.teams.create(by, body.team_name, body.description, body.manager_id)

    def there(request: Request, view: TeamView) -> Response:
        place = paths.team_path(view.team.team_id)
        return pages.done(request, place, "The team is there. Add its members.")

    @routes.post("/teams")
    async def create_own(request: Request, by: Caller = caller) -> Response:
        """A manager's new team is theirs."""
        values = await typed(request)
        leads = "manager" in by.user.roles
        try:
            view = await made(by, read_team(values, by.user_id if leads else None))
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await own(request, by, problem=problem, values=values)
        return there(request, view)

    @routes.post("/admin/teams")
    async def create(request: Request, by: Caller = caller) -> Response:
        by.require("list_teams")
        values = await typed(request)
        try:
            view = await made(by, read_team(values, values.get("manager_id")))
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await every(request, by, problem=problem, values=values)
        return there(request, view)

    return routes
