"""The pages of a system's API keys: listed, made, shown once, revoked. For administrators.

Their templates are the console's, in ``keys/``. A system says where they are::

    place = KeyPlace("/sentiment/access", ("Access", "/sentiment/access"), least="ingest")
    router(runtime, pages, place, prefix="/access")
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth.key_routes import NewApiKey
from tablewright.service.auth.principal import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.kit.entities import ApiKey
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.service.runtime import Runtime

_LISTED = 25


@dataclass(frozen=True)
class KeyPlace:
    """Where the keys of a system are."""

    #: Of their own list, with the system's name.
    path: str
    #: The page that they belong to: its title and where it is.
    home: tuple[str, str]
    #: The role that is offered first: the least of them.
    least: str

    @property
    def crumbs(self) -> list[tuple[str, str]]:
        return [self.home]


@dataclass(frozen=True)
class KeyList:
    """Some of the keys, and where the others are."""

    keys: list[ApiKey]
    place: KeyPlace
    more: str
    now: datetime

    def state(self, key: ApiKey) -> str:
        if key.revoked_at is not None:
            return "revoked"
        return "ended" if key.expires_at is not None and key.expires_at <= self.now else "good"


async def key_list(runtime: Runtime, place: KeyPlace, cursor: str | None = None) -> KeyList:
    """The keys of the system, revoked ones too."""
    page = await runtime.auth.api_keys.list(limit=_LISTED, cursor=cursor)
    more = f"{place.path}?{urlencode({'cursor': page.cursor})}" if page.cursor else ""
    return KeyList(list(page), place, more, _now(runtime))


def router(runtime: Runtime, pages: Pages, place: KeyPlace, *, prefix: str) -> APIRouter:
    """``prefix`` is the place's path below the system."""
    routes = APIRouter(prefix=prefix)
    admin = Depends(runtime.auth.require("admin"))
    api_keys = runtime.auth.api_keys

    @routes.get("")
    async def listed(
        request: Request, cursor: str | None = None, who: Principal = admin
    ) -> Response:
        found = await key_list(runtime, place, cursor)
        at_home = place.path == place.home[1]
        crumbs = [] if at_home else place.crumbs
        title = place.home[0] if at_home else "API keys"
        return pages.render(request, "keys/list.html", found=found, title=title, crumbs=crumbs)

    def asked(
        request: Request, *, problem: Problem | None = None, values: Typed | None = None
    ) -> Response:
        return pages.render(
            request,
            "keys/form.html",
            status=problem.status if problem else 200,
            roles=runtime.auth.roles,
            place=place,
            problem=problem,
            values=values,
            crumbs=place.crumbs,
        )

    @routes.get("/new")
    async def new(request: Request, who: Principal = admin) -> Response:
        return asked(request)

    @routes.post("/new")
    async def create(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        try:
            body = _read(values)
            ends = _now(runtime) + timedelta(days=body.days) if body.days else None
            key, text = await api_keys.create(who, name=body.name, roles=body.roles, ends_at=ends)
        except Problem as problem:
            return asked(request, problem=problem, values=values)
        shown = {"key": key, "text": text, "place": place, "crumbs": place.crumbs}
        return pages.render(request, "keys/made.html", status=201, **shown)

    @routes.post("/{key_id}/revoke")
    async def revoke(request: Request, key_id: str, who: Principal = admin) -> Response:
        gone = await api_keys.revoke(who, key_id)
        message = f"The key {gone.name} is revoked; within half a minute no process accepts it."
        return pages.done(request, place.home[1], message, tone="info")

    return routes


def _read(values: Typed) -> NewApiKey:
    role, days = values.get("roles", ""), values.get("days") or None
    given = {"name": values.get("name", ""), "roles": [role] if role else [], "days": days}
    return built(NewApiKey, given)


def _now(runtime: Runtime) -> datetime:
    return datetime.fromtimestamp(runtime.clock.now(), UTC)
