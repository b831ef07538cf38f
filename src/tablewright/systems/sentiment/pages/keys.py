"""API keys: for programs that send articles, and for those that read or look after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from tablewright.service.auth import key_pages
from tablewright.service.pages import Pages
from tablewright.systems.sentiment.pages.paths import BASE

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

KEYS = key_pages.KeyPlace(f"{BASE}/access", home=("Access", f"{BASE}/access"), least="ingest")


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    return key_pages.router(newsroom.runtime, pages, KEYS, prefix="/access")
