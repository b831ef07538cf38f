"""Pages: what the API can do, for people.

Each page is a route that calls the same use cases as the API and hands what they give to a
template; what it may show or do is decided by the same roles.

==============  ==========================================================================
``dashboard``   how much is said, in which tone, and what arrives
``item``        one article: why it has its tone, verdicts on it
``watch``       topics that are followed, and what they would find
``alerts``      rules, and what they have told
``ops``         what waits or has failed, sources and their runs, uploads
``models``      what judges, comparing and changing it; ``jobs`` are the comparisons
``keys``        API keys, for programs
==============  ==========================================================================

Beside them: ``dashboard_filters`` is what an address asks for, ``dashboard_figures`` what is
counted for it, ``live`` what arrives meanwhile, ``rows`` are lines of lists, ``paths`` says where
everything is and who may do what. ``…_forms`` change what the page of the same name shows;
``alert_chart``, ``ops_status`` and ``job_lines`` are what pages show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: What is called by a name comes before what is called by an id.
_SUBJECTS: tuple[str, ...] = (
    "dashboard",
    "item",
    "watch_forms",
    "watch",
    "alert_forms",
    "alerts",
    "uploads",
    "source_forms",
    "sources",
    "ops",
    "jobs",
    "models",
    "keys",
)

#: Who can do something sees where.
NAVIGATION: tuple[NavItem, ...] = (
    NavItem("Dashboard", "", "dashboard"),
    NavItem("Topics", "watch", "tags"),
    NavItem("Alerts", "alerts", "bell"),
    NavItem("Operations", "ops", "heart-rate-monitor", frozenset({"operator", "admin"})),
    NavItem("Models", "models", "brain", frozenset({"admin"})),
    NavItem("Access", "access", "key", frozenset({"admin"})),
)


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made: APIRouter = import_module(f"{__name__}.{subject}").router(newsroom, pages)
        routes.include_router(made)
    return routes
