"""``users``: people, by administrators; and ``audit``, what they and others did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Response

from tablewright.service.bodies import Millis
from tablewright.service.kit.audit_bodies import AuditOut, audit_out
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.ladders.api.callers import UserId, caller_of
from tablewright.systems.ladders.api.keyed import keyed
from tablewright.systems.ladders.bodies.people import UserIn, UserOut, UserPatch, user_out
from tablewright.systems.ladders.entities import User
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_LIST: Responses = refusals(403, {400: "`BAD_CURSOR`."})
_STALE = "`REVISION_CONFLICT`: somebody has changed it since you read it."
_CONFLICT = "`CONFLICT`: others are changing the same all the time."
_MADE: Responses = {
    201: {"headers": ETAG},
    **refusals(403, {409: f"`EMAIL_TAKEN`: somebody has this address. {_CONFLICT}"}),
}
_FOUND: Responses = {200: {"headers": ETAG}, **refusals(404)}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        403,
        404,
        428,
        {409: f"`USER_IS_MANAGER`; `SELF_ACTION`; `USER_ERASED`. {_CONFLICT}", 412: _STALE},
    ),
}
_ENDED: Responses = {
    200: {"headers": ETAG},
    **refusals(403, 404, {409: f"`USER_IS_MANAGER`; `SELF_ACTION`. {_CONFLICT}"}),
}
_BACK: Responses = {
    200: {"headers": ETAG},
    **refusals(403, 404, {409: f"`USER_ERASED`: invite them anew. {_CONFLICT}"}),
}


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Users"], route_class=keyed(company))
    _users(routes, company)
    _ends(routes, company)
    _audit(routes, company)
    return routes


def _users(routes: APIRouter, company: Company) -> None:
    signed_in, people = Depends(caller_of(company)), company.people

    @routes.get("/users", responses=_LIST)
    async def list_users(paging: Paging, by: Caller = signed_in) -> PageBody[UserOut]:
        """Everybody, inactive and erased users too, in no order."""
        page = await people.list(by, limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [user_out(each) for each in page])

    @routes.post("/users", status_code=201, responses=_MADE)
    async def create_user(body: UserIn, response: Response, by: Caller = signed_in) -> UserOut:
        """Invite somebody: whoever signs in with this verified address is this user."""
        return tagged(response, await people.create(by, body.email, body.name, body.roles))

    @routes.get("/users/{user_id}", responses=_FOUND)
    async def get_user(user_id: UserId, response: Response, by: Caller = signed_in) -> UserOut:
        """One user; the ETag is what a change is made with."""
        return tagged(response, await people.read(by, user_id))

    @routes.patch("/users/{user_id}", responses=_CHANGED)
    async def change_user(
        user_id: UserId, body: UserPatch, said: Said, response: Response, by: Caller = signed_in
    ) -> UserOut:
        """Another name, or other roles; one's own roles are somebody else's to change."""
        return tagged(response, await people.change(by, user_id, body.change(), said))


def _ends(routes: APIRouter, company: Company) -> None:
    signed_in, people = Depends(caller_of(company)), company.people

    @routes.post("/users/{user_id}/deactivate", responses=_ENDED)
    async def deactivate_user(
        user_id: UserId, response: Response, by: Caller = signed_in
    ) -> UserOut:
        """They leave all teams and cannot come in; who manages a team is replaced first."""
        return tagged(response, await people.deactivate(by, user_id))

    @routes.post("/users/{user_id}/reactivate", responses=_BACK)
    async def reactivate_user(
        user_id: UserId, response: Response, by: Caller = signed_in
    ) -> UserOut:
        """They may come in again; their teams are not given back."""
        return tagged(response, await people.reactivate(by, user_id))

    @routes.post("/users/{user_id}/erase", responses=_ENDED)
    async def erase_user(user_id: UserId, response: Response, by: Caller = signed_in) -> UserOut:
        """Name, address, sign-ins and all texts about them go. There is no way back.

        A repetition goes on where the first one has stopped.
        """
        return tagged(response, await people.erase(by, user_id))


def _audit(routes: APIRouter, company: Company) -> None:
    signed_in = Depends(caller_of(company))

    @routes.get("/audit", responses=_LIST)
    async def list_audit(
        paging: Paging,
        since: Annotated[Millis | None, Query(description="Not before.")] = None,
        until: Annotated[Millis | None, Query(description="Before.")] = None,
        actor: Annotated[str | None, Query(max_length=255, description="A user's id.")] = None,
        subject: Annotated[
            str | None, Query(max_length=200, description="Such as `team/7f3c…`.")
        ] = None,
        action: Annotated[
            str | None, Query(max_length=100, description="Such as `user.erase`.")
        ] = None,
        by: Caller = signed_in,
    ) -> PageBody[AuditOut]:
        """Who did what, newest first."""
        page = await company.auditing.list(
            by,
            since=since,
            until=until,
            actor=actor,
            subject=subject,
            action=action,
            limit=paging.limit,
            cursor=paging.cursor,
        )
        return page_body(page, [audit_out(each) for each in page])


def tagged(response: Response, user: User) -> UserOut:
    response.headers["ETag"] = etag(user.revision)
    return user_out(user)
