"""One source: its runs; reading it now, pausing it, resuming it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.pages.ops import OPS
from tablewright.systems.sentiment.pages.ops_status import source_line, source_path
from tablewright.systems.sentiment.pages.paths import Rights

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_LISTED = 25


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/ops/sources/{name}")
    operator = Depends(newsroom.runtime.auth.require("operator", "admin"))
    sources = newsroom.sources

    @routes.get("")
    async def source(
        request: Request, name: str, cursor: str | None = None, who: Principal = operator
    ) -> Response:
        standing = await sources.get(name)
        runs = await sources.runs_of(name, _LISTED, cursor)
        more = with_query(source_path(name), cursor=runs.cursor) if runs.cursor else ""
        return pages.render(
            request,
            "sentiment/source.html",
            line=source_line(newsroom, standing, next(iter(runs), None)),
            runs=list(runs),
            more=more,
            may=Rights.of(who),
            crumbs=[("Operations", OPS)],
        )

    @routes.post("/run")
    async def run(request: Request, name: str, who: Principal = operator) -> Response:
        try:
            await sources.run_now(name, who)
        except Problem as problem:
            # It was fine when the page was shown; now it is not.
            if problem.status != 409:
                raise
            return pages.done(request, OPS, problem.detail, tone="warning")
        return pages.done(request, OPS, f"{name} is being read; its run is the first in the list.")

    @routes.post("/pause")
    async def pause(request: Request, name: str, who: Principal = operator) -> Response:
        await sources.pause(name, who)
        return pages.done(request, OPS, f"{name} is paused: it is not read any more.", tone="info")

    @routes.post("/resume")
    async def resume(request: Request, name: str, who: Principal = operator) -> Response:
        await sources.resume(name, who)
        return pages.done(request, OPS, f"{name} is read again.")

    return routes
