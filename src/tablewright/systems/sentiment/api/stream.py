"""``/stream``: what arrives, as it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Header, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.bodies.live import STREAM

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

LastEventId = Annotated[
    str | None,
    Header(description="The id of the last event you have seen: you get all since, once each."),
]


def router(newsroom: Newsroom) -> APIRouter:
    """The stream; ``POST /stream-token``, which every system has, gives tokens for its address."""
    routes = APIRouter(prefix="/api/v1", tags=["live"])
    auth = newsroom.runtime.auth
    viewer = Depends(auth.require_stream("viewer", "analyst", "operator", "admin"))

    @routes.get(
        "/stream",
        response_class=Response,
        responses={
            200: STREAM,
            **refusals(401, 403, {429: "`STREAM_LIMIT`: 100 in a process, 5 of one person."}),
        },
    )
    async def stream(
        request: Request, last_event_id: LastEventId = None, by: Principal = viewer
    ) -> Response:
        """A snapshot, then items, metrics and alerts as they come; a heartbeat every 15 s."""
        return newsroom.live.stream(request, by)

    return routes
