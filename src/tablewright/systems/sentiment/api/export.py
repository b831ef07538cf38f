"""``/export``: articles for spreadsheets and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from tablewright.service.auth import Principal
from tablewright.service.limits import Rate
from tablewright.service.problem_answers import Responses, refusals
from tablewright.service.streaming import begun
from tablewright.systems.sentiment.api.asked import AskedFilter, AskedTimes
from tablewright.systems.sentiment.bodies.export import ExportedArticle
from tablewright.systems.sentiment.service.exports import MEDIA_TYPES, Format

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Each may read a hundred thousand articles.
_EXPORTS = Rate(20)
_TEXT = {"schema": {"type": "string"}}
_ANSWERS: Responses = {
    200: {
        "description": "CSV; a cell that a spreadsheet would take for a formula has a ' before it. "
        "JSON: an array. JSONL: one article on each line.",
        "content": {
            "text/csv": _TEXT,
            "application/json": {
                "schema": {"type": "array", "items": ExportedArticle.model_json_schema()}
            },
            "application/x-ndjson": _TEXT,
        },
        "headers": {"Content-Disposition": {"required": True, "schema": {"type": "string"}}},
    },
    **refusals({422: "`TOO_MANY_ROWS`: more than 100,000; `BAD_RANGE`; `INVALID`."}),
}


def router(newsroom: Newsroom) -> APIRouter:
    """The route of exports, for everybody."""
    routes = APIRouter(prefix="/api/v1", tags=["export"])
    viewer = Depends(newsroom.runtime.auth.require("viewer", "analyst", "operator", "admin"))

    @routes.get("/export", response_class=StreamingResponse, responses=_ANSWERS)
    async def export_articles(
        wanted: AskedFilter,
        times: AskedTimes,
        form: Annotated[Format, Query(alias="format", description="What to write.")] = "csv",
        authors: Annotated[bool, Query(description="With the authors' names.")] = False,
        by: Principal = viewer,
    ) -> StreamingResponse:
        """Articles with a tone, from the oldest on; without times, of the last 24 hours."""
        await newsroom.runtime.limits.check("exports", by.id, _EXPORTS)
        span = times.span(newsroom.now())
        pieces = await newsroom.exports.export(span, wanted, form, authors=authors)
        headers = {"Content-Disposition": f'attachment; filename="articles.{form}"'}
        media = MEDIA_TYPES[form]
        return StreamingResponse(await begun(pieces), media_type=media, headers=headers)

    return routes
