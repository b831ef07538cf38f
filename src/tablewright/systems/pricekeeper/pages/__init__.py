"""Pages: what the API can do, for people.

Each page is a route that calls the same use cases as the API and hands what they give to a
template; what it may show or do is decided by the same roles.

==============  ==========================================================================
``overview``    what is spent right now, everywhere
``orgs``        organisations: how they stand, overrides; ``org_forms`` changes them
``apps``        apps: their chain, checks; ``app_forms`` changes them
``usage``       a day's table and exports; ``records`` looks one up and corrects it
``prices``      what models cost, and since when; ``labels``, ``repricing``
``access``      clients and their secrets; ``keys`` are those of administrators' programs
``audit``       who did what
==============  ==========================================================================

Beside them: ``standing`` and ``history`` are what pages show, ``live`` keeps it up to date,
``forms`` and ``limit_table`` read what people type, ``paths`` says where everything is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: What is called by a name comes before what is called by an id.
_SUBJECTS = (
    "overview",
    "org_forms",
    "orgs",
    "app_forms",
    "apps",
    "usage",
    "records",
    "labels",
    "repricing",
    "prices",
    "access",
    "keys",
    "audit",
)

#: Who can do something sees where.
NAVIGATION = (
    NavItem("Overview", "", "gauge"),
    NavItem("Organisations", "orgs", "building"),
    NavItem("Usage", "usage", "report-analytics"),
    NavItem("Prices", "prices", "tag"),
    NavItem("Access", "access", "key", frozenset({"admin"})),
    NavItem("Audit log", "audit", "history", frozenset({"admin", "auditor"})),
)


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made: APIRouter = import_module(f"{__name__}.{subject}").router(keeper, pages)
        routes.include_router(made)
    return routes
