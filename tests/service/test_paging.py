"""``limit`` and ``cursor`` of every list."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from tests.service.shelf import system
from tests.service.support import asgi
from tests.service.test_problems import NOTES, check

from tablewright.testing import Backend


async def _filled(client: httpx2.AsyncClient, count: int) -> None:
    for number in range(count):
        answer = await client.post(NOTES, json={"note_id": f"n{number:03}"})
        assert answer.status_code == 201


@pytest.mark.parametrize("limit", [1, 7, 60, 100])
def test_all_pages_are_the_whole_list(memory: Backend, limit: int) -> None:
    async def main() -> None:
        async with asgi(system, memory) as (client, _):
            await _filled(client, 60)
            seen: list[str] = []
            cursor = None
            while True:
                asked = {"limit": limit} | ({"cursor": cursor} if cursor else {})
                body = (await client.get(NOTES, params=asked)).json()
                assert len(body["items"]) <= limit
                seen += [each["note_id"] for each in body["items"]]
                cursor = body["next_cursor"]
                if cursor is None:
                    break
            assert seen == [f"n{number:03}" for number in range(60)]

    asyncio.run(main())


def test_a_page_has_fifty_if_nobody_says(memory: Backend) -> None:
    async def main() -> None:
        async with asgi(system, memory) as (client, _):
            await _filled(client, 60)
            assert len((await client.get(NOTES)).json()["items"]) == 50

    asyncio.run(main())


@pytest.mark.parametrize("limit", ["0", "-1", "101", "x", "1.5", ""])
def test_limits_that_cannot_be(memory: Backend, limit: str) -> None:
    async def main() -> None:
        async with asgi(system, memory) as (client, _):
            check(await client.get(NOTES, params={"limit": limit}), 422, "INVALID")

    asyncio.run(main())


def test_a_cursor_is_for_the_list_it_came_from(memory: Backend) -> None:
    async def main() -> None:
        async with asgi(system, memory) as (client, _):
            await _filled(client, 3)
            page = (await client.get(NOTES, params={"limit": 2})).json()
            asked = {"cursor": page["next_cursor"]}
            other = NOTES.replace("/x/", "/y/")
            check(await client.get(other, params=asked), 400, "BAD_CURSOR")
            changed = {"cursor": page["next_cursor"][:-2] + "AA"}
            check(await client.get(NOTES, params=changed), 400, "BAD_CURSOR")
            check(await client.get(NOTES, params={"cursor": "x" * 5000}), 422, "INVALID")

    asyncio.run(main())
