"""The shortcut to a route, against the way that the framework takes."""

from __future__ import annotations

import asyncio
import random
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse, Response
from tests.sampling import many

from tablewright.service.shortcut import Shortcut, shorten

_PATHS = [
    "/",
    "/orgs",
    "/orgs/{org}",
    "/orgs/me",
    "/orgs/{org}/apps",
    "/orgs/{org}/apps/{app}",
    "/orgs/{org}/{rest:path}",
    "/orgs/{org}/export.csv",
    "/orgs/{org}/{kind}.json",
    "/numbers/{number:int}",
    "/numbers/{text}",
]
_WORDS = ["orgs", "me", "apps", "export.csv", "a.json", "numbers", "7", "x", "", "a b", "%2F", "\n"]


def _router(paths: list[str], label: str) -> APIRouter:
    router = APIRouter()
    for number, path in enumerate(paths):
        for method in ("GET", "POST") if number % 2 else ("GET",):
            router.add_api_route(path, _answer(f"{label} {method} {path}"), methods=[method])
    return router


def _answer(text: str) -> Any:
    async def answer() -> Response:
        return PlainTextResponse(text)

    return answer


def _app(order: list[int]) -> FastAPI:
    """The same routes in some order: plain, included, and included in what is included."""
    paths = [_PATHS[number] for number in order]
    app = FastAPI(redirect_slashes=False)
    nested = APIRouter(prefix="/deep/{below}")
    nested.include_router(_router(paths, "nested"), prefix="/er")
    app.include_router(_router([f"/top{path}" for path in paths], "plain"))
    app.include_router(nested)
    app.include_router(_router([path for path in paths if path != "/"], "root"))
    app.mount("/mounted", PlainTextResponse("mounted"))
    return app


@cache
def _pair(seed: int) -> tuple[FastAPI, FastAPI]:
    """The same app twice, the second with the shortcut."""
    order = random.Random(seed).sample(range(len(_PATHS)), len(_PATHS))
    plain, short = _app(order), _app(order)
    shorten(short)
    return plain, short


async def _ask(app: FastAPI, method: str, path: str) -> tuple[int, bytes, set[bytes]]:
    """Status, body and Allow; without a client, which would not send odd paths."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [],
    }
    await app(scope, receive, send)
    allowed = dict(sent[0]["headers"]).get(b"allow", b"")
    return sent[0]["status"], sent[1]["body"], set(allowed.split(b", "))


@settings(max_examples=many(1500), deadline=None)
@given(
    st.integers(0, 7),
    st.sampled_from(["", "/top", "/deep/x/er", "/mounted", "/deep"]),
    st.lists(st.sampled_from(_WORDS), max_size=4),
    st.sampled_from(["GET", "POST", "PUT"]),
)
def test_both_ways_lead_to_the_same(seed: int, prefix: str, words: list[str], method: str) -> None:
    path = "/".join([prefix, *words]) or "/"

    async def both() -> None:
        plain, short = _pair(seed)
        assert await _ask(short, method, path) == await _ask(plain, method, path)

    asyncio.run(both())


def test_the_short_way_is_taken() -> None:
    app = _app(list(range(len(_PATHS))))
    shorten(app)

    async def lost(*_: Any) -> None:
        raise AssertionError("the long way")

    stack = app.router.middleware_stack
    assert isinstance(stack, Shortcut)
    stack.app = lost

    async def main() -> None:
        assert (await _ask(app, "GET", "/deep/1/er/orgs/2/apps"))[0] == 200
        assert (await _ask(app, "GET", "/top/orgs/2/a/b/c"))[0] == 200

    asyncio.run(main())
