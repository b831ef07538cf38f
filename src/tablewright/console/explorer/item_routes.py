"""Pages: sample items, by partition, in a table or an index."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tablewright.console.explorer.items import Asked
from tablewright.console.tools import Tools


def item_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    base = f"{tools.base}/model"

    async def items(
        request: Request,
        table: Annotated[str, Query(max_length=255)] = "",
        index: Annotated[str, Query(max_length=255)] = "",
        entity: Annotated[str, Query(max_length=255)] = "",
        find: Annotated[str, Query(max_length=2048)] = "",
        partition: Annotated[str, Query(max_length=8192)] = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        asked = Asked(table, index, entity, find.strip(), partition, page)
        view = await asyncio.to_thread(explorer.samples.view, asked)
        return tools.pages.render(
            request,
            "model/items.html",
            base=base,
            tab="Items",
            crumbs=[("Data model", base)],
            asked=asked,
            view=view,
            tables=[(name, f"{base}/items?table={name}") for name in explorer.model.tables],
            sides=[
                (name or "Table", f"{base}/items{Asked(view.table, name).path()}")
                for name in ("", *view.indexes)
            ],
            has_demo=explorer.has_demo,
        )

    router.add_api_route("/model/items", items, methods=["GET"])
    return router
