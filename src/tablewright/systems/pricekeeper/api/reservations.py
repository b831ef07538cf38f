"""``…/reservations``: spend that is promised to a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from tablewright.service.limits import Rate
from tablewright.systems.pricekeeper.bodies import ReservationIn, ReservationOut, day_text
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_label, checked_org_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.rules.account import Account
    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.service.reservations import Reserved


#: What the documentation says of routes that check the token themselves.
_TOKEN: dict[str, Any] = {"security": [{"bearer": []}]}


def router(keeper: Keeper) -> APIRouter:
    """The routes of reservations, for clients."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}/apps/{app_id}", tags=["reservations"])
    rate = Rate(per_minute=keeper.runtime.options(Options).records_per_minute)

    @routes.post("/reservations", status_code=201, openapi_extra=_TOKEN)
    async def reserve(
        org_id: str, app_id: str, body: ReservationIn, request: Request, response: Response
    ) -> ReservationOut:
        """Promise spend to a call, if every limit has room for it; 409 LIMIT otherwise."""
        account = await allowed(org_id, app_id, request, response)
        label = checked_label(body.label)
        made = await keeper.reservations.reserve(account, label, body.max_usd_micros, body.ttl_secs)
        return _out(made, body.max_usd_micros)

    @routes.delete("/reservations/{reservation_id}", status_code=204, openapi_extra=_TOKEN)
    async def release(
        org_id: str, app_id: str, reservation_id: str, request: Request, response: Response
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
