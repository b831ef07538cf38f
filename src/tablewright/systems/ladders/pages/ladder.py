"""The active ladder, for everybody to read: all of it, or what one level asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.ladders.api.callers import ConfigId, caller_of
from tablewright.systems.ladders.entities import ConfigVersion
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.assessment_parts import level_name
from tablewright.systems.ladders.pages.framing import shown
from tablewright.systems.ladders.pages.rendered import detail_html, line_html
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/ladder")
    somebody = Depends(caller_of(company))

    def page(
        request: Request, by: Caller, config: ConfigVersion, level: int | None, *, active: bool
    ) -> Response:
        ladder, here = config.parsed_config, request.url.path
        count = scores.level_count(ladder)
        chosen = level if level is not None and 1 <= level <= count else None
        numbers = range(1, count + 1)
        return shown(
            pages,
            request,
            "ladders/ladder.html",
            by,
            config=config,
            ladder=ladder,
            active=active,
            level=chosen,
            level_title=level_name(ladder, chosen),
            levels=[(each, level_name(ladder, each)) for each in numbers],
            here=here,
            level_path=lambda each: with_query(here, level=each),
            line_html=line_html,
            detail_html=detail_html,
            active_path=paths.LADDER,
        )

    @routes.get("")
    async def ladder(request: Request, level: int | None = None, by: Caller = somebody) -> Response:
        try:
            found = await company.configs.active(by)
        except Problem as problem:
            if problem.status != 404:
                raise
            context = {"versions_path": paths.VERSIONS if by.admin else ""}
            return shown(pages, request, "ladders/no_ladder.html", by, **context)
        return page(request, by, found.config, level, active=True)

    @routes.get("/{c}")
    async def version(
        request: Request, c: ConfigId, level: int | None = None, by: Caller = somebody
    ) -> Response:
        """Another version, which a review of one's own goes by."""
        config = await company.configs.read(by, c)
        return page(request, by, config, level, active=config.is_active == 1)

    return routes
