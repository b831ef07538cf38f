"""``…/override``: closing and opening labels by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from tablewright.service.auth import Principal
from tablewright.service.problem_answers import refusals
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId
from tablewright.systems.pricekeeper.bodies import OverrideIn, OverrideOut, day_text, iso
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


_ANSWERS = refusals(
    BAD_PLACE,
    404,
    {409: "`STICKY_OFF`, `LIMIT_REACHED`: it would close again at once; `CONFLICT`."},
)


def router(keeper: Keeper) -> APIRouter:
    """The routes of overrides, for administrators and operators."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}", tags=["override"])
    operator = Depends(keeper.runtime.auth.require("admin", "operator"))

    @routes.post("/override", responses=_ANSWERS)
    async def override_org(
        org_id: OrgId, body: OverrideIn, by: Principal = operator
    ) -> OverrideOut:
        """Close or open labels of a whole organisation for the rest of its day."""
        return await overridden(checked_org_id(org_id), None, body, by)

    @routes.post("/apps/{app_id}/override", responses=_ANSWERS)
    async def override_app(
        org_id: OrgId, app_id: AppId, body: OverrideIn, by: Principal = operator
    ) -> OverrideOut:
        """Close or open labels of one app for the rest of the day."""
        return await overridden(checked_org_id(org_id), checked_app_id(app_id), body, by)

    async def overridden(
        org_id: str, app_id: str | None, body: OverrideIn, by: Principal
    ) -> OverrideOut:
        closed = await keeper.overrides.override(
            org_id,
            app_id,
            by,
            exhaust=body.exhaust,
            restore=body.restore,
            reason=body.reason,
        )
        return OverrideOut(
            day=day_text(closed.day),
            exhausted_labels=list(closed.labels),
            reason=closed.reason,
            activated_at=iso(closed.since),
        )

    return routes
