"""A plan: drafted, activated, who takes part, completed, archived."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.notifications import summarize_recipients
from tablewright.service.pages import Pages
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.ladders.api.callers import PlanId, TeamId, caller_of
from tablewright.systems.ladders.bodies.assessments import ReopenIn
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages import plan_form as form
from tablewright.systems.ladders.pages.due import Due, due
from tablewright.systems.ladders.pages.form_fields import PLAN, describe_problem, read_form
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import Names, names_of
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.plans import PlanView

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class PlanWays:
    """What can be done with a plan now; whether somebody may is decided when they do it."""

    view: PlanView
    names: Names
    due: Due
    now: datetime

    def may(self, action: str) -> bool:
        return self.view.may(action)

    @property
    def plan(self) -> Plan:
        return self.view.plan

    @property
    def runs(self) -> bool:
        return self.may("run_plan")

    @property
    def activating(self) -> bool:
        return self.plan.status == "draft" and self.plan.activation is not None

    @property
    def drafted(self) -> bool:
        return self.plan.status == "draft" and not self.activating

    @property
    def begins_later(self) -> bool:
        return self.now < self.plan.start_date

    @property
    def has_ended(self) -> bool:
        return self.now > self.plan.end_date

    @property
    def lacking(self) -> str:
        """Why it cannot be activated."""
        team = self.view.team
        if not team.is_active:
            return "The team is closed."
        if team.manager_id is None:
            return "The team has no manager, who would assess its members."
        return "" if team.member_ids else "The team has no members yet."

    @property
    def roster(self) -> list[tuple[str, str]]:
        """Who takes part; before it is active, who would."""
        members = self.plan.member_ids if self.plan.status != "draft" else self.view.team.member_ids
        return self._by_name(members)

    @property
    def late_joiners(self) -> list[tuple[str, str]]:
        """Members of the team who do not take part."""
        if self.plan.status != "active":
            return []
        return self._by_name(self.view.team.member_ids - self.plan.member_ids)

    def left(self, user_id: str) -> bool:
        """Takes part, and is no member of the team any more."""
        return user_id not in self.view.team.member_ids

    def _by_name(self, user_ids: set[str]) -> list[tuple[str, str]]:
        found = [(each, self.names.of(each)) for each in user_ids]
        return sorted(found, key=lambda each: (each[1].casefold(), each[0]))


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter()
    caller = Depends(caller_of(company))
    zone = company.options.zone

    async def one(request: Request, by: Caller, plan_id: str, **context: object) -> Response:
        view = await company.plans.read(by, plan_id)
        plan, team = view.plan, view.team
        people = {*plan.member_ids, *team.member_ids, *filter(None, (team.manager_id,))}
        names = await names_of(company, people)
        now = company.now()
        ways = PlanWays(view, names, due(plan.end_date, now, zone), now)
        given: dict[str, object] = {
            "plan": plan,
            "team": team,
            "ways": ways,
            "names": names,
            "zone": zone,
            "first": form.values_of(plan, zone),
            "seasons": [],
            "ladders": await form.ladders_for(company, by, plan) if ways.drafted else [],
            "here": paths.plan_path(plan_id),
            "board": paths.board_path(plan_id) if ways.may("read_board") else "",
            "heatmap": paths.heatmap_path(team.team_id, plan_id),
            "home": paths.HOME,
            "ladder_path": f"{paths.LADDER}/{plan.config_id}",
            "open_now": 0,
            "ended": "",
            "crumbs": [("Teams", paths.TEAMS), (team.team_name, paths.team_path(team.team_id))],
        }
        return shown(pages, request, "ladders/plan.html", by, **{**given, **context})

    @routes.get("/plans/{plan_id}")
    async def plan(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        return await one(request, by, plan_id)

    @routes.post("/plans/{plan_id}")
    async def edit(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        values = await typed(request)
        found = await company.plans.found(by, plan_id, "edit_plan")
        read = form.read_draft if found.plan.status == "draft" else form.read_active
        try:
            wanted = read(values).edit(zone)
            await company.plans.edit(by, plan_id, wanted, _seen(values))
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await one(request, by, plan_id, problem=problem, values=values)
        return pages.done(request, paths.plan_path(plan_id), "The plan is saved.")

    @routes.post("/plans/{plan_id}/delete")
    async def delete(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        view = await company.plans.found(by, plan_id, "edit_plan")
        try:
            await company.plans.delete(by, plan_id)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.plan_path(plan_id), describe_problem(problem, PLAN), tone="danger"
            )
        return pages.done(request, paths.team_path(view.team.team_id), "The draft is deleted.")

    async def turned(
        request: Request, plan_id: str, work: Awaitable[object], message: str
    ) -> Response:
        """After a transition: the plan as it is, or why it was not done."""
        try:
            await work
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.plan_path(plan_id), describe_problem(problem, PLAN), tone="danger"
            )
        return pages.done(request, paths.plan_path(plan_id), message)

    @routes.post("/plans/{plan_id}/activate")
    async def activate(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        values = await typed(request)
        said, here = _seen_if_given(values), paths.plan_path(plan_id)
        after_end = values.get("after_end") == "1"
        try:
            view = await company.plans.activate(by, plan_id, said, after_end=after_end)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            if problem.code == "PLAN_ENDED":
                return await one(request, by, plan_id, ended=problem.detail, status=409)
            return pages.done(request, here, describe_problem(problem, PLAN), tone="danger")
        notified = summarize_recipients(view.messages) if view.messages else ""
        return pages.done(request, here, f"The review is under way. {notified}".strip())

    @routes.post("/plans/{plan_id}/complete")
    async def complete(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        """What is open is told first, and needs a second word."""
        values = await typed(request)
        try:
            await company.plans.complete(by, plan_id, force=values.get("force") == "1")
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            if problem.code == "OPEN_ASSESSMENTS":
                still = problem.extra.get("open", 0)
                return await one(request, by, plan_id, open_now=still, status=409)
            return pages.done(
                request, paths.plan_path(plan_id), describe_problem(problem, PLAN), tone="danger"
            )
        return pages.done(request, paths.plan_path(plan_id), "The review is completed.")

    @routes.post("/plans/{plan_id}/archive")
    async def archive(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        work = company.plans.archive(by, plan_id)
        return await turned(request, plan_id, work, "The plan is archived.")

    @routes.post("/plans/{plan_id}/reopen")
    async def reopen(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        values = await typed(request)
        try:
            body = read_form(ReopenIn, {"reason": values.get("reason", "")}, PLAN)
            await company.plans.reopen(by, plan_id, body.reason)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await one(request, by, plan_id, problem=problem, values=values)
        return pages.done(request, paths.plan_path(plan_id), "The review goes on.")

    @routes.post("/plans/{plan_id}/members")
    async def enrol(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        user_id = (await typed(request)).get("user_id", "")
        here = paths.plan_path(plan_id)
        try:
            view = await company.plans.enrol(by, plan_id, user_id)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, here, describe_problem(problem, PLAN), tone="danger")
        notified = summarize_recipients(view.messages) if view.messages else ""
        return pages.done(request, here, f"They take part from now on. {notified}".strip())

    @routes.post("/plans/{plan_id}/members/withdraw")
    async def withdraw(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        user_id = (await typed(request)).get("user_id", "")
        work = company.plans.withdraw(by, plan_id, user_id)
        message = "They do not take part any more. What was written stays."
        return await turned(request, plan_id, work, message)

    # --- a new one -------------------------------------------------------------------------------

    async def asked(request: Request, by: Caller, team_id: str, **context: object) -> Response:
        standing = await company.people.seen(by, team_id)
        standing.require("create_plan")
        now, there = company.now(), await company.plans.of_team(by, team_id)
        given: dict[str, object] = {
            "team": standing.team,
            "first": form.first_values(now, zone, {each.season for each in there}),
            "seasons": form.seasons_near(now.date()),
            "ladders": await form.ladders_for(company, by),
            "here": paths.team_path(team_id, "/plans/new"),
            "zone": zone,
            "cancel": paths.team_path(team_id),
            "crumbs": [
                ("Teams", paths.TEAMS),
                (standing.team.team_name, paths.team_path(team_id)),
            ],
        }
        return shown(pages, request, "ladders/plan_new.html", by, **{**given, **context})

    @routes.get("/teams/{team_id}/plans/new")
    async def new(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        return await asked(request, by, team_id)

    @routes.post("/teams/{team_id}/plans/new")
    async def draft(request: Request, team_id: TeamId, by: Caller = caller) -> Response:
        values = await typed(request)
        try:
            wanted = form.read_new(values).draft(zone)
            made = await company.plans.draft(by, team_id, wanted)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            told_there = _at_its_field(problem)
            return await asked(request, by, team_id, problem=told_there, values=values)
        message = "The draft is saved. Nobody is told of it before you activate it."
        return pages.done(request, paths.plan_path(made.plan.plan_id), message)

    return routes


def _seen(values: Typed) -> Precondition:
    return Precondition(if_match=f'"{values.get("revision", "")}"')


def _seen_if_given(values: Typed) -> Precondition:
    return _seen(values) if values.get("revision") else UNSAID


def _at_its_field(problem: Problem) -> Problem:
    """What is taken stands where it was typed."""
    if problem.code != "SEASON_TAKEN":
        return problem
    error = FieldError("body.season", problem.detail)
    return Problem(problem.status, problem.code, problem.detail, errors=[error])
