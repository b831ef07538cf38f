"""Files of records, as people send them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.api.ingest import take_file
from tablewright.systems.sentiment.pages.ops import OPS, overview

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Bad lines that the page names; the others are counted.
_SHOWN_ERRORS = 20


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/ops/upload")
    operator = Depends(newsroom.runtime.auth.require("operator", "admin"))

    @routes.post("")
    async def upload(request: Request, who: Principal = operator) -> Response:
        async with request.form(max_files=1, max_fields=10) as form:
            try:
                done = await take_file(newsroom, form, form.get("as_published") == "1")
            except Problem as problem:
                return await overview(newsroom, pages, request, who, problem=problem)
        return pages.render(
            request,
            "sentiment/ops_upload.html",
            upload=done,
            errors=done.errors[:_SHOWN_ERRORS],
            crumbs=[("Operations", OPS)],
        )

    return routes
