"""``/labels``: the names that callers know, and the models behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.pricekeeper.api.places import LabelName
from tablewright.systems.pricekeeper.api.settings import label_out
from tablewright.systems.pricekeeper.bodies import LabelIn, LabelOut

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.config import Label
    from tablewright.systems.pricekeeper.service.keeper import Keeper


_BAD_LABEL = {400: "`BAD_LABEL`: it cannot be one."}


def router(keeper: Keeper) -> APIRouter:
    """The routes of labels."""
    routes = APIRouter(prefix="/api/v1/labels", tags=["labels"])
    admin = Depends(keeper.runtime.auth.require("admin"))
    anyone = Depends(keeper.runtime.auth.require())

    async def shown(label: Label) -> LabelOut:
        return label_out(label, priced=await keeper.prices.of_label(label) is not None)

    @routes.get("")
    async def list_labels(paging: Paging, _: Principal = anyone) -> PageBody[LabelOut]:
        """All labels."""
        page = await keeper.labels.page(limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [await shown(each) for each in page])

    @routes.get("/{label}", responses=refusals(_BAD_LABEL, 404))
    async def get_label(label: LabelName, _: Principal = anyone) -> LabelOut:
        """One label."""
        return await shown(await keeper.labels.get(label))

    @routes.put(
        "/{label}",
        responses={
            201: {"model": LabelOut, "description": "It is new."},
            **refusals({400: "`BAD_LABEL`, or `MALFORMED`."}),
        },
    )
    async def put_label(
        label: LabelName, body: LabelIn, response: Response, by: Principal = admin
    ) -> LabelOut:
        """Set the model behind a label; `priced` tells whether limits on it have an effect."""
        saved = await keeper.labels.put(label, body, by)
        response.status_code = 201 if saved.created else 200
        return await shown(saved.label)

    return routes
