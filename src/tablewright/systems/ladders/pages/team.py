"""A team: its members, its plans, and who manages it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.ladders.api.callers import TeamId, caller_of
from tablewright.systems.ladders.bodies.teams import TeamPatch
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.form_fields import TEAM, describe_problem, read_form
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import initials
from tablewright.systems.ladders.pages.plan_list import plan_lines
from tablewright.systems.ladders.pages.users import managers_of
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.teams import TeamView
from tablewright.systems.ladders.service.teams.roster import MOST_AT_ONCE

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class TeamWays:
    """What somebody may do with a team; whether they can is decided when they do it."""

    view: TeamView

    def may(self, action: str) -> bool:
        return rights.may(action, self.view.who)

    @property
    def runs(self) -> bool:
        return self.may("edit_team")

    @property
    def open(self) -> bool:
        return self.view.team.is_active


_HOW_MANY: Final = f"Enter 1 to {MOST_AT_ONCE} addresses, one in each line."


def addresses_in(values: Typed) -> list[str]:
    """One in a line, or several with commas between."""
    found = re.split(r"[\s,;]+", values.get("emails", ""))
    return list(dict.fromkeys(each.lower() for each in found if each))


def at_addresses(problem: Problem, addresses: Sequence[str]) -> Problem:
    """What is wrong with one address stands where all of them were typed."""
    errors = []
    for each in problem.errors:
        place = re.fullmatch(r"body\.emails\.([0-9]+)", each.field)
        which = addresses[int(place[1])] if place else ""
        text = f"There is no active person with the address {which}." if place else _HOW_MANY
        errors.append(FieldError("body.emails", text))
    detail = "Nobody was added." if errors else problem.detail
    return Problem(problem.status, problem.code, detail, errors=errors)


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/teams")
    caller = Depends(caller_of(company))

    async def one(request: Request, by: Caller, team_id: str, **context: object) -> Response:
        view = await company.teams.read(by, team_id)
        ways = TeamWays(view)
        given: dict[str, object] = {
            "view": view,
            "team": view.team,
            "ways": ways,
            "initials": initials,
            "plans": await plan_lines(company, by, team_id, runs=ways.runs),
            "here": paths.team_path(team_id),
            "new_plan": paths.team_path(team_id, "/plans/new"),
            "heatmap": paths.heatmap_path(team_id) if ways.may("read_heatmap") else "",
            "history": paths.history_path if ways.runs else None,
            "managers": await managers_of(company, by) if by.admin else [],
            "user_path": paths.user_path if by.admin else None,
            "crumbs": [("Teams", paths.ALL_TEAMS if by.admin else paths.TEAMS)],
        }
        return shown(pages, request, "ladders/team.html", by, **{**given, **context})

    @routes.get("/{team_id}")
    async def team(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        return await one(request, by, team_id)

    @routes.post("/{team_id}")
    async def edit(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        values = await typed(request)
        said = Precondition(if_match=f'"{values.get("revision", "")}"')
        try:
            text = values.get("description") or None
            given = {"team_name": values.get("team_name", ""), "description": text}
            body = read_form(TeamPatch, given, TEAM)
            await company.teams.edit(by, team_id, body.change(), said)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await one(
                request, by, team_id, problem=problem, values=values, opened="settings"
            )
        return pages.done(request, paths.team_path(team_id), "The team is saved.")

    @routes.post("/{team_id}/members")
    async def add(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        values = await typed(request)
        addresses = addresses_in(values)
        before = await company.teams.read(by, team_id)
        try:
            after = await company.teams.add_members(by, team_id, addresses=addresses)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            wrong = at_addresses(problem, addresses)
            return await one(request, by, team_id, problem=wrong, values=values)
        new = len(after.members) - len(before.members)
        said = "They were all members already."
        if new > 0:
            said = f"{new} new {'member' if new == 1 else 'members'}."
            if after.team.open_plan_ids:
                said += " Enrol them in open plans, if they are to take part."
        return pages.done(request, paths.team_path(team_id), said)

    @routes.post("/{team_id}/members/remove")
    async def remove(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        values = await typed(request)
        try:
            view = await company.teams.remove_members(by, team_id, [values.get("user_id", "")])
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.team_path(team_id), describe_problem(problem, TEAM), tone="danger"
            )
        said = "They are no member any more."
        if view.team.open_plan_ids:
            said += " Open plans keep them until they are withdrawn there."
        return pages.done(request, paths.team_path(team_id), said)

    @routes.post("/{team_id}/manager")
    async def manager(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        values = await typed(request)
        said = Precondition(if_match=f'"{values.get("revision", "")}"')
        try:
            view = await company.teams.assign_manager(
                by, team_id, values.get("manager_id") or None, said
            )
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.team_path(team_id), describe_problem(problem, TEAM), tone="danger"
            )
        who = view.manager
        said_now = f"{who.name} manages the team from now on." if who else "Nobody manages it now."
        return pages.done(request, paths.team_path(team_id), said_now)

    @routes.post("/{team_id}/close")
    async def close(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        try:
            await company.teams.close(by, team_id)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.team_path(team_id), describe_problem(problem, TEAM), tone="danger"
            )
        return pages.done(request, paths.team_path(team_id), "The team is closed.")

    return routes
