"""What administrators see of the outbox, over the API of a real system."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from tests.service.streams import system
from tests.service.support import asgi

from tablewright.clock import ManualClock
from tablewright.service.auth.principal import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.outbox import message
from tablewright.service.kit.outbox.dispatch import Dispatcher
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks import SendFailed
from tablewright.service.runtime import Runtime
from tablewright.service.workers import run_once
from tablewright.testing import Backend

ROOT = Principal(id="user:root", name="root", kind="user")
API = "/board/api/v1/outbox"


class Sink:
    """Gives up on everything, until it is told otherwise."""

    name = "sink"

    def __init__(self) -> None:
        self.works = False
        self.got: list[str] = []

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        if not self.works:
            raise SendFailed("nobody there", permanent=True)
        self.got.append(message.subject)

    async def close(self) -> None:
        return


async def head_of(runtime: Runtime, role: str) -> dict[str, str]:
    _, text = await runtime.auth.api_keys.create(ROOT, name=role, roles=[role])
    return {"Authorization": f"Bearer {text}"}


async def dead(client: httpx2.AsyncClient, **asked: Any) -> list[dict[str, Any]]:
    answer = await client.get(f"{API}/dead", params=asked)
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_dead_messages(tablewright_backend: Backend) -> None:
    clock = ManualClock(1_800_000_000.123)
    sink = Sink()

    async def main() -> None:
        async with asgi(system, tablewright_backend, clock=clock) as (client, runtime):
            client.headers.update(await head_of(runtime, "admin"))
            worker = Dispatcher(runtime.db, clock, "board", [sink]).worker()
            for subject in ("a", "b", "c"):
                told = {"to": "ada@example.org", "text": "s3cret"}
                await runtime.db.run(message("note", subject, told, at=clock.now()))
                clock.advance(1)
            await run_once(worker)

            found = await dead(client)
            assert [each["subject"] for each in found] == ["c", "b", "a"]
            assert found[0]["error"] == "nobody there"
            assert "s3cret" not in str(found)
            assert "ada@example.org" not in str(found)

            sink.works = True
            handles = {each["subject"]: each["handle"] for each in found}
            retry = f"{API}/dead/{handles['a']}/retry"
            assert (await client.post(retry)).status_code == 204
            assert (await client.post(retry)).status_code == 404
            assert (await client.delete(f"{API}/dead/{handles['b']}")).status_code == 204
            assert (await client.delete(f"{API}/dead/{handles['b']}")).status_code == 404
            await run_once(worker)
            assert sink.got == ["a"]
            assert [each["subject"] for each in await dead(client)] == ["c"]

            sent = (await client.get(f"{API}/sent")).json()["items"]
            assert [each["subject"] for each in sent] == ["a"]
            none = (await client.get(f"{API}/sent", params={"day": "2020-01-01"})).json()
            assert none["items"] == []

            log = await audit.entries(runtime.db, until=clock.now() + 1)
            actions = [entry.action for entry in log if entry.action.startswith("outbox")]
            assert sorted(actions) == ["outbox.discard", "outbox.retry"]

    asyncio.run(main())


def test_who_may_look(tablewright_backend: Backend) -> None:
    async def main() -> None:
        async with asgi(system, tablewright_backend) as (client, _):
            assert (await client.get(f"{API}/dead")).status_code == 401

    asyncio.run(main())


@pytest.mark.parametrize("handle", ["x", "1-2", "9" * 40, "1-01KAGM5W00000000000000000I", "%00"])
def test_handles_that_are_none(tablewright_backend: Backend, handle: str) -> None:
    async def main() -> None:
        async with asgi(system, tablewright_backend) as (client, runtime):
            client.headers.update(await head_of(runtime, "admin"))
            answer = await client.post(f"{API}/dead/{handle}/retry")
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")

    asyncio.run(main())
