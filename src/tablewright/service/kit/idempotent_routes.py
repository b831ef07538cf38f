"""``Idempotency-Key`` for the POST routes of a router."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tablewright.service.kit.idempotency import (
    BUSY_SECS,
    Answer,
    Attempt,
    Idempotency,
    request_hash,
)

if TYPE_CHECKING:
    from tablewright.service.auth import Principal
    from tablewright.service.runtime import Runtime
    from tablewright.service.settings import Settings

#: Raises a problem for who may not be told any more what they were answered before.
Still: TypeAlias = "Callable[[Request, Principal], Awaitable[None]]"
Handler: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]

HEADER = "Idempotency-Key"
_PARAMETER = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Any text of yours: the same request with the same key is done once, and "
    "answered alike for a day.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}
#: Says that an answer was given before.
REPLAYED = "Idempotency-Replayed"
#: What of an answer's head is kept with it.
_KEPT_HEADERS = ("content-type", "etag", "location", "cache-control")
#: How much longer than a request may take its attempt is waited for.
_PATIENCE_SECS = 30.0


def idempotent(runtime: Runtime, still: Still | None = None) -> type[APIRoute]:
    """``APIRouter(route_class=idempotent(runtime))``: its POSTs understand the header.

    A route that wants its work and the record to be one finds the attempt in
    ``request.state.idempotency``. An answer that was kept is given without asking the route: where
    rights change in the course of a day, ``still`` says whether they last.
    """
    store = Idempotency(
        runtime.db,
        runtime.clock,
        runtime.keys.secret("idempotency"),
        busy_secs=_busy_secs(runtime.settings),
    )

    class IdempotentRoute(APIRoute):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            if "POST" in (self.methods or ()):
                self.openapi_extra = _documented(self.openapi_extra or {})

        def get_route_handler(self) -> Handler:
            inner = super().get_route_handler()

            async def handler(request: Request) -> Response:
                key = request.headers.get(HEADER)
                if key is None or request.method != "POST":
                    return await inner(request)
                principal = await runtime.auth.principal(request)
                if principal is None:
                    return await inner(request)  # which says who is needed
                answered = await _kept(store, principal.id, key, request, inner)
                if still is not None and REPLAYED in answered.headers:
                    await still(request, principal)
                return answered

            return handler

    return IdempotentRoute


def _busy_secs(settings: Settings) -> float:
    """No attempt counts as lost while its request may still be worked on."""
    return max(BUSY_SECS, settings.request_timeout_secs + _PATIENCE_SECS)


def _documented(extra: dict[str, Any]) -> dict[str, Any]:
    """What the OpenAPI document says of the route, and of the header."""
    given = extra.get("parameters", [])
    if any(each["name"] == HEADER for each in given):
        return extra
    return {**extra, "parameters": [*given, _PARAMETER]}


async def _kept(
    store: Idempotency,
    caller: str,
    key: str,
    request: Request,
    inner: Handler,
) -> Response:
    made: list[Response] = []

    async def work(attempt: Attempt) -> Answer:
        request.state.idempotency = attempt
        response = await inner(request)
        made.append(response)
        return _answer_of(response)

    answer = await store.run(caller, key, await _hash(request), work)
    if made:
        return made[0]
    headers = {**answer.headers, REPLAYED: "true"}
    return Response(answer.body, answer.status, headers=headers)


async def _hash(request: Request) -> str:
    url = request.url
    target = f"{url.path}?{url.query}"
    content_type = request.headers.get("content-type", "")
    return request_hash(request.method, target, content_type, await request.body())


def _answer_of(response: Response) -> Answer:
    if isinstance(response, StreamingResponse):
        raise TypeError("an answer that is streamed cannot be kept: take another route class")
    kept = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    return Answer(response.status_code, bytes(response.body), kept)
