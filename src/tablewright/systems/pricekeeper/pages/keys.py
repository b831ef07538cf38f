"""API keys: for programs of administrators, operators and auditors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.auth.key_routes import NewApiKey
from tablewright.service.forms import Typed, built, typed
from tablewright.service.kit.entities import ApiKey
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.bodies import iso
from tablewright.systems.pricekeeper.pages.paths import BASE, with_query

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_LISTED = 25


@dataclass(frozen=True)
class KeyList:
    """Some of the keys, and where the others are."""

    keys: list[ApiKey]
    more: str
    now: datetime

    def state(self, key: ApiKey) -> str:
        if key.revoked_at is not None:
            return "revoked"
        return "ended" if key.expires_at is not None and key.expires_at <= self.now else "good"


async def key_list(keeper: Keeper, cursor: str | None = None) -> KeyList:
    """The keys of the system, revoked ones too."""
    page = await keeper.runtime.auth.api_keys.list(limit=_LISTED, cursor=cursor)
    more = with_query(f"{BASE}/access/keys", cursor=page.cursor) if page.cursor else ""
    return KeyList(list(page), more, iso(keeper.now()))


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/access/keys")
    admin = Depends(keeper.runtime.auth.require("admin"))
    api_keys = keeper.runtime.auth.api_keys

    @routes.get("")
    async def listed(
        request: Request, cursor: str | None = None, who: Principal = admin
    ) -> Response:
        found = await key_list(keeper, cursor)
        crumbs = [("Access", f"{BASE}/access")]
        return pages.render(request, "pricekeeper/keys.html", found=found, crumbs=crumbs)

    async def asked(
        request: Request, *, problem: Problem | None = None, values: Typed | None = None
    ) -> Response:
        return pages.render(
            request,
            "pricekeeper/key_form.html",
            status=problem.status if problem else 200,
            roles=keeper.runtime.auth.roles,
            problem=problem,
            values=values,
            crumbs=[("Access", f"{BASE}/access")],
        )

    @routes.get("/new")
    async def new(request: Request, who: Principal = admin) -> Response:
        return await asked(request)

    @routes.post("/new")
    async def create(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        try:
            role, days = values.get("roles", ""), values.get("days") or None
            body = built(
                NewApiKey,
                {"name": values.get("name", ""), "roles": [role] if role else [], "days": days},
            )
            ends = iso(keeper.now()) + timedelta(days=body.days) if body.days else None
            key, text = await api_keys.create(who, name=body.name, roles=body.roles, ends_at=ends)
        except Problem as problem:
            return await asked(request, problem=problem, values=values)
        return pages.render(
            request,
            "pricekeeper/key_made.html",
            status=201,
            key=key,
            text=text,
            crumbs=[("Access", f"{BASE}/access")],
        )

    @routes.post("/{key_id}/revoke")
    async def revoke(request: Request, key_id: str, who: Principal = admin) -> Response:
        gone = await api_keys.revoke(who, key_id)
        message = f"The key {gone.name} is revoked; within half a minute no process accepts it."
        return pages.done(request, f"{BASE}/access", message, tone="info")

    return routes
