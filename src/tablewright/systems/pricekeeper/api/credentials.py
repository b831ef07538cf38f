"""``…/credentials``: new secrets, and how they reach their owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from tablewright.service.auth import Principal
from tablewright.service.problem_answers import refusals
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId
from tablewright.systems.pricekeeper.bodies import RedeemIn, RedeemOut, RotateIn, RotateOut
from tablewright.systems.pricekeeper.bodies.access import ClientOut, ClientsOut
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id
from tablewright.systems.pricekeeper.rules.secrets import in_grace

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.config import Credential
    from tablewright.systems.pricekeeper.service.keeper import Keeper


_ROTATING = refusals(
    BAD_PLACE,
    404,
    {409: "`ROTATION_IN_GRACE`: the secret before is still good; `ROTATED_MEANWHILE`."},
)


def router(keeper: Keeper) -> APIRouter:
    """The routes of credentials, for administrators."""
    routes = APIRouter(prefix="/api/v1", tags=["credentials"])
    admin = Depends(keeper.runtime.auth.require("admin"))

    @routes.post("/orgs/{org_id}/credentials/rotate", responses=_ROTATING)
    async def rotate_org_secret(
        org_id: OrgId, body: RotateIn | None = None, by: Principal = admin
    ) -> RotateOut:
        """A new secret of an organisation; the old one stays good for the hours of grace."""
        return await rotated(checked_org_id(org_id), None, body, by)

    @routes.post("/orgs/{org_id}/apps/{app_id}/credentials/rotate", responses=_ROTATING)
    async def rotate_app_secret(
        org_id: OrgId, app_id: AppId, body: RotateIn | None = None, by: Principal = admin
    ) -> RotateOut:
        """A new secret of an app; the old one stays good for the hours of grace."""
        return await rotated(checked_org_id(org_id), checked_app_id(app_id), body, by)

    async def rotated(
        org_id: str, app_id: str | None, body: RotateIn | None, by: Principal
    ) -> RotateOut:
        wish = body or RotateIn()
        done = await keeper.credentials.rotate(
            org_id, app_id, by, grace_hours=wish.grace_hours, force=wish.force
        )
        return RotateOut(
            client_id=done.client_id,
            cred_version=done.cred_version,
            retrieval_token=done.token,
            retrieval_expires_at=done.retrieval_expires_at,
            grace_expires_at=done.grace_until,
        )

    @routes.get("/orgs/{org_id}/credentials", responses=refusals(BAD_PLACE, 404))
    async def list_clients(org_id: OrgId, by: Principal = admin) -> ClientsOut:
        """Who can log in: the organisation, and its apps."""
        found = await keeper.credentials.clients(checked_org_id(org_id))
        return ClientsOut(items=[_out(each, keeper.now()) for each in found])

    @routes.post(
        "/orgs/{org_id}/credentials/revoke",
        status_code=204,
        responses=refusals(BAD_PLACE, 404),
    )
    async def revoke_org_tokens(org_id: OrgId, by: Principal = admin) -> None:
        """End all tokens of an organisation's client; its secret stays good."""
        await keeper.credentials.end_tokens(checked_org_id(org_id), None, by)

    @routes.post(
        "/orgs/{org_id}/apps/{app_id}/credentials/revoke",
        status_code=204,
        responses=refusals(BAD_PLACE, 404),
    )
    async def revoke_app_tokens(org_id: OrgId, app_id: AppId, by: Principal = admin) -> None:
        """End all tokens of an app's client; its secret stays good."""
        org_id, app_id = checked_org_id(org_id), checked_app_id(app_id)
        await keeper.credentials.end_tokens(org_id, app_id, by)

    @routes.post("/credentials/secret", responses=refusals(404))
    async def fetch_secret(body: RedeemIn, by: Principal = admin) -> RedeemOut:
        """Fetch a new secret with its retrieval token, once."""
        found = await keeper.credentials.redeem(body.token, by)
        return RedeemOut(client_id=found.client_id, client_secret=found.secret)

    return routes


def _out(credential: Credential, now: int) -> ClientOut:
    until = credential.client_secret_rotation_grace_expires_at_epoch
    return ClientOut(
        client_id=credential.client_id,
        cred_version=credential.cred_version,
        secret_created_at=credential.client_secret_created_at_epoch,
        grace_expires_at=until if in_grace(credential, now) else None,
        tokens_valid_after=credential.tokens_valid_after_epoch,
    )
