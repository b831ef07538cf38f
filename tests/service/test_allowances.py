"""Paths that may have larger bodies and more time than the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from tests.service.shelf import system
from tests.service.support import asgi

from tablewright.service.app import surrounded
from tablewright.service.metrics import Metrics
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings
from tablewright.service.system import Allowance, Parts
from tablewright.testing.backends import Backend

MOST, SECS = 2000, 0.2


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Says how much was sent, after a while."""
    request = Request(scope, receive)
    size = len(await request.body())
    await asyncio.sleep(float(request.query_params.get("secs", 0)))
    await Response(str(size))(scope, receive, send)


async def pieces(number: int) -> AsyncIterator[bytes]:
    for _ in range(number // 1000):
        yield b"x" * 1000


@pytest.mark.parametrize("allowed", [Allowance(5000, 1.0), Allowance(1, 0.01)])
def test_more_for_one_path(allowed: Allowance) -> None:
    settings = Settings(request_max_bytes=MOST, request_timeout_secs=SECS)
    stack = surrounded(
        echo, settings, Metrics(), allowances={"/large": allowed, "/large/{of}/all": allowed}
    )
    most, is_more = max(MOST, allowed.max_bytes), allowed.max_bytes > MOST

    async def go() -> None:
        carried = httpx2.ASGITransport(app=stack)
        async with httpx2.AsyncClient(transport=carried, base_url=settings.url) as client:

            async def status(path: str, size: int) -> int:
                said = (await client.post(path, content=b"x" * size)).status_code
                unsaid = (await client.post(path, content=pieces(size))).status_code
                assert said == unsaid
                return said

            assert await status("/large", most) == 200
            assert await status("/large", most + 1000) == 413
            assert await status("/large/one/all", most) == 200
            for path in ("/large/one/two/all", "/large//all", "/large/one/all/"):
                assert await status(path, MOST + 1000) == 413
            assert await status("/other", MOST) == 200
            assert await status("/other", MOST + 1000) == 413
            assert await status("/large/", MOST + 1000) == 413
            waited = await client.get("/large?secs=0.4")
            assert waited.status_code == (200 if is_more else 504)
            assert (await client.get("/other?secs=0.4")).status_code == 504

    asyncio.run(go())


def test_a_system_says_which(tablewright_backend: Backend) -> None:
    """By its own paths; where it is mounted is the process's affair."""

    def build(runtime: Runtime) -> Parts:
        allowances = {"/api/v1/notes": Allowance(5000, 1.0)}
        return replace(system.build(runtime), allowances=allowances)

    async def go() -> None:
        within = replace(system, build=build)
        async with asgi(within, tablewright_backend, request_max_bytes=MOST) as (client, _):
            large = b" " * 4000
            answer = await client.post("/shelf/api/v1/notes", content=large)
            assert answer.status_code != 413
            answer = await client.post("/shelf/api/v1/forms", content=large)
            assert answer.status_code == 413

    asyncio.run(go())
