"""The console in a process: what :func:`tablewright.service.app.assemble` takes as its front."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from tablewright.console.assets import PREFIX, Assets
from tablewright.console.capacity_routes import capacity_routes
from tablewright.console.explorer.browse_routes import browse_routes
from tablewright.console.explorer.item_routes import item_routes
from tablewright.console.explorer.model_routes import model_routes
from tablewright.console.explorer.plan_routes import plan_routes
from tablewright.console.explorer.practice import EmptyDatabase, Practice
from tablewright.console.explorer.review_routes import review_routes
from tablewright.console.explorer.run_routes import run_routes
from tablewright.console.explorer.views import demo_of
from tablewright.console.frame import TOOLS, Place
from tablewright.console.home_routes import home_routes
from tablewright.console.reference_routes import reference_routes
from tablewright.console.renderer import Renderer
from tablewright.console.session_routes import session_routes
from tablewright.console.tools import Tools
from tablewright.console.visitors import Visitors
from tablewright.model.demo import Demo
from tablewright.model.model import Model
from tablewright.service.exchange import request_id_of
from tablewright.service.problems import Problem
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings
from tablewright.service.system import Parts, System

if TYPE_CHECKING:
    from tablewright.service.pages import Pages

Area: TypeAlias = Callable[[Tools], APIRouter]

_HEADINGS = {
    400: "That cannot be read",
    403: "You may not do that",
    404: "There is nothing here",
    405: "That is not possible here",
    409: "That does not fit together",
    412: "Somebody was quicker",
    422: "Something is not right",
    429: "That was too often",
    503: "Not available just now",
}
#: The pages about a model, each area by itself; and those about a system that runs.
MODEL_AREAS: tuple[Area, ...] = (
    model_routes,
    item_routes,
    review_routes,
    plan_routes,
    run_routes,
    browse_routes,
)
SYSTEM_AREAS: tuple[Area, ...] = (
    *MODEL_AREAS,
    capacity_routes,
    reference_routes,
    session_routes,
)
#: Files under hashed names never change.
_FOREVER = "public, max-age=31536000, immutable"
#: The weight of a coding that is named to be ruled out.
_UNWANTED = re.compile(r"q\s*=\s*0(\.0*)?")


class Console:
    """The front of a process."""

    areas = SYSTEM_AREAS

    def __init__(
        self,
        systems: Mapping[System, tuple[Runtime, Parts]],
        settings: Settings,
        assets: Assets | None = None,
        empty: EmptyDatabase | None = None,
    ) -> None:
        first = next(iter(systems.values()), None)
        self._systems = systems
        self._settings = settings
        self._assets = assets or Assets()
        self._empty = empty
        self._visitors = Visitors(None if first is None else first[0].auth.identity)
        self._brought = {system.name: parts for system, (_, parts) in systems.items()}
        self._places = [self._place(system, parts) for system, (_, parts) in systems.items()]
        self._renderer = Renderer(
            self._places,
            {name: parts.templates for name, parts in self._brought.items() if parts.templates},
            self._assets,
            self._visitors.visit,
            local=settings.local,
            https=settings.https,
        )

    @property
    def pages(self) -> Pages:
        return self._renderer

    @property
    def assets_missing(self) -> bool:
        """Whether pages can only say that they cannot be shown."""
        return bool(self._assets.missing)

    def install(self, parent: FastAPI) -> None:
        """Add the routes that belong to no system."""
        parent.include_router(_asset_routes(self._assets))
        parent.include_router(self._home())
        for system, (runtime, _) in self._systems.items():
            tools = self._tools(system, runtime)
            for make in self.areas:
                parent.include_router(make(tools), prefix=tools.base)

    def _place(self, system: System, parts: Parts) -> Place:
        return Place(system, parts.navigation if parts.pages else None)

    def _home(self) -> APIRouter:
        return home_routes(
            self._places, self._brought, self._renderer, self._visitors, self._settings
        )

    def _tools(self, system: System, runtime: Runtime) -> Tools:
        return Tools(system, runtime, self._renderer, self._practice(system.model, demo_of(system)))

    def _practice(self, model: Model, demo: Demo | None) -> Practice | None:
        return None if self._empty is None else Practice(model, demo, self._empty)

    def reference(self, system: str) -> str:
        """The path of the page about a system's API."""
        return f"{TOOLS}/{system}/api"

    def problem(self, request: Request, problem: Problem) -> Response | None:
        """The problem as a page; None for the API, which answers with documents."""
        path = request.url.path
        if not _for_people(path):
            return None
        if problem.status == 401:
            return RedirectResponse(f"/sign-in?next={quote(_here(request), safe='')}", 303)
        if problem.leads_to:
            return RedirectResponse(problem.leads_to, 303)
        response = self._renderer.render(
            request,
            "error.html",
            status=problem.status,
            refusal=problem,
            heading=_HEADINGS.get(problem.status, "Something went wrong"),
            here=_here(request),
            request_id=request_id_of(request.scope),
        )
        response.headers.update(problem.headers)
        return response


def _for_people(path: str) -> bool:
    words = path.strip("/").split("/")
    return not (words[1:2] == ["api"] and words[0] != TOOLS.strip("/")) and words[0] not in (
        "health",
        "metrics",
        PREFIX.strip("/"),
    )


def _here(request: Request) -> str:
    """Where to come back to; only what can be asked for again."""
    if request.method not in ("GET", "HEAD"):
        return "/"
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}{query}"


def _takes_gzip(accepted: str) -> bool:
    for entry in accepted.lower().split(","):
        name, _, weight = entry.partition(";")
        if name.strip() == "gzip":
            return _UNWANTED.fullmatch(weight.strip()) is None
    return False


def _asset_routes(assets: Assets) -> APIRouter:
    router = APIRouter()

    async def file(request: Request, name: str) -> Response:
        found = assets.file(name)
        if found is None:
            raise Problem(404, "NOT_FOUND", "There is no such file.")
        headers = {"Cache-Control": _FOREVER, "Vary": "Accept-Encoding"}
        if _takes_gzip(request.headers.get("accept-encoding", "")):
            headers["Content-Encoding"] = "gzip"
            return Response(found.packed, headers=headers, media_type=found.media_type)
        return Response(found.content, headers=headers, media_type=found.media_type)

    router.add_api_route(PREFIX + "/{name}", file, methods=["GET", "HEAD"])
    return router
