"""HTTP, translated: every route calls one use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.systems.kurukshetra.service.festival import Festival

#: In the order in which the reference shows them.
_SUBJECTS = (
    "events",
    "registration",
    "teams",
    "checkout",
    "payments",
    "refunds",
    "tickets",
    "organising",
    "admin",
    "mail",
)


def routers(festival: Festival) -> list[APIRouter]:
    """All routes; each module has a ``router`` that makes its own."""
    from importlib import import_module

    return [import_module(f"{__name__}.{subject}").router(festival) for subject in _SUBJECTS]
