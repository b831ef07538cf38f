"""HTTP, translated: every route calls one use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: In the order in which the reference shows them.
_SUBJECTS = (
    "organizers",
    "public",
    "public_submissions",
    "hackathons",
    "submissions",
    "jobs",
    "costs",
    "scorecards",
    "standings",
    "judges",
    "judging",
    "results",
)


def routers(courtroom: Courtroom) -> list[APIRouter]:
    """All routes; each module has a ``router`` that makes its own."""
    from importlib import import_module

    return [import_module(f"{__name__}.{subject}").router(courtroom) for subject in _SUBJECTS]
