"""Requests over kept connections, each at the time it is due.

A closed loop would wait with the next request while the service is slow, and measure too little.
Here a request that is due is sent, whatever became of those before it, and its time counts from
when it was due.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from benchmarks.http import HOST, complete

#: No answer takes longer; one that does is an error.
_PATIENCE_SECS = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; the status is 0 if nothing did."""

    status: int
    body: bytes
    #: Since it was due.
    secs: float
    #: When it was there, on the monotonic clock.
    at: float


class Caller:
    """Connections of one client; there are as many as requests under way."""

    def __init__(self, port: int, key: str) -> None:
        self._port = port
        self._key = key
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(
        self, method: str, path: str, body: bytes = b"", *, due: float | None = None
    ) -> Answer:
        return await self.send(request(method, path, self._key, body), due=due)

    async def send(self, sent: bytes, *, due: float | None = None) -> Answer:
        """A whole request as it is."""
        begun = time.perf_counter() if due is None else due
        try:
            async with asyncio.timeout(_PATIENCE_SECS):
                status, text = await self._answered(sent)
        except (OSError, TimeoutError, EOFError) as error:
            status, text = 0, repr(error).encode()
        now = time.perf_counter()
        return Answer(status, text, now - begun, now)

    async def _answered(self, sent: bytes) -> tuple[int, bytes]:
        reader, writer = self._free.pop() if self._free else await self._connected()
        try:
            writer.write(sent)
            buffer = b""
            while not complete(buffer):
                data = await reader.read(1 << 18)
                if not data:
                    raise EOFError("the connection was closed")
                buffer += data
        except BaseException:
            writer.close()
            raise
        self._free.append((reader, writer))
        return int(buffer[9:12]), buffer.partition(b"\r\n\r\n")[2]

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(HOST, self._port)

    def close(self) -> None:
        for _, writer in self._free:
            writer.close()


@asynccontextmanager
async def calling(port: int, key: str) -> AsyncIterator[Caller]:
    caller = Caller(port, key)
    try:
        yield caller
    finally:
        caller.close()


def request(
    method: str, path: str, key: str, body: bytes = b"", more: Mapping[str, str] | None = None
) -> bytes:
    """A whole request."""
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {HOST}",
        f"Authorization: Bearer {key}",
        *(f"{name}: {value}" for name, value in (more or {}).items()),
    ]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


async def paced(
    count: int, per_second: float, one: Callable[[int, float], Awaitable[Answer]]
) -> list[Answer]:
    """`one` of a number and the time it is due, so many times a second, and all answers."""
    began = time.perf_counter()
    tasks: list[asyncio.Future[Answer]] = []
    for number in range(count):
        due = began + number / per_second
        delay = due - time.perf_counter()
        if delay > 0:
            await asyncio.sleep(delay)
        tasks.append(asyncio.ensure_future(one(number, due)))
    return await asyncio.gather(*tasks)
