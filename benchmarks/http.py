"""Closed-loop connections over raw HTTP: each has one request under way at a time.

A protocol of its own, because every common HTTP client costs more per request than the servers
under test. Servers that close the connection after each answer are reconnected to, and pay for it.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

HOST = "127.0.0.1"


def complete(answer: bytes) -> int:
    """The length of the answer at the start of the buffer, 0 while there is more to come."""
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return 0
    fields = answer[:end].lower()
    at = fields.find(b"\r\ncontent-length:")
    if at < 0:
        if b"\r\ntransfer-encoding: chunked" in fields:
            tail = answer.find(b"\r\n0\r\n\r\n", end)
            return tail + 7 if tail >= 0 else 0
        return end + 4
    stop = fields.find(b"\r\n", at + 2)
    length = int(fields[at + 17 : stop if stop >= 0 else None])
    return end + 4 + length if len(answer) >= end + 4 + length else 0


class Connection(asyncio.Protocol):
    """Asks, waits for the whole answer, notes the time, asks again until `until`."""

    def __init__(
        self,
        port: int,
        requests: Iterator[bytes],
        until: float,
        accepted: frozenset[bytes] = frozenset({b"200"}),
    ) -> None:
        self.port = port
        self._accepted = accepted
        self.requests = requests
        self.until = until
        self.latencies: list[float] = []
        self.errors: list[str] = []
        self.done = asyncio.get_running_loop().create_future()
        self._buffer = b""
        self._asked = 0.0
        self._waiting = False
        self._transport: asyncio.Transport | None = None

    async def connect(self) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, HOST, self.port)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transport is one in all but its class.
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def _ask(self) -> None:
        request = next(self.requests)
        assert self._transport is not None
        self._waiting = True
        self._asked = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        if not complete(self._buffer):
            return
        now = time.perf_counter()
        answer, self._buffer = self._buffer, b""
        self._waiting = False
        if self.accepts(answer):
            self.latencies.append(now - self._asked)
        else:
            self.errors.append(answer[-300:].decode(errors="replace"))
        if now >= self.until:
            self.close()
        elif b"\r\nconnection: close" not in answer[:600].lower() and answer[:8] == b"HTTP/1.1":
            self._ask()
        # Otherwise the server closes, and connection_lost goes on.

    def accepts(self, answer: bytes) -> bool:
        """Whether an answer counts."""
        return answer[9:12] in self._accepted

    def connection_lost(self, exc: Exception | None) -> None:
        if self.done.done():
            return
        if self._waiting:
            self.errors.append(f"connection lost: {exc}")
        if time.perf_counter() >= self.until or len(self.errors) > 100:
            self.close()
        else:
            self._reconnecting = asyncio.ensure_future(self._reconnect())

    async def _reconnect(self) -> None:
        try:
            await self.connect()
        except OSError as error:
            self.errors.append(str(error))
            self.close()

    def close(self) -> None:
        if not self.done.done():
            self.done.set_result(None)
        if self._transport is not None:
            self._transport.close()


async def measure(pool: Sequence[Connection], seconds: float) -> dict[str, Any]:
    """Requests per second and latencies of connections that were made to end in `seconds`."""
    started, busy = time.perf_counter(), time.process_time()
    await asyncio.gather(*(connection.connect() for connection in pool))
    patience = max(30.0, seconds * 10)
    try:
        await asyncio.wait_for(asyncio.gather(*(connection.done for connection in pool)), patience)
    finally:
        for connection in pool:
            connection.close()
    elapsed = time.perf_counter() - started
    latencies = sorted(value for connection in pool for value in connection.latencies)
    errors = [text for connection in pool for text in connection.errors]
    result: dict[str, Any] = {"errors": len(errors), "error": errors[0] if errors else None}
    result["requests"] = len(latencies)
    result["requests_per_second"] = len(latencies) / elapsed
    # Near 1, the generator and not the server is what was measured.
    result["generator_busy"] = (time.process_time() - busy) / elapsed
    if latencies:
        result["p50_us"] = statistics.median(latencies) * 1e6
        result["p99_us"] = latencies[int(len(latencies) * 0.99)] * 1e6
    return result


def cpu_seconds(pid: int) -> float | None:
    """CPU time that a process has used so far, where the system tells (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def new_runner() -> asyncio.Runner:
    """A runner on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)
