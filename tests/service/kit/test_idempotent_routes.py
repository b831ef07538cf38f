"""``Idempotency-Key`` on the routes of a real system."""

from __future__ import annotations

import asyncio

from tests.service.streams import SEEN, system
from tests.service.support import asgi

from tablewright.clock import ManualClock
from tablewright.service.auth.principal import Principal
from tablewright.service.runtime import Runtime
from tablewright.testing import Backend


def test_a_post_with_a_key_is_done_once(tablewright_backend: Backend) -> None:
    SEEN.posts = 0

    async def main() -> None:
        async with asgi(system, tablewright_backend) as (client, runtime):
            secret = await admin_key(runtime)
            head = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "k1"}
            first = await client.post("/board/posts?text=a", headers=head)
            again = await client.post("/board/posts?text=a", headers=head)
            assert (first.status_code, first.json()) == (201, {"number": 1})
            assert (again.status_code, again.json()) == (201, {"number": 1})
            assert again.headers["idempotency-replayed"] == "true"
            assert again.headers["content-type"] == first.headers["content-type"]
            other = await client.post("/board/posts?text=b", headers=head)
            assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_MISMATCH")
            # Without a key, or without a name, nothing is remembered.
            await client.post("/board/posts?text=a")
            await client.post("/board/posts?text=a", headers={"Idempotency-Key": "k1"})
            assert SEEN.posts == 3
            bad = await client.post("/board/posts", headers={**head, "Idempotency-Key": "x" * 300})
            assert (bad.status_code, bad.json()["code"]) == (400, "BAD_IDEMPOTENCY_KEY")
            head["Idempotency-Key"] = "k2"
            many = await asyncio.gather(
                *(client.post("/board/posts", headers=head) for _ in range(20))
            )
            assert SEEN.posts == 4
            assert {each.status_code for each in many} <= {201, 409}

    asyncio.run(main())


def test_who_may_no_longer_be_answered_is_not(tablewright_backend: Backend) -> None:
    SEEN.posts = 0
    SEEN.barred.clear()

    async def main() -> None:
        async with asgi(system, tablewright_backend) as (client, runtime):
            head = {"Authorization": f"Bearer {await admin_key(runtime)}"}
            keyed = {**head, "Idempotency-Key": "k1"}
            assert (await client.post("/board/guarded", headers=keyed)).json() == {"number": 1}
            assert (await client.post("/board/guarded", headers=keyed)).json() == {"number": 1}
            SEEN.barred.add("/board/guarded")
            again = await client.post("/board/guarded", headers=keyed)
            assert (again.status_code, again.json()["code"]) == (403, "FORBIDDEN")
            # The route itself says who may do what is new.
            keyed["Idempotency-Key"] = "k2"
            assert (await client.post("/board/guarded", headers=keyed)).json() == {"number": 2}
            # It was only kept back: who is let in again is answered again.
            SEEN.barred.clear()
            assert (await client.post("/board/guarded", headers=keyed)).json() == {"number": 2}

    asyncio.run(main())


def test_a_request_that_may_take_long_is_not_taken_over(tablewright_backend: Backend) -> None:
    SEEN.posts = 0
    clock = ManualClock(1_800_000_000.0)

    async def main() -> None:
        given = asgi(system, tablewright_backend, clock=clock, request_timeout_secs=600)
        async with given as (client, runtime):
            head = {"Authorization": f"Bearer {await admin_key(runtime)}", "Idempotency-Key": "k1"}

            SEEN.gate = asyncio.Event()
            first = asyncio.create_task(client.post("/board/posts", headers=head))
            async with asyncio.timeout(10):
                while SEEN.posts == 0:
                    await asyncio.sleep(0.01)
            clock.advance(620)
            again = await client.post("/board/posts", headers=head)
            assert (again.status_code, again.json()["code"]) == (409, "IN_PROGRESS")
            SEEN.gate.set()
            assert (await first).status_code == 201
            assert SEEN.posts == 1

    try:
        asyncio.run(main())
    finally:
        SEEN.gate = None


async def admin_key(runtime: Runtime) -> str:
    """A key of an admin."""
    root = Principal(id="user:root", name="root", kind="user")
    _, text = await runtime.auth.api_keys.create(root, name="tests", roles=["admin"])
    return str(text)
