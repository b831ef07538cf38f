"""``/prices``: what models cost, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.auth import Principal
from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.problem_answers import refusals
from tablewright.systems.pricekeeper.api.places import ModelId
from tablewright.systems.pricekeeper.api.settings import pending_out, price_out
from tablewright.systems.pricekeeper.bodies import (
    ImportOut,
    ModelOut,
    PendingPriceOut,
    PriceDecision,
    PriceImport,
    PriceIn,
    PriceOut,
    PricesOut,
)
from tablewright.systems.pricekeeper.rules.ids import checked_model_id
from tablewright.systems.pricekeeper.service.price_changes import PriceKey

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


def router(keeper: Keeper) -> APIRouter:
    """The routes of prices. Those with a name of their own come before those of a model."""
    routes = APIRouter(prefix="/api/v1", tags=["prices"])
    routes.include_router(_changes(keeper))
    routes.include_router(_models(keeper))
    return routes


def _changes(keeper: Keeper) -> APIRouter:
    routes = APIRouter(prefix="/prices", route_class=idempotent(keeper.runtime))
    admin = Depends(keeper.runtime.auth.require("admin"))
    anyone = Depends(keeper.runtime.auth.require())

    @routes.get("/pending")
    async def list_pending_prices(_: Principal = anyone) -> list[PendingPriceOut]:
        """The prices that wait for approval: by more than half another, or set by hand before."""
        return [pending_out(each) for each in await keeper.prices.changes.waiting()]

    @routes.post(
        "/pending/approve",
        responses=refusals(404, {409: "`PRICE_CHANGED`: look again; `IN_PROGRESS`."}),
    )
    async def approve_price(body: PriceDecision, by: Principal = admin) -> PriceOut:
        """A price that waits is right, and counts."""
        return price_out(await keeper.prices.changes.approve(_key(body), by))

    @routes.post(
        "/pending/reject",
        status_code=204,
        responses=refusals(404, {409: "`PRICE_CHANGED`: look again; `IN_PROGRESS`."}),
    )
    async def reject_price(body: PriceDecision, by: Principal = admin) -> None:
        """A price that waits is wrong, and is not to be offered again."""
        await keeper.prices.changes.reject(_key(body), by)

    @routes.post("/import")
    async def import_prices(body: PriceImport, by: Principal = admin) -> ImportOut:
        """Set many prices; what cannot be set is told, and the rest is."""
        return await keeper.prices.import_rows(body.prices, by)

    @routes.post("/refresh")
    async def refresh_prices(by: Principal = admin) -> ImportOut:
        """Look at the source of prices now, and not only once a day."""
        return await keeper.prices.refresh(by)

    return routes


def _key(body: PriceDecision) -> PriceKey:
    return PriceKey(body.bedrock_model_id, body.region_class, body.service_tier)


def _models(keeper: Keeper) -> APIRouter:
    routes = APIRouter(prefix="/prices")
    admin = Depends(keeper.runtime.auth.require("admin"))
    anyone = Depends(keeper.runtime.auth.require())

    @routes.get("")
    async def list_prices(_: Principal = anyone) -> list[ModelOut]:
        """The models that have a label or ship with a price, and what they cost now."""
        return [
            ModelOut(
                bedrock_model_id=each.model_id,
                labels=list(each.labels),
                prices=[price_out(price) for price in each.prices],
            )
            for each in await keeper.prices.models()
        ]

    @routes.get("/{model_id:path}", responses=refusals(404, {400: "`BAD_MODEL_ID`."}))
    async def get_prices(model_id: ModelId, _: Principal = anyone) -> PricesOut:
        """All prices that a model has had and will have, the latest first."""
        timeline = await keeper.prices.timeline(checked_model_id(model_id))
        waiting = await keeper.prices.changes.waiting()
        return PricesOut(
            bedrock_model_id=model_id,
            items=[price_out(price) for price in reversed(timeline.prices)],
            pending=[pending_out(each) for each in waiting if each.bedrock_model_id == model_id],
        )

    @routes.put(
        "/{model_id:path}",
        responses={
            201: {"model": PriceOut, "description": "It is new."},
            **refusals(
                # No address has a line end in it.
                404,
                {
                    400: "`BAD_MODEL_ID`, or `MALFORMED`.",
                    409: "`PRICE_IN_FORCE`: records may have been reckoned with the one that is "
                    "there; `PRICE_CHANGED`.",
                },
            ),
        },
    )
    async def put_price(
        model_id: ModelId, body: PriceIn, response: Response, by: Principal = admin
    ) -> PriceOut:
        """Set a price from a moment on; what was valid before stays."""
        stored = await keeper.prices.set(checked_model_id(model_id), body, by)
        response.status_code = 201 if stored.result == "new" else 200
        return price_out(stored.price)

    return routes
