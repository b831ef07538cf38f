"""Routes: Money that goes back, and our books against the gateway's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


def router(festival: Festival) -> APIRouter:
    return APIRouter(prefix="/api/v1", tags=["Refunds"])
