"""Pages: what the API can do, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: What is called by a name comes before what is called by an id.
_SUBJECTS: tuple[str, ...] = ()

#: Who can do something sees where.
NAVIGATION: tuple[NavItem, ...] = ()


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made: APIRouter = import_module(f"{__name__}.{subject}").router(newsroom, pages)
        routes.include_router(made)
    return routes
