"""``/watch`` as programs use it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.systems.sentiment.api_support import Api, api_on

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend

AI = {"tag": "AI", "any": ["AI", "artificial intelligence"], "none": ["AI Weiwei"]}


def run(backend: Backend, clock: ManualClock, test: Callable[[Api], Awaitable[None]]) -> None:
    async def go() -> None:
        async with api_on(backend, clock) as api:
            await test(api)

    asyncio.run(go())


def test_the_life_of_a_topic(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        analyst = api.as_("analyst")
        made = await analyst("POST", "/watch", AI)
        assert (made.status_code, made.headers["ETag"]) == (201, '"1"'), made.text
        assert made.json()["priority"] == 100
        again = await analyst("POST", "/watch", {**AI, "tag": "ai"})
        assert (again.status_code, again.json()["code"]) == (409, "TAG_EXISTS")
        listed = await api.as_("viewer").get("/watch")
        assert [(each["tag"], each["hits_24h"]) for each in listed["items"]] == [("AI", 0)]
        edit = {"any": ["AI"], "enabled": False}
        assert (await analyst("PUT", "/watch/ai", edit)).status_code == 428
        saved = await analyst("PUT", "/watch/ai", edit, If_Match='"1"')
        assert (saved.status_code, saved.headers["ETag"]) == (200, '"2"')
        stale = await analyst("PUT", "/watch/ai", edit, If_Match='"1"')
        assert (stale.status_code, stale.json()["code"]) == (412, "STALE_VERSION")
        one = await analyst("GET", "/watch/AI")
        assert (one.json()["enabled"], one.headers["ETag"]) == (False, '"2"')
        assert (await analyst("DELETE", "/watch/AI")).status_code == 204
        assert (await analyst("GET", "/watch/AI")).status_code == 404
        assert (await analyst("PUT", "/watch/AI", edit, If_Match="*")).status_code == 404
        assert {each[1:] for each in await api.audited()} == {
            ("topic.create", "topic/ai"),
            ("topic.change", "topic/ai"),
            ("topic.delete", "topic/ai"),
        }

    run(engine_backend, clock, test)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tag": "AI"},
        {"tag": "AI", "any": []},
        {"tag": "AI", "any": ["-"]},
        {"tag": "AI", "any": ["x" * 201]},
        {"tag": "AI", "any": ["x"] * 21},
        {"tag": "AI", "any": ["x"], "all": ["x"] * 6},
        {"tag": "a#b", "any": ["x"]},
        {"tag": "x" * 51, "any": ["x"]},
        {"tag": "", "any": ["x"]},
        {"tag": "AI", "any": ["x"], "priority": -1},
        {"tag": "AI", "any": ["x"], "regex": ".*"},
        {"tag": "AI", "any": "x"},
    ],
)
def test_what_is_no_topic(
    wrong: dict[str, object], engine_backend: Backend, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        answer = await api("POST", "/watch", wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "INVALID"), answer.text
        assert (await api.get("/watch"))["items"] == []

    run(engine_backend, clock, test)


def test_who_may(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        for role, reads, writes in (
            ("viewer", 200, 403),
            ("operator", 200, 403),
            ("analyst", 200, 201),
            ("ingest", 403, 403),
            ("nobody", 401, 401),
        ):
            assert (await api.as_(role)("GET", "/watch")).status_code == reads
            assert (await api.as_(role)("POST", "/watch", AI)).status_code == writes
            tried = await api.as_(role)("POST", "/watch/test", {"any": ["x"]})
            assert tried.status_code == (200 if writes == 201 else writes)

    run(engine_backend, clock, test)


def test_trials(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        tried = await api("POST", "/watch/test", {"any": ["C++"]})
        assert tried.json() == {"looked_at": 0, "found": 0, "hits": []}
        # "test" is no tag that can be read, though one may have that name.
        assert (await api("POST", "/watch", {"tag": "test", "any": ["x"]})).status_code == 201
        assert (await api("GET", "/watch/test")).json()["tag"] == "test"

    run(engine_backend, clock, test)
