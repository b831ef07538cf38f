"""``/events``: what there is, and what everybody may know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.kurukshetra.api.callers import EventId, user_of, visitor_of
from tablewright.systems.kurukshetra.bodies.events import (
    ConfigOut,
    EventIn,
    EventRow,
    HealthOut,
    PublicOut,
    TracksOut,
    config_out,
    event_row,
    public_out,
)
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_CREATED: Responses = {
    201: {"headers": ETAG},
    **refusals(403, {409: "`EVENT_EXISTS`."}),
}


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Events"], route_class=idempotent(festival.runtime))
    events, visitor = festival.events, Depends(visitor_of(festival))
    user = Depends(user_of(festival))

    @routes.get("/health", responses=refusals(503))
    async def health() -> HealthOut:
        """Whether the events can be read."""
        await events.all(limit=1)
        return HealthOut()

    @routes.get("/events", dependencies=[visitor], responses=refusals(429))
    async def list_events(paging: Paging) -> PageBody[EventRow]:
        """The public events, by their ids. A page may be short, and another follows it."""
        page = await events.listed(paging.limit, paging.cursor)
        return page_body(page, [event_row(each) for each in page])

    @routes.post("/events", status_code=201, responses=_CREATED)
    async def create_event(body: EventIn, response: Response, by: Caller = user) -> ConfigOut:
        """A new event, with all of its seats free. For organisers of all events."""
        made = await events.create(by, body)
        response.headers["ETag"] = etag(made.config.version)
        return config_out(made.config)

    @routes.get("/events/{e}/config", dependencies=[visitor], responses=refusals(404, 429))
    async def get_event(e: EventId) -> PublicOut:
        """What everybody may know: when, how much, how many seats are left, what is asked."""
        return public_out(await events.public(e))

    @routes.get("/events/{e}/tracks", dependencies=[visitor], responses=refusals(404, 429))
    async def get_tracks(e: EventId) -> TracksOut:
        """What teams choose from."""
        return TracksOut(tracks=list((await events.public(e)).config.tracks))

    return routes
