"""HTTP, translated: every route calls one use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: In the order in which the reference shows them.
_SUBJECTS = (
    "overview",
    "items",
    "export",
    "stream",
    "watch",
    "alerts",
    "ingest",
    "ops",
    "sources",
    "models",
    "reanalyses",
)


def routers(newsroom: Newsroom) -> list[APIRouter]:
    """All routes; each module has a ``router`` that makes its own."""
    from importlib import import_module

    return [import_module(f"{__name__}.{subject}").router(newsroom) for subject in _SUBJECTS]
