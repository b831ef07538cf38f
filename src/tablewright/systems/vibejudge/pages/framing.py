"""What all pages of one hackathon have in common: its name, its state, and the way to the others.

Their templates begin with ``{% extends "vibejudge/_hackathon.html" %}`` and have the blocks
``lead``, ``actions`` and ``content`` that all pages have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.vibejudge.pages.paths import HACKATHONS, TABS, hackathon_path, tab_path

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.pages import Pages
    from tablewright.systems.vibejudge.entities import HackathonDetail


@dataclass(frozen=True)
class Tab:
    """A page of a hackathon."""

    title: str
    path: str
    current: bool


def tabs_of(hack_id: str, current: str) -> list[Tab]:
    base = hackathon_path(hack_id)
    return [Tab(title, base + rest, title == current) for title, rest in TABS]


def crumbs_of(hackathon: HackathonDetail, tab: str, heading: object) -> list[tuple[str, str]]:
    """The way to a page of a hackathon, without the page itself."""
    way = [("Hackathons", HACKATHONS)]
    if heading or tab != "Overview":
        way.append((hackathon.name, hackathon_path(hackathon.hack_id)))
    return [*way, (tab, tab_path(hackathon.hack_id, tab))] if heading else way


def shown(
    pages: Pages,
    request: Request,
    template: str,
    hackathon: HackathonDetail,
    tab: str,
    *,
    status: int = 200,
    **context: object,
) -> Response:
    """A page of a hackathon, below one of its tabs. ``heading`` is for pages deeper than a tab."""
    given: dict[str, object] = {
        "hackathon": hackathon,
        "here": hackathon_path(hackathon.hack_id),
        "tab": tab,
        "tabs": tabs_of(hackathon.hack_id, tab),
        "heading": "",
        "crumbs": crumbs_of(hackathon, tab, context.get("heading")),
    }
    return pages.render(request, template, status=status, **{**given, **context})
