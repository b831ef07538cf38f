"""The pages about a system's model."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.tools import Tools
from tablewright.service.problems import not_found


def model_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    base = f"{tools.base}/model"

    async def tables(request: Request) -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        model = tools.system.model
        return tools.pages.render(
            request,
            "model/tables.html",
            base=base,
            tab="Tables",
            tables=explorer.tables,
            entity_count=len(model.entities),
            pattern_count=len(model.patterns),
            index_count=sum(len(each.indexes) for each in model.tables.values()),
        )

    async def entity(request: Request, name: str) -> Response:
        await tools.admit(request)
        found = (await tools.explored()).entities.get(name)
        if found is None:
            raise not_found("entity")
        crumbs = [("Data model", base)]
        return tools.pages.render(
            request, "model/entity.html", base=base, entity=found, crumbs=crumbs
        )

    async def patterns(request: Request) -> Response:
        await tools.admit(request)
        every = (await tools.explored()).patterns.values()
        return tools.pages.render(
            request,
            "model/patterns.html",
            base=base,
            tab="Access patterns",
            crumbs=[("Data model", base)],
            reads=[each for each in every if not each.writes],
            writes=[each for each in every if each.writes],
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
            crumbs=[("Data model", base), ("Access patterns", f"{base}/patterns")],
        )

    router.add_api_route("/model", tables, methods=["GET"])
    router.add_api_route("/model/entities/{name}", entity, methods=["GET"])
    router.add_api_route("/model/patterns", patterns, methods=["GET"])
    router.add_api_route("/model/patterns/{name}", pattern, methods=["GET"])
    return router
