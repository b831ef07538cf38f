"""The first page, and the one where people sign in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tablewright.console.frame import Place, seen_by
from tablewright.console.visitors import Visitors
from tablewright.service.auth.origins import safe_path
from tablewright.service.pages import Pages
from tablewright.service.settings import Settings
from tablewright.service.system import Parts, System

#: A system that does not say how it is within this time is not shown as healthy.
_PATIENCE_SECS = 2.0


@dataclass(frozen=True)
class Card:
    """A system on the first page."""

    place: Place
    #: What is wrong with it; "" nothing.
    failing: str

    @property
    def system(self) -> System:
        return self.place.system


def home_routes(
    places: Sequence[Place],
    brought: Mapping[str, Parts],
    pages: Pages,
    visitors: Visitors,
    settings: Settings,
) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    async def home(request: Request) -> Response:
        visitor = await visitors.look(request)
        if visitor is None and not settings.local:
            return RedirectResponse("/sign-in", 303)
        seen = places if visitor is None else seen_by(places, visitor)
        cards = await asyncio.gather(*(_card(place, brought[place.name]) for place in seen))
        return pages.render(request, "home.html", cards=cards)

    async def sign_in(request: Request) -> Response:
        target = safe_path(request.query_params.get("next"))
        visitor = await visitors.look(request)
        if visitor is not None:
            return RedirectResponse(target, 303)
        identity = visitors.identity
        issuer = settings.issuer
        return pages.render(
            request,
            "sign_in.html",
            users=identity.demo_users() if identity else (),
            local_action="/auth/sign-in",
            next=target,
            provider=urlsplit(issuer.url).hostname if issuer and issuer.client_id else None,
            provider_path=f"/auth/sign-in?next={quote(target, safe='')}",
        )

    router.add_api_route("/", home, methods=["GET"])
    router.add_api_route("/sign-in", sign_in, methods=["GET"])
    return router


async def _card(place: Place, parts: Parts) -> Card:
    return Card(place, await _failing(parts))


async def _failing(parts: Parts) -> str:
    if parts.health is None:
        return ""
    try:
        return await asyncio.wait_for(parts.health(), _PATIENCE_SECS)
    except TimeoutError:
        return "It does not answer in time."
    except Exception:
        # What it is stands in the log of /health, which asks the same.
        return "It cannot say how it is."
