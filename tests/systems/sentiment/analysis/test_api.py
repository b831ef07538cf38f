"""``/ops`` over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
from tests.service.support import asgi
from tests.systems.sentiment.support import NOW, article, hash_of

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.auth import Principal
from tablewright.service.runtime import Runtime
from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import Backend

API = "/sentiment/api/v1"
Keys = Mapping[str, dict[str, str]]


@asynccontextmanager
async def served(
    backend: Backend, clock: ManualClock
) -> AsyncIterator[tuple[httpx2.AsyncClient, Runtime, Keys]]:
    async with asgi(system, backend, clock=clock) as (http, runtime):
        tester = Principal("tests", "Tests", "system")
        keys = {}
        for role in ("admin", "operator", "analyst", "viewer"):
            _, key = await runtime.auth.api_keys.create(tester, name=role, roles=[role])
            keys[role] = {"Authorization": f"Bearer {key}"}
        yield http, runtime, keys


async def waiting(runtime: Runtime) -> list[str]:
    """Three failed, two stuck; their ids as addresses have them."""
    hour_ago = NOW - timedelta(hours=1)
    gone = {"status": "failed", "attempts": 3, "error_code": "model_error"}
    for number in range(3):
        await runtime.db.run(put(article(f"failed-{number}", timestamp=hour_ago, **gone)))
    for number in range(2):
        await runtime.db.run(put(article(f"stuck-{number}", timestamp=hour_ago)))
    slugs = [*(f"failed-{n}" for n in range(3)), *(f"stuck-{n}" for n in range(2))]
    return [f"newsapi:{hash_of(slug)[:16]}" for slug in slugs]


def test_everything_at_a_glance(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with served(engine_backend, clock) as (http, runtime, keys):
            ids = await waiting(runtime)
            await runtime.db.run(
                put(Source(name="feed", source_type="rss", url="https://a.example/x"))
            )
            found = (await http.get(f"{API}/ops", headers=keys["operator"])).json()
            assert (found["failed"]["count"], found["stuck"]["count"]) == (3, 2)
            assert {each["id"] for each in found["failed"]["items"]} == set(ids[:3])
            assert {each["id"] for each in found["stuck"]["items"]} == set(ids[3:])
            assert found["failed"]["items"][0]["error_code"] == "model_error"
            assert found["slow_calls"] == []
            mine = next(each for each in found["sources"] if each["name"] == "feed")
            assert (mine["breaker"]["state"], mine["runs"]) == ("closed", [])
            for kind, number in (("failed", 3), ("stuck", 2)):
                seen, cursor = set(), None
                for _ in range(number):
                    query = {"limit": 1} | ({"cursor": cursor} if cursor else {})
                    answer = await http.get(
                        f"{API}/ops/{kind}", params=query, headers=keys["operator"]
                    )
                    page = answer.json()
                    seen |= {each["id"] for each in page["items"]}
                    cursor = page["next_cursor"]
                    clock.advance(1)
                assert len(seen) == number
            wrong = await http.get(f"{API}/ops/stuck?cursor=1.x", headers=keys["operator"])
            assert (wrong.status_code, wrong.json()["code"]) == (400, "BAD_CURSOR")

    asyncio.run(go())


def test_requeueing(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with served(engine_backend, clock) as (http, runtime, keys):
            ids = await waiting(runtime)

            async def post(body: Any) -> tuple[int, Any]:
                answer = await http.post(f"{API}/ops/requeue", json=body, headers=keys["operator"])
                return answer.status_code, answer.json()

            assert await post({"ids": [ids[0]]}) == (
                200,
                {"requeued": 1, "results": [{"id": ids[0], "result": "requeued"}]},
            )
            status, problem = await post({"ids": [ids[0]]})
            assert (status, problem["code"]) == (409, "NOT_REQUEUEABLE")
            status, told = await post({"ids": [ids[0], ids[1], "file:nothing"]})
            results = [each["result"] for each in told["results"]]
            assert (status, results) == (200, ["not_requeueable", "requeued", "gone"])
            assert await post({"all": True}) == (200, {"requeued": 3, "results": []})
            for body in ({}, {"ids": []}, {"ids": ids, "all": True}, {"ids": ["config#settings"]}):
                status, problem = await post(body)
                assert (status, problem["code"]) == (422, "INVALID"), body
            assert (await post({"ids": ["file:x"] * 101}))[0] == 422
            assert (await post({"all": True, "more": 1}))[0] == 422

    asyncio.run(go())


def test_who_may(engine_backend: Backend, clock: ManualClock) -> None:
    """Operators and administrators."""

    async def go() -> None:
        async with served(engine_backend, clock) as (http, _, keys):
            for path in ("/ops", "/ops/stuck", "/ops/failed", "/ops/requeue"):
                method, body = ("POST", {"all": True}) if "requeue" in path else ("GET", None)
                seen = {}
                for role, headers in {**keys, "nobody": {}}.items():
                    answer = await http.request(method, API + path, json=body, headers=headers)
                    seen[role] = answer.status_code
                refused = {"analyst": 403, "viewer": 403, "nobody": 401}
                assert seen == {"admin": 200, "operator": 200, **refused}, path

    asyncio.run(go())
