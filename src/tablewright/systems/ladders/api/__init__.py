"""HTTP, translated: every route calls one use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.systems.ladders.service.company import Company

#: In the order in which the reference shows them.
_SUBJECTS = (
    "me",
    "tasks",
    "users",
    "teams",
    "plans",
    "assessments",
    "reports",
    "configs",
)


def routers(company: Company) -> list[APIRouter]:
    """All routes; each module has a ``router`` that makes its own."""
    from importlib import import_module

    return [import_module(f"{__name__}.{subject}").router(company) for subject in _SUBJECTS]
