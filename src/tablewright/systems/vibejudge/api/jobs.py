"""``/hackathons/{h}/analyze`` and ``/jobs``: analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


def router(courtroom: Courtroom) -> APIRouter:
    return APIRouter(prefix="/api/v1", tags=["jobs"])
