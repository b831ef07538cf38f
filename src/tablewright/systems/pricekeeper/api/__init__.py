"""HTTP, translated: every route calls one use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: In the order in which the reference shows them.
_SUBJECTS = (
    "auth",
    "orgs",
    "credentials",
    "selection",
    "costs",
    "reservations",
    "aggregates",
    "override",
    "corrections",
    "export",
    "labels",
    "prices",
    "alerts",
    "audit",
)


def routers(keeper: Keeper) -> list[APIRouter]:
    """All routes; each module has a ``router`` that makes its own."""
    from importlib import import_module

    return [import_module(f"{__name__}.{subject}").router(keeper) for subject in _SUBJECTS]
