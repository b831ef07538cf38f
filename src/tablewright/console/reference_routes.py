"""The page about a system's REST API."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

from tablewright.console.reference import GroupView, groups
from tablewright.console.tools import Tools
from tablewright.service.problems import not_found


def reference_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    made: dict[str, list[GroupView]] = {}

    async def page(request: Request) -> Response:
        await tools.admit(request)
        url = tools.runtime.settings.url
        if url not in made:
            app = _app(request, tools.system.name)
            made[url] = await asyncio.to_thread(lambda: groups(app.openapi(), url))
        return tools.pages.render(
            request,
            "api.html",
            groups=made[url],
            count=sum(len(group.operations) for group in made[url]),
            openapi=f"/{tools.system.name}/openapi.json",
        )

    router.add_api_route("/api", page, methods=["GET"])
    return router


def _app(request: Request, name: str) -> FastAPI:
    """The system's own app, which knows its document."""
    for route in request.app.routes:
        app = getattr(route, "app", None)
        if getattr(route, "name", None) == name and isinstance(app, FastAPI):
            return app
    raise not_found("system")
