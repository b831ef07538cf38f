"""The pages about a system's model."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.explorer.picture import PICTURES, PictureKind, picture_of
from tablewright.console.explorer.run_routes import run_form
from tablewright.console.tools import Tools
from tablewright.document import svg
from tablewright.service.problems import not_found


def model_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    base = f"{tools.base}/model"

    async def tables(request: Request, picture: PictureKind = "keys") -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        model = tools.system.model
        drawing = await asyncio.to_thread(picture_of, model, explorer.reviewed, base, picture)
        return tools.pages.render(
            request,
            "model/tables.html",
            base=base,
            tab="Tables",
            tables=explorer.tables,
            entity_count=len(model.entities),
            pattern_count=len(model.patterns),
            index_count=sum(len(each.indexes) for each in model.tables.values()),
            reviewed=explorer.reviewed,
            picture=picture,
            pictures=[(title, f"{base}?picture={kind}") for kind, title in PICTURES.items()],
            drawing=drawing,
        )

    async def picture_file(request: Request) -> Response:
        await tools.admit(request)
        drawing = await asyncio.to_thread(svg, tools.system.model)
        name = f"{tools.system.name}-model.svg"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(drawing, media_type="image/svg+xml", headers=headers)

    async def entity(request: Request, name: str) -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        known = explorer.entities.get(name)
        if known is None:
            raise not_found("entity")
        return tools.pages.render(
            request,
            "model/entity.html",
            base=base,
            entity=known,
            found=explorer.reviewed.at("entity", name),
            crumbs=[("Data model", base)],
        )

    async def patterns(request: Request) -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        every = explorer.patterns.values()
        return tools.pages.render(
            request,
            "model/patterns.html",
            base=base,
            tab="Access patterns",
            crumbs=[("Data model", base)],
            reads=[each for each in every if not each.writes],
            writes=[each for each in every if each.writes],
            reviewed=explorer.reviewed,
        )

    async def pattern(request: Request, name: str) -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        found = explorer.patterns.get(name)
        if found is None:
            raise not_found("access pattern")
        return tools.pages.render(
            request,
            "model/pattern.html",
            base=base,
            pattern=found,
            requests=explorer.requests(name),
            run=await run_form(tools, request, name),
            outcome=None,
            part=False,
            review_found=explorer.reviewed.at("pattern", name),
            crumbs=[("Data model", base), ("Access patterns", f"{base}/patterns")],
        )

    router.add_api_route("/model", tables, methods=["GET"])
    router.add_api_route("/model/picture.svg", picture_file, methods=["GET"])
    router.add_api_route("/model/entities/{name}", entity, methods=["GET"])
    router.add_api_route("/model/patterns", patterns, methods=["GET"])
    router.add_api_route("/model/patterns/{name}", pattern, methods=["GET"])
    return router
