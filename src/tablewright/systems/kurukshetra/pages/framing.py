"""What all pages of one event have in common: its name, its money, and its clock.

Templates of what participants see begin with ``{% extends "kurukshetra/_event.html" %}`` and have
the blocks that all pages have. ``event`` says everything as people at the event would.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.systems.kurukshetra.events import Config, Seats
from tablewright.systems.kurukshetra.pages import paths, writing
from tablewright.systems.kurukshetra.rules import windows

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.pages import Pages

#: Where an event stands, for those who might take part.
Standing: TypeAlias = Literal["open", "full", "not_yet", "closed", "over", "running", "past"]


@dataclass(frozen=True)
class EventFrame:
    """An event, in words."""

    config: Config

    @property
    def event_id(self) -> str:
        return self.config.event_id

    @property
    def name(self) -> str:
        return self.config.event_name

    @property
    def path(self) -> str:
        return paths.event_path(self.event_id)

    @property
    def fee(self) -> str:
        return self.money(self.config.team_fee) if self.config.team_fee else "Free"

    @property
    def dates(self) -> str:
        return writing.local_span(self.config.event_start, self.config.event_end, self.config.zone)

    @property
    def size(self) -> str:
        """``2 to 4 people``."""
        least, most = self.config.min_team_size, self.config.max_team_size
        people = "person" if most == 1 else "people"
        return f"{most} {people}" if least == most else f"{least} to {most} {people}"

    def money(self, amount: int, currency: str = "") -> str:
        return writing.money(amount, currency or self.config.currency)

    def local(self, moment: datetime) -> str:
        """By the clock at the event's place."""
        return writing.local(moment, self.config.zone)

    def day(self, moment: datetime) -> str:
        return writing.local_date(moment, self.config.zone)

    @property
    def tracks(self) -> list[tuple[str, str]]:
        """To choose from: how each is kept, and what it is called."""
        return [(each, self.track(each)) for each in self.config.tracks]

    def track(self, slug: str) -> str:
        return writing.track_name(slug)

    def method(self, method: str | None) -> str:
        """How somebody has paid."""
        return writing.method_name(method)


def standing(config: Config, seats: Seats, now: datetime) -> Standing:
    """What a visitor wants to know first."""
    if now > config.event_end:
        return "past"
    phase = windows.phase(seats, now)
    if phase == "open":
        return "full" if seats.free <= 0 or seats.waiting > 0 else "open"
    return "running" if now >= config.event_start else phase


def crumbs_of(event: EventFrame, *more: tuple[str, str]) -> list[tuple[str, str]]:
    """The way to a page of an event, without the page itself."""
    return [(event.name, event.path), *more]


def shown(
    pages: Pages,
    request: Request,
    template: str,
    config: Config,
    *,
    status: int = 200,
    **context: object,
) -> Response:
    """A page of an event."""
    event = EventFrame(config)
    given: dict[str, object] = {"event": event, "crumbs": crumbs_of(event)}
    return pages.render(request, template, status=status, **{**given, **context})
