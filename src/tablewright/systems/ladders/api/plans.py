"""``plans``: reviews, who takes part, and how far they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Response

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.ladders.api.callers import PlanId, TeamId, UserId, caller_of
from tablewright.systems.ladders.api.keyed import keyed
from tablewright.systems.ladders.bodies.plans import (
    ActivateIn,
    BoardOut,
    CompleteIn,
    EnrolIn,
    PlanChange,
    PlanIn,
    PlanOut,
    RemindedOut,
    RemindIn,
    ReopenPlanIn,
    board_out,
    plan_out,
    reminded_out,
)
from tablewright.systems.ladders.fields import PlanStatus
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.plans import PlanView

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

Status = Annotated[PlanStatus, Query(description="Which ones.")]

_STALE = "`REVISION_CONFLICT`: somebody has changed it since you read it."
_CONFLICT = "`CONFLICT`: others are changing the same all the time."
_UNREADY = "`TEAM_NOT_READY`; `TEAM_CLOSED`; `TOO_MANY_PLANS`"
_DATES = "`PLAN_NOT_BEGUN`; `PLAN_ENDED`"
_PLAN: Responses = {200: {"headers": ETAG}, **refusals(404)}
_DRAFTED: Responses = {
    201: {"headers": ETAG},
    **refusals(403, 404, {409: "`SEASON_TAKEN`; `TEAM_CLOSED`; `NO_ACTIVE_CONFIG`."}),
}
_EDITED: Responses = {
    200: {"headers": ETAG},
    **refusals(403, 404, 428, {409: f"`NOT_DRAFT`. {_CONFLICT}", 412: _STALE}),
}
_DELETED = refusals(403, 404, {409: f"`NOT_DRAFT`. {_CONFLICT}", 412: _STALE})


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Plans"], route_class=keyed(company))
    _lists(routes, company)
    _drafts(routes, company)
    _turns(routes, company)
    _people(routes, company)
    return routes


def _turned(more: str = "") -> Responses:
    return {**_changed(more), **refusals({412: _STALE})}


def _changed(more: str = "") -> Responses:
    told = f"`BAD_STATE`{more}. {_CONFLICT}"
    return {200: {"headers": ETAG}, **refusals(403, 404, {409: told})}


def _lists(routes: APIRouter, company: Company) -> None:
    signed_in, plans = Depends(caller_of(company)), company.plans

    @routes.get("/teams/{team_id}/plans", responses=refusals(404))
    async def list_plans_of_team(team_id: TeamId, by: Caller = signed_in) -> PageBody[PlanOut]:
        """The plans of a team, the latest season first."""
        return PageBody(items=[plan_out(each) for each in await plans.of_team(by, team_id)])

    @routes.get("/plans", responses=refusals(403, {400: "`BAD_CURSOR`."}))
    async def list_plans(
        paging: Paging, status: Status = "active", by: Caller = signed_in
    ) -> PageBody[PlanOut]:
        """All plans in one state, of all teams, in no order."""
        page = await plans.list(by, status, limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [plan_out(each) for each in page])

    # What is called by a name comes before what is called by an id.
    @routes.get("/plans/active")
    async def list_active_plans(by: Caller = signed_in) -> PageBody[PlanOut]:
        """The reviews under way in the caller's teams; the one that ends first before others."""
        return PageBody(items=[plan_out(each) for each in await plans.active(by)])


def _drafts(routes: APIRouter, company: Company) -> None:
    signed_in, plans = Depends(caller_of(company)), company.plans

    @routes.post("/teams/{team_id}/plans", status_code=201, responses=_DRAFTED)
    async def draft_plan(
        team_id: TeamId, body: PlanIn, response: Response, by: Caller = signed_in
    ) -> PlanOut:
        """A new plan, for a season that the team has none for."""
        return tagged(response, await plans.draft(by, team_id, body.draft()))

    @routes.get("/plans/{plan_id}", responses=_PLAN)
    async def get_plan(plan_id: PlanId, response: Response, by: Caller = signed_in) -> PlanOut:
        """A plan; its ETag is what a change is made with."""
        return tagged(response, await plans.read(by, plan_id))

    @routes.put("/plans/{plan_id}", responses=_EDITED)
    async def edit_plan(
        plan_id: PlanId, body: PlanChange, said: Said, response: Response, by: Caller = signed_in
    ) -> PlanOut:
        """Change a draft; once it is under way, its name, its description, and a later end."""
        return tagged(response, await plans.edit(by, plan_id, body.edit(), said))

    @routes.delete("/plans/{plan_id}", status_code=204, responses=_DELETED)
    async def delete_plan(plan_id: PlanId, said: Said, by: Caller = signed_in) -> None:
        """Delete a draft."""
        await plans.delete(by, plan_id, said)


def _turns(routes: APIRouter, company: Company) -> None:
    signed_in, plans = Depends(caller_of(company)), company.plans

    @routes.post("/plans/{plan_id}/activate", responses=_turned(f"; {_UNREADY}; {_DATES}"))
    async def activate_plan(
        plan_id: PlanId,
        said: Said,
        response: Response,
        body: ActivateIn | None = None,
        by: Caller = signed_in,
    ) -> PlanOut:
        """Begin the review with those who are in the team now, and notify each of them.

        Not before its first day; after its last day only with `after_end`.
        """
        after_end = body is not None and body.after_end
        return tagged(response, await plans.activate(by, plan_id, said, after_end=after_end))

    @routes.post("/plans/{plan_id}/complete", responses=_turned("; `OPEN_ASSESSMENTS`"))
    async def complete_plan(
        plan_id: PlanId,
        said: Said,
        response: Response,
        body: CompleteIn | None = None,
        by: Caller = signed_in,
    ) -> PlanOut:
        """End the review; with force even if assessments are open."""
        force = body is not None and body.force
        return tagged(response, await plans.complete(by, plan_id, force=force, said=said))

    @routes.post("/plans/{plan_id}/archive", responses=_turned())
    async def archive_plan(
        plan_id: PlanId, said: Said, response: Response, by: Caller = signed_in
    ) -> PlanOut:
        """Put a completed review out of sight."""
        return tagged(response, await plans.archive(by, plan_id, said=said))

    @routes.post("/plans/{plan_id}/reopen", responses=_turned(f"; {_UNREADY}"))
    async def reopen_plan(
        plan_id: PlanId, body: ReopenPlanIn, said: Said, response: Response, by: Caller = signed_in
    ) -> PlanOut:
        """Go on with a completed review; by admins, with a reason."""
        return tagged(response, await plans.reopen(by, plan_id, body.reason, said=said))


def _people(routes: APIRouter, company: Company) -> None:
    signed_in, plans, boards = Depends(caller_of(company)), company.plans, company.boards

    @routes.post("/plans/{plan_id}/members", responses=_changed("; `NOT_A_MEMBER`; `PLAN_FULL`"))
    async def enrol_member(
        plan_id: PlanId, body: EnrolIn, response: Response, by: Caller = signed_in
    ) -> PlanOut:
        """A member of the team takes part, too."""
        return tagged(response, await plans.enrol(by, plan_id, body.user_id))

    @routes.delete("/plans/{plan_id}/members/{user_id}", responses=_changed())
    async def withdraw_member(
        plan_id: PlanId, user_id: UserId, response: Response, by: Caller = signed_in
    ) -> PlanOut:
        """Somebody takes part no more; what was written stays, and does not change."""
        return tagged(response, await plans.withdraw(by, plan_id, user_id))

    @routes.get("/plans/{plan_id}/board", responses=refusals(403, 404))
    async def get_board(plan_id: PlanId, paging: Paging, by: Caller = signed_in) -> BoardOut:
        """How far everybody is, a page of members at a time; the numbers are of all."""
        found = await boards.board(by, plan_id, limit=paging.limit, cursor=paging.cursor)
        return board_out(found)

    @routes.post("/plans/{plan_id}/remind", responses=refusals(403, 404, {409: "`BAD_STATE`."}))
    async def remind(
        plan_id: PlanId, body: RemindIn | None = None, by: Caller = signed_in
    ) -> RemindedOut:
        """Ask those who have not submitted, or some of them; nobody twice on one day."""
        chosen = None if body is None else body.user_ids
        return reminded_out(await boards.remind(by, plan_id, chosen))


def tagged(response: Response, view: PlanView) -> PlanOut:
    response.headers["ETag"] = etag(view.plan.revision)
    return plan_out(view.plan)
