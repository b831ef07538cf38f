"""The events: one's own first, then all; nobody has to sign in to look."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.kurukshetra.events import Seats
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import EventFrame, Standing, standing
from tablewright.systems.kurukshetra.service.people import MyEvent

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_LISTED: Final = 24


@dataclass(frozen=True)
class EventLine:
    """An event of the list."""

    event: EventFrame
    seats: Seats
    standing: Standing

    def order(self) -> tuple[bool, datetime]:
        """What comes next first, and what is over at the end."""
        return self.standing == "past", self.event.config.event_start


@dataclass(frozen=True)
class OwnLine:
    """An event that somebody takes part in, or works at."""

    event: EventFrame
    own: MyEvent

    @property
    def path(self) -> str:
        """Where they go on."""
        event_id = self.event.event_id
        if self.own.person is not None:
            return paths.team_path(event_id)
        if not self.own.roles:
            return paths.register_path(event_id)
        doors = self.own.roles <= {"volunteer"}
        return paths.door_path(event_id) if doors else paths.admin_path(event_id)

    @property
    def words(self) -> str:
        """What they are there, in a few words."""
        person = self.own.person
        if person is not None:
            return f"Team {person.team_name}" if person.team_name else "Found a team, or join one"
        if not self.own.roles:
            return "Go on registering"
        return ", ".join(sorted(self.own.roles)).capitalize()


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter()
    auth, events = festival.runtime.auth, festival.events

    async def line(event_id: str) -> EventLine:
        found = await events.public(event_id, drafts=True)
        where = standing(found.config, found.seats, festival.now())
        return EventLine(EventFrame(found.config), found.seats, where)

    async def mine(who: Principal) -> list[OwnLine]:
        """Where somebody takes part or works; a form that is not sent yet counts, too."""
        me = await festival.people.me(await festival.access.user(who))
        configs = await asyncio.gather(*(events.config(each.event_id) for each in me.events))
        lines = zip(configs, me.events, strict=True)
        found = [OwnLine(EventFrame(config), each) for config, each in lines]
        return sorted(found, key=lambda line: line.event.config.event_start, reverse=True)

    @routes.get("/")
    async def home(request: Request, cursor: str | None = None) -> Response:
        who = await auth.principal(request)
        by_user = None if who is None else await festival.access.user(who)
        # Who plans events sees drafts and hidden ones, too.
        plans = by_user is not None and by_user.has(*paths.PLANNERS)
        page = await (events.all if plans else events.listed)(_LISTED, cursor)
        lines = await asyncio.gather(*(line(each.event_id) for each in page))
        return pages.render(
            request,
            "kurukshetra/home.html",
            lines=sorted(lines, key=EventLine.order),
            more=with_query(paths.HOME, cursor=page.cursor) if page.cursor else "",
            mine=await mine(who) if who is not None and cursor is None else [],
            plans=plans,
            new_path=paths.NEW,
            certificates=paths.CERTIFICATES,
        )

    return routes
