"""``Idempotency-Key``: an answer is given again to who might still ask for it.

Rights follow the roles of a user and the manager that a team has now, and an answer is kept for a
day. So whoever repeats a request is looked at as with a new one: whether they are a user, and still
to the item what the route asks for. In which state the item is does not count, since the request
itself may have changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from fastapi.routing import APIRoute

from tablewright.service.kit.idempotent_routes import Still, idempotent
from tablewright.service.problems import forbidden
from tablewright.systems.ladders import reads
from tablewright.systems.ladders.entities import Assessment, Report
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.route_rights import ROUTES, route
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from fastapi import APIRouter
    from starlette.requests import Request

    from tablewright.service.auth import Principal
    from tablewright.systems.ladders.service.company import Company

Route = TypeVar("Route", bound=Callable[..., Any])

_API = "/api/v1"


class _Place(NamedTuple):
    """Whose data an address is about."""

    team_id: str
    subject_id: str | None = None


def keyed(company: Company) -> type[APIRoute]:
    """``APIRouter(route_class=keyed(company))``: its POSTs may be repeated."""
    return idempotent(company.runtime, _still(company))


def reads_only(routes: APIRouter, path: str, **options: Any) -> Callable[[Route], Route]:
    """``@routes.post`` for what changes nothing, or nothing that counts: no answer of it is kept.

    Who repeats it asks anew: for what there is now, and by the rights that they have now.
    """

    def add(endpoint: Route) -> Route:
        given = {"methods": ["POST"], "route_class_override": APIRoute, **options}
        routes.add_api_route(path, endpoint, **given)
        return endpoint

    return add


def _still(company: Company) -> Still:
    async def still(request: Request, principal: Principal) -> None:
        by = await company.people.caller(principal)
        path: str = request.scope["route"].path_format
        actions = ROUTES[route(request.method, path.removeprefix(_API))]
        who = await _who(company, by, request.path_params)
        if not any(rights.could(action, who) for action in actions):
            raise forbidden()

    return still


async def _who(company: Company, by: Caller, named: Mapping[str, str]) -> frozenset[rights.Who]:
    """What the caller is to what an address names; a problem 404 for nothing at all."""
    place = await _place(company, named)
    if place is None:
        return by.who()
    return (await company.people.seen(by, place.team_id, place.subject_id, what="item")).who


async def _place(company: Company, named: Mapping[str, str]) -> _Place | None:
    """None for what is of no team: users and ladders, and what is gone."""
    db = company.db
    if "team_id" in named:
        return _Place(named["team_id"])
    if "plan_id" in named:
        plan = await db.run(reads.plan(named["plan_id"]))
        return None if plan is None else _Place(plan.team_id, named.get("user_id"))
    if "assessment_id" in named:
        assessment = await db.run(reads.assessment(named["assessment_id"]))
        return None if assessment is None else _about(assessment)
    if "report_id" in named:
        report = await db.run(reads.report(named["report_id"]))
        return None if report is None else _about(report)
    return None


def _about(item: Assessment | Report) -> _Place:
    return _Place(item.team_id, item.team_member_id)
