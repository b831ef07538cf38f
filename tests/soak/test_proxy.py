"""The network between a service and its database, in each of its states."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from soak.proxy import Proxy, proxying


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(100):
            HEARD.append(data)
            writer.write(data)
            await writer.drain()
    writer.close()


HEARD: list[bytes] = []


def through(work: Callable[[Proxy], Awaitable[None]]) -> None:
    """Run ``work`` with a proxy in front of somebody who says everything again."""

    async def run() -> None:
        HEARD.clear()
        server = await asyncio.start_server(_echo, "127.0.0.1", 0)
        async with proxying(server.sockets[0].getsockname()[1]) as proxy:
            await work(proxy)
        server.close()

    asyncio.run(run())


async def said(proxy: Proxy, text: bytes = b"hello") -> bytes:
    """What comes back within a moment."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    try:
        writer.write(text)
        return await asyncio.wait_for(reader.read(100), 0.5)
    finally:
        writer.transport.abort()


def test_open() -> None:
    async def work(proxy: Proxy) -> None:
        assert await said(proxy) == b"hello"

    through(work)


def test_cut_says_nothing_and_recovers() -> None:
    async def work(proxy: Proxy) -> None:
        proxy.switch("cut")
        with pytest.raises(TimeoutError):
            await said(proxy)
        assert HEARD == []
        proxy.switch("open")
        assert await said(proxy) == b"hello"

    through(work)


def test_half_delivers_requests_and_loses_answers() -> None:
    async def work(proxy: Proxy) -> None:
        proxy.switch("half")
        with pytest.raises(TimeoutError):
            await said(proxy)
        assert HEARD == [b"hello"]

    through(work)


def test_refused_and_reset() -> None:
    async def work(proxy: Proxy) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"hello")
        assert await asyncio.wait_for(reader.read(100), 1) == b"hello"
        proxy.switch("refuse")
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(reader.read(100), 1)
        with pytest.raises(ConnectionError):
            await said(proxy)

    through(work)
