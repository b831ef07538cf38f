"""API keys of everybody, for administrators; organisers have their own in the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from tablewright.service.auth import key_pages
from tablewright.service.pages import Pages
from tablewright.systems.vibejudge.pages.paths import BASE

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

KEYS = key_pages.KeyPlace(f"{BASE}/access", home=("Access", f"{BASE}/access"), least="organizer")


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    return key_pages.router(courtroom.runtime, pages, KEYS, prefix="/access")
