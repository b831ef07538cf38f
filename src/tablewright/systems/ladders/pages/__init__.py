"""Pages: what the API can do, for people.

Each page is a route that calls the same use cases as the API and hands what they give to a
template; what it may show or do is decided by the same rights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.ladders.service.company import Company

#: Who may do what on them is decided there.
NAVIGATION: tuple[NavItem, ...] = (
    NavItem("My tasks", "", "checklist", signed_in=True),
    NavItem("Growth", "growth", "target", signed_in=True),
    NavItem("History", "history", "timeline", signed_in=True),
    NavItem("The ladder", "ladder", "ladder", signed_in=True),
)

#: What is called by a name comes before what is called by an id.
_SUBJECTS: tuple[str, ...] = (
    "home",
    "assessment",
    "report",
    "growth",
    "history",
    "ladder",
)


def router(company: Company, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made = import_module(f"{__name__}.{subject}").router(company, pages)
        routes.include_router(made)
    return routes
