"""Routes: Saving, submitting, reopening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


def router(company: Company) -> APIRouter:
    return APIRouter(prefix="/api/v1", tags=["Assessments"])
