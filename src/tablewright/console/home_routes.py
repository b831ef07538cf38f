"""The first page, and the one where people sign in.

On one's own machine the first page is for everybody: it says what this is, and leads everywhere;
who has not signed in yet does so on the way, or looks around as the demo user who may see most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tablewright.console.frame import TOOLS, Place, seen_by
from tablewright.console.visitors import Visitors
from tablewright.service.auth import DemoUser, Principal
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
    #: What its operator has to mend, although it works.
    warnings: Sequence[str]
    #: Whether the console's own pages about it are for who looks.
    inside: bool

    @property
    def system(self) -> System:
        return self.place.system

    @property
    def tools(self) -> str:
        return f"{TOOLS}/{self.system.name}"


def _only_home(places: Sequence[Place], visitor: Principal | None) -> str:
    """Return the first page of the one system there is for a visitor; "" if there are several.

    Somebody who has not signed in is led to a system only if its first page is public.
    """
    if visitor is not None:
        seen = seen_by(places, visitor)
        return seen[0].home if len(seen) == 1 else ""
    if len(places) != 1:
        return ""
    pages = places[0].navigation or ()
    return places[0].home if any(item.public and not item.path for item in pages) else ""


@dataclass(frozen=True)
class Way:
    """A page that every model has."""

    title: str
    #: Below the console's pages about a system.
    path: str
    icon: str
    about: str


#: In the order in which one gets to know a model.
WAYS = (
    Way("Picture", "/model", "sitemap", "Tables, entities, keys and indexes, and how they belong."),
    Way("Items", "/model/items", "table", "Sample items by partition, as DynamoDB stores them."),
    Way(
        "Access patterns",
        "/model/patterns",
        "route",
        "Run one with your own values: the request, the items, the units it used.",
    ),
    Way("Review", "/model/review", "checklist", "What will hurt, why, and how to mend it."),
    Way("Plan", "/model/plan", "chart-line", "A month in units and money, with sliders."),
    Way("Browse", "/model/browse", "search", "Table by table, item by item, or with PartiQL."),
    Way("Capacity", "/capacity", "activity", "What was planned beside what is used, live."),
)


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
        if not settings.local:
            only = _only_home(places, visitor)
            if only or visitor is None:
                return RedirectResponse(only or "/sign-in", 303)
        seen = places if visitor is None else seen_by(places, visitor)
        cards = await asyncio.gather(
            *(_card(place, brought[place.name], visitor) for place in seen)
        )
        guide = None if visitor else _guide(visitors)
        return pages.render(request, "home.html", cards=cards, ways=WAYS, guide=guide)

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
            users=await _offered(identity.demo_users() if identity else (), brought),
            by_address=identity is not None and identity.local is not None,
            local_action="/auth/sign-in",
            next=target,
            provider=urlsplit(issuer.url).hostname if issuer and issuer.client_id else None,
            has_issuer=issuer is not None,
            provider_path=f"/auth/sign-in?next={quote(target, safe='')}",
        )

    router.add_api_route("/", home, methods=["GET"])
    router.add_api_route("/sign-in", sign_in, methods=["GET"])
    return router


async def _card(place: Place, parts: Parts, visitor: Principal | None) -> Card:
    inside = visitor is None or bool(visitor.roles_in(place.name))
    warnings = () if parts.warnings is None else tuple(parts.warnings())
    return Card(place, await _failing(parts), warnings, inside)


def _guide(visitors: Visitors) -> DemoUser | None:
    """The demo user who may see most; nobody, where people have to prove who they are."""
    users = visitors.identity.demo_users() if visitors.identity else ()
    return max(users, key=lambda user: ("admin" in user.id, len(user.grants)), default=None)


async def _offered(users: Sequence[DemoUser], brought: Mapping[str, Parts]) -> list[DemoUser]:
    """Leave out demo people whom their system does not let in, as before its demo is filled."""
    return [user for user in users if await _is_let_in(user, brought.get(user.system))]


async def _is_let_in(user: DemoUser, parts: Parts | None) -> bool:
    if parts is None or parts.knows_address is None:
        return True
    try:
        return await asyncio.wait_for(parts.knows_address(user.email), _PATIENCE_SECS)
    except Exception:
        # Whether the person is known will be decided again when they sign in.
        return True


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
