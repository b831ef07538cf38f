"""What all pages of who runs an event have in common: its name, its state, the way to the others.

Their templates begin with ``{% extends "kurukshetra/_backstage.html" %}`` and have the blocks
``lead``, ``actions`` and ``content`` that all pages have. Which of them somebody may see is decided
here, by the roles that the use cases ask for as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.pages.framing import EventFrame
from tablewright.systems.kurukshetra.pages.paths import (
    HOME,
    admin_path,
    door_path,
    event_path,
)
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.rules import windows

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.pages import Pages
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Who runs an event, in whatever part.
STAFF: Final[tuple[RoleName, ...]] = ("organizer", "finance", "auditor", "admin")
ORGANIZERS: Final[tuple[RoleName, ...]] = ("organizer", "admin")
#: Money is seen by who decides about it, and by who looks back on it.
BOOKS: Final[tuple[RoleName, ...]] = ("finance", "organizer", "auditor", "admin")
FINANCE: Final[tuple[RoleName, ...]] = ("finance", "admin")
#: One of them, with all that the gateway tells.
READS_PAYMENTS: Final[tuple[RoleName, ...]] = ("finance", "auditor", "admin")
#: People are not finance's.
LISTS: Final[tuple[RoleName, ...]] = ("organizer", "auditor", "admin")
AUDITORS: Final[tuple[RoleName, ...]] = ("auditor", "organizer", "admin")
DOOR: Final[tuple[RoleName, ...]] = ("volunteer", "organizer", "admin")


@dataclass(frozen=True)
class Tab:
    """A page that the others lead to."""

    title: str
    #: What follows the path of the overview.
    rest: str
    roles: tuple[RoleName, ...]


TABS: Final = (
    Tab("Overview", "", STAFF),
    Tab("Registrations", "/registrations", LISTS),
    Tab("Payments", "/payments", BOOKS),
    Tab("Reconcile", "/reconcile", (*FINANCE, "auditor")),
    Tab("Waitlist", "/waitlist", LISTS),
    Tab("Certificates", "/certificates", ORGANIZERS),
    Tab("Handover", "/handover", ORGANIZERS),
    Tab("Set-up", "/setup", ORGANIZERS),
    Tab("Audit", "/audit", AUDITORS),
)


class Roles(Protocol):
    """Somebody at an event."""

    def has(self, *roles: RoleName) -> bool: ...


@dataclass(frozen=True)
class TabLink:
    title: str
    path: str
    current: bool


def tab_path(event_id: str, title: str) -> str:
    """``tab_path(e, "Payments")``."""
    return admin_path(event_id, next(each.rest for each in TABS if each.title == title))


def tabs_of(event_id: str, by: Roles, current: str) -> list[TabLink]:
    """Those that somebody may see."""
    return [
        TabLink(each.title, admin_path(event_id, each.rest), each.title == current)
        for each in TABS
        if by.has(*each.roles)
    ]


def crumbs_of(event: EventFrame, tab: str, heading: object) -> list[tuple[str, str]]:
    """The way to a page, without the page itself."""
    way = [("Events", HOME), (event.name, event_path(event.event_id))]
    if heading or tab != "Overview":
        way.append(("Running it", admin_path(event.event_id)))
    return [*way, (tab, tab_path(event.event_id, tab))] if heading else way


class Backstage:
    """Draws these pages."""

    def __init__(self, festival: Festival, pages: Pages) -> None:
        self._festival = festival
        self._pages = pages

    async def shown(
        self, request: Request, template: str, by: Caller, tab: str, **context: object
    ) -> Response:
        """A page below one of the tabs. ``heading`` is for pages deeper than a tab.

        Its status is that of its problem, or what ``status`` says.
        """
        config = await self._festival.events.config(by.event_id)
        problem, said = context.get("problem"), context.pop("status", None)
        status = problem.status if isinstance(problem, Problem) else 200
        given = {**self._around(config, by, tab, context.get("heading")), **context}
        status = said if isinstance(said, int) else status
        return self._pages.render(request, template, status=status, **given)

    def _around(self, config: Config, by: Caller, tab: str, heading: object) -> dict[str, object]:
        event = EventFrame(config)
        return {
            "event": event,
            "here": admin_path(config.event_id),
            "door": door_path(config.event_id) if by.has(*DOOR) else "",
            "by": by,
            "tab": tab,
            "tabs": tabs_of(config.event_id, by, tab),
            "phase": windows.phase(config, self._festival.now()),
            "past": self._festival.now() > config.event_end,
            "heading": "",
            "crumbs": crumbs_of(event, tab, heading),
        }
