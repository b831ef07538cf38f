"""``…/reservations``: spend that is promised to a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from tablewright.service.limits import Rate
from tablewright.service.problem_answers import LIMITED, refusals
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId, ReservationId
from tablewright.systems.pricekeeper.api.reference import CLIENTS
from tablewright.systems.pricekeeper.bodies import ReservationIn, ReservationOut, day_text
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_label, checked_org_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.rules.account import Account
    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.service.reservations import Reserved


def router(keeper: Keeper) -> APIRouter:
    """The routes of reservations, for clients."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}/apps/{app_id}", tags=["reservations"])
    rate = Rate(per_minute=keeper.runtime.options(Options).records_per_minute)

    @routes.post(
        "/reservations",
        status_code=201,
        responses={
            201: {"headers": LIMITED},
            **refusals(
                404,
                {
                    400: "`MALFORMED`, `BAD_LABEL`, `UNKNOWN_LABEL`, or an id that cannot be one.",
                    403: "`FORBIDDEN`, `ORG_DISABLED`, `APP_DISABLED`.",
                    409: "`LIMIT`: no room; `LABEL_CLOSED`, `RESERVATIONS_OFF`.",
                },
            ),
        },
        openapi_extra=CLIENTS,
    )
    async def reserve(
        org_id: OrgId, app_id: AppId, body: ReservationIn, request: Request, response: Response
    ) -> ReservationOut:
        """Promise spend to a call, if every limit has room for it; 409 LIMIT otherwise."""
        account = await allowed(org_id, app_id, request, response)
        label = checked_label(body.label)
        made = await keeper.reservations.reserve(account, label, body.max_usd_micros, body.ttl_secs)
        return _out(made, body.max_usd_micros)

    @routes.delete(
        "/reservations/{reservation_id}",
        status_code=204,
        responses={
            204: {"headers": LIMITED},
            **refusals(BAD_PLACE, 404, {403: "`FORBIDDEN`, `ORG_DISABLED`, `APP_DISABLED`."}),
        },
        openapi_extra=CLIENTS,
    )
    async def release_reservation(
        org_id: OrgId,
        app_id: AppId,
        reservation_id: ReservationId,
        request: Request,
        response: Response,
    ) -> None:
        """Give a promise back that the call does not need."""
        account = await allowed(org_id, app_id, request, response)
        await keeper.reservations.release(account, reservation_id)

    async def allowed(org_id: str, app_id: str, request: Request, response: Response) -> Account:
        org_id, app_id = checked_org_id(org_id), checked_app_id(app_id)
        caller = await keeper.tokens.caller(request)
        caller.check(org_id, app_id)
        response.headers.update(
            await keeper.runtime.limits.check("reservations", caller.client_id, rate)
        )
        return await keeper.directory.account(org_id, app_id)

    return routes


def _out(made: Reserved, max_usd_micros: int) -> ReservationOut:
    reservation = made.reservation
    return ReservationOut(
        reservation_id=made.reservation_id,
        label=reservation.label,
        day=day_text(reservation.day),
        reserved_usd_micros=max_usd_micros,
        expires_at=reservation.expires_epoch,
    )
