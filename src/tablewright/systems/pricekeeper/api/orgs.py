"""``/orgs`` and ``/orgs/{org_id}/apps``: what administrators provision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Response

from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId
from tablewright.systems.pricekeeper.api.settings import (
    app_created,
    app_out,
    org_created,
    org_out,
)
from tablewright.systems.pricekeeper.bodies import (
    AppCreated,
    AppIn,
    AppOut,
    AppPatch,
    OrgCreated,
    OrgIn,
    OrgListed,
    OrgOut,
    OrgPatch,
)

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


Deleted = Annotated[bool, Query(description="Show what was deleted, too.")]
Search = Annotated[
    str,
    Query(
        max_length=200,
        description="Words that the name or the id must contain, ignoring case and accents. A page "
        "may be empty although `next_cursor` leads to more.",
    ),
]


_ONE: Responses = {200: {"headers": ETAG}, **refusals(BAD_PLACE, 404)}
_CHANGED = refusals(
    428,
    {
        400: "`MALFORMED`, or an id that cannot be one.",
        409: "`ALREADY_EXISTS`: created by somebody just now; `DELETED`: give it a status to have "
        "it back; `ORG_DISABLED`.",
        412: "`STALE_VERSION`: read it again; `ALREADY_EXISTS`: If-None-Match says it must not.",
    },
)


_PATCHED = refusals(
    BAD_PLACE,
    404,
    {412: "`STALE_VERSION`: it has changed since the version that If-Match names. Read it again."},
)


def router(keeper: Keeper) -> APIRouter:
    """The routes of organisations and apps."""
    routes = APIRouter(prefix="/api/v1")
    routes.include_router(_org_routes(keeper), tags=["organisations"])
    routes.include_router(_app_routes(keeper), tags=["apps"])
    return routes


def _org_routes(keeper: Keeper) -> APIRouter:
    routes = APIRouter(prefix="/orgs")
    admin = Depends(keeper.runtime.auth.require("admin"))
    anyone = Depends(keeper.runtime.auth.require())

    @routes.get("")
    async def list_orgs(
        paging: Paging, deleted: Deleted = False, search: Search = "", _: Principal = anyone
    ) -> PageBody[OrgListed]:
        """All organisations, or those that a search finds."""
        page = await keeper.orgs.page(
            limit=paging.limit, cursor=paging.cursor, deleted=deleted, text=search
        )
        return page_body(page, [OrgListed(**each.model_dump()) for each in page])

    @routes.get("/{org_id}", responses=_ONE)
    async def get_org(
        org_id: OrgId, response: Response, deleted: Deleted = False, _: Principal = anyone
    ) -> OrgOut:
        """One organisation; its ETag is what a change is made with."""
        org = await keeper.orgs.get(org_id, deleted=deleted)
        response.headers["ETag"] = etag(org.version)
        return org_out(org, keeper.now())

    @routes.put(
        "/{org_id}",
        responses={
            200: {"headers": ETAG},
            201: {"model": OrgCreated, "headers": ETAG, "description": "It is new."},
            **_CHANGED,
        },
        response_model=OrgOut | OrgCreated,
    )
    async def put_org(
        org_id: OrgId, body: OrgIn, said: Said, response: Response, by: Principal = admin
    ) -> OrgOut:
        """Create an organisation (201, with a token for its secret), or replace its settings.

        A change needs If-Match and names every setting that is not at its default: one that would
        lose its value by being left out is refused (422). PATCH changes some settings.
        """
        saved = await keeper.orgs.put(org_id, body, by, said, may_reset=False)
        response.headers["ETag"] = etag(saved.entity.version)
        if saved.issued is None:
            return org_out(saved.entity, keeper.now())
        response.status_code = 201
        return org_created(saved.entity, keeper.now(), saved.issued)

    @routes.patch("/{org_id}", responses={200: {"headers": ETAG}, **_PATCHED})
    async def patch_org(
        org_id: OrgId, body: OrgPatch, said: Said, response: Response, by: Principal = admin
    ) -> OrgOut:
        """Change some settings of an organisation; what is absent stays as it is.

        Each member that is given replaces what was there as a whole, limits too. With If-Match,
        only the version that was seen is changed.
        """
        saved = await keeper.orgs.patch(org_id, body, by, said)
        response.headers["ETag"] = etag(saved.entity.version)
        return org_out(saved.entity, keeper.now())

    @routes.delete("/{org_id}", status_code=204, responses=refusals(BAD_PLACE, 404, 412))
    async def delete_org(org_id: OrgId, said: Said, by: Principal = admin) -> None:
        """Let nobody of it in any more. Its records stay."""
        await keeper.orgs.delete(org_id, by, said)

    return routes


def _app_routes(keeper: Keeper) -> APIRouter:
    routes = APIRouter(prefix="/orgs/{org_id}/apps")
    admin = Depends(keeper.runtime.auth.require("admin"))
    anyone = Depends(keeper.runtime.auth.require())
    apps = keeper.orgs.apps

    @routes.get("", responses=refusals(BAD_PLACE, 404))
    async def list_apps(
        org_id: OrgId, paging: Paging, deleted: Deleted = False, _: Principal = anyone
    ) -> PageBody[AppOut]:
        """The apps of an organisation."""
        page = await apps.page(org_id, limit=paging.limit, cursor=paging.cursor, deleted=deleted)
        return page_body(page, [app_out(each) for each in page])

    @routes.get("/{app_id}", responses=_ONE)
    async def get_app(
        org_id: OrgId,
        app_id: AppId,
        response: Response,
        deleted: Deleted = False,
        _: Principal = anyone,
    ) -> AppOut:
        """One app; its ETag is what a change is made with."""
        app = await apps.get(org_id, app_id, deleted=deleted)
        response.headers["ETag"] = etag(app.version)
        return app_out(app)

    @routes.put(
        "/{app_id}",
        responses={
            200: {"headers": ETAG},
            201: {"model": AppCreated, "headers": ETAG, "description": "It is new."},
            404: {"description": ""},
            **_CHANGED,
        },
        response_model=AppOut | AppCreated,
    )
    async def put_app(
        org_id: OrgId,
        app_id: AppId,
        body: AppIn,
        said: Said,
        response: Response,
        by: Principal = admin,
    ) -> AppOut:
        """Create an app (201, with a token for its secret), or replace its settings.

        A change needs If-Match and names every setting that is not at its default: one that would
        lose its value by being left out is refused (422). PATCH changes some settings.
        """
        saved = await apps.put(org_id, app_id, body, by, said, may_reset=False)
        response.headers["ETag"] = etag(saved.entity.version)
        if saved.issued is None:
            return app_out(saved.entity)
        response.status_code = 201
        return app_created(saved.entity, saved.issued)

    @routes.patch("/{app_id}", responses={200: {"headers": ETAG}, **_PATCHED})
    async def patch_app(
        org_id: OrgId,
        app_id: AppId,
        body: AppPatch,
        said: Said,
        response: Response,
        by: Principal = admin,
    ) -> AppOut:
        """Change some settings of an app; what is absent stays as it is.

        Null is as the organisation has it. Each member that is given replaces what was there as a
        whole, limits too. With If-Match, only the version that was seen is changed.
        """
        saved = await apps.patch(org_id, app_id, body, by, said)
        response.headers["ETag"] = etag(saved.entity.version)
        return app_out(saved.entity)

    @routes.delete("/{app_id}", status_code=204, responses=refusals(BAD_PLACE, 404, 412))
    async def delete_app(org_id: OrgId, app_id: AppId, said: Said, by: Principal = admin) -> None:
        """Let the app in no more. Its records stay."""
        await apps.delete(org_id, app_id, by, said)

    return routes
