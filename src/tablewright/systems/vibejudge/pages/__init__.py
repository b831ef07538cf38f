"""The pages: the same use cases as the API, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_ORGANIZERS = frozenset({"organizer", "admin"})

#: Who can do something sees where; the gallery is everybody's.
NAVIGATION: tuple[NavItem, ...] = (
    NavItem("Hackathons", "hackathons", "trophy", _ORGANIZERS),
    NavItem("Judge desk", "desk", "gavel", frozenset({"judge"})),
    NavItem("Gallery", "gallery", "world", public=True),
    NavItem("Settings", "settings", "settings", _ORGANIZERS),
    NavItem("Access", "access", "key", frozenset({"admin"})),
)

#: In the order in which paths are tried.
_SUBJECTS: tuple[str, ...] = ()


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made = import_module(f"{__name__}.{subject}").router(courtroom, pages)
        routes.include_router(made)
    return routes
