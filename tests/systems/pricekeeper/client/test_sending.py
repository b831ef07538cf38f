"""The task that sends: it ends when it is told to, whatever happens in the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tablewright.systems.pricekeeper.client.sending import Sender
from tablewright.systems.pricekeeper.client.session import Session
from tablewright.systems.pricekeeper.client.spool import Spool

#: Long after a test has ended.
NEVER = 3600.0
#: How often the loop goes round between the two: all that can be in between.
ROUNDS = range(6)


async def _rounds(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@asynccontextmanager
async def silent() -> AsyncIterator[str]:
    """The address of a service that takes requests and never answers."""
    ended = asyncio.Event()

    async def taken(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(taken, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        ended.set()
        server.close()


@asynccontextmanager
async def sending(folder: Path) -> AsyncIterator[tuple[Sender, Spool]]:
    async with silent() as url:
        session = Session(url, "id", "secret", timeout=NEVER)
        with Spool(folder, segment_records=1) as spool:
            sender = Sender(session, spool, "/orgs/o/apps/a", every=NEVER, guided=lambda _: None)
            sender.start()
            await _rounds(3)
            yield sender, spool
            await session.close()


@pytest.mark.parametrize("rounds", ROUNDS)
def test_stopped_as_a_batch_is_full(rounds: int, tmp_path: Path) -> None:
    async def main() -> None:
        async with sending(tmp_path) as (sender, spool):
            await spool.add({"n": 1})
            sender.noticed()
            await _rounds(rounds)
            stopping = asyncio.create_task(sender.stop())
            await asyncio.wait({stopping}, timeout=2)
            assert stopping.done()
            assert spool.records_waiting == 1

    asyncio.run(main())


@pytest.mark.parametrize("rounds", ROUNDS)
def test_who_waits_for_the_rest_is_stopped_as_it_is_sent(rounds: int, tmp_path: Path) -> None:
    async def main() -> None:
        async with sending(tmp_path) as (sender, _):
            sender.noticed()  # nothing is in the spool: the next turn has sent it all
            draining = asyncio.create_task(sender.drained(NEVER))
            await _rounds(rounds)
            if draining.cancel():
                await asyncio.wait({draining}, timeout=2)
                assert draining.cancelled()
            else:
                assert draining.result()
            await sender.stop()

    asyncio.run(main())
