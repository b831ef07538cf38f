"""The door of a process that one person has started for themselves.

There is nobody to sign in as. Whoever started the process was told a link; it holds a key of this
process, and opening it is what lets a browser in. So other people on the same machine, who can
reach the port as well, see nothing, and neither do pages of the web.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tablewright.console.frame import Place
from tablewright.console.visitors import Visitors
from tablewright.service.auth import Auth, Principal
from tablewright.service.pages import Pages

PATH = "/enter"


def link(url: str, key: str) -> str:
    """What to open."""
    return f"{url}{PATH}?{urlencode({'key': key})}"


def entrance_routes(
    place: Place, pages: Pages, visitors: Visitors, auth: Auth, key: str
) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    def outside(request: Request) -> Response:
        return pages.render(request, "enter.html", status=401)

    async def home(request: Request) -> Response:
        visitor = await visitors.look(request)
        return outside(request) if visitor is None else RedirectResponse(place.home, 303)

    async def enter(request: Request) -> Response:
        given = request.query_params.get("key", "")
        if not hmac.compare_digest(given.encode(), key.encode()):
            return outside(request)
        # The key does not stay in the address that people copy.
        return await auth.signed_in(request, RedirectResponse("/", 303), _owner(place.name))

    router.add_api_route("/", home, methods=["GET"])
    router.add_api_route("/sign-in", home, methods=["GET"])
    router.add_api_route(PATH, enter, methods=["GET"])
    return router


def _owner(name: str) -> Principal:
    return Principal(id="owner", name="You", kind="user", grants=frozenset({f"{name}:admin"}))
