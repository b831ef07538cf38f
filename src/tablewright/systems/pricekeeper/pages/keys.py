"""API keys: for programs of administrators, operators and auditors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from tablewright.service.auth import key_pages
from tablewright.service.pages import Pages
from tablewright.systems.pricekeeper.pages.paths import BASE

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

KEYS = key_pages.KeyPlace(f"{BASE}/access/keys", home=("Access", f"{BASE}/access"), least="auditor")


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    return key_pages.router(keeper.runtime, pages, KEYS, prefix="/access/keys")
