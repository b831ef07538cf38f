"""``/export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["export"])
    return routes
