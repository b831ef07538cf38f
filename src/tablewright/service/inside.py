"""``/health`` for everybody, ``/metrics`` for those inside: this machine, or who has the token."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.service.health import Health
from tablewright.service.jsons import Json
from tablewright.service.metrics import CONTENT_TYPE, Metrics
from tablewright.service.problems import Problem
from tablewright.service.settings import Settings, is_loopback

#: Who comes through a proxy on this machine is not on this machine.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def inside_routes(health: Health, metrics: Metrics, settings: Settings) -> APIRouter:
    """The routes of a process that belong to no system."""
    router = APIRouter()

    async def live() -> Response:
        return Json({"status": "ok"})

    async def ready(request: Request) -> Response:
        status, body = await health.report(details=is_inside(request, settings))
        return Json(body, status)

    async def measured(request: Request) -> Response:
        if not is_inside(request, settings):
            raise _outside()
        return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    methods = ["GET", "HEAD"]
    router.add_api_route("/health/live", live, methods=methods)
    for path in ("/health", "/health/ready"):
        router.add_api_route(path, ready, methods=methods)
    router.add_api_route("/metrics", measured, methods=methods)
    return router


def is_inside(request: Request, settings: Settings) -> bool:
    """Whether the caller is on this machine, or has the token."""
    token = settings.metrics_token
    if token is not None:
        given = request.headers.get("authorization", "")
        wanted = f"Bearer {token.get_secret_value()}"
        if hmac.compare_digest(given.encode(), wanted.encode()):
            return True
    if any(name in request.headers for name in _FORWARDED):
        return False
    return request.client is not None and is_loopback(request.client.host)


def _outside() -> Problem:
    detail = "Metrics are for this machine, or for who has the token `metrics_token`."
    return Problem(403, "FORBIDDEN", detail)
