"""The load generator: closed-loop connections over raw HTTP, in a process of its own.

A process of its own, so that it shares no interpreter with the server; a protocol of its own,
because every common HTTP client costs more per request than the servers under test. It reads one
job per line of standard input and answers each with one line of JSON:

    {"port": 8000, "workload": "GetItem", "connections": 32, "seconds": 1.0, "run": 7}

Each connection has one request under way at a time. Servers that close the connection after each
answer are reconnected to, and pay for it.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

from benchmarks.engine.workload import BY_NAME, Workload, bodies

HOST = "127.0.0.1"


def headers(operation: str) -> dict[str, str]:
    """What an AWS SDK sends; the signature only looks like one."""
    now = datetime.now(UTC)
    scope = f"{now:%Y%m%d}/us-east-1/dynamodb/aws4_request"
    signed = "content-type;host;x-amz-date;x-amz-target"
    return {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "X-Amz-Date": f"{now:%Y%m%dT%H%M%SZ}",
        "Authorization": f"AWS4-HMAC-SHA256 Credential=benchmark/{scope}, "
        f"SignedHeaders={signed}, Signature={'0' * 64}",
        "User-Agent": "Boto3/1.40 md/Botocore#1.40",
        "Accept-Encoding": "identity",
    }


def head(operation: str, length: int) -> bytes:
    """Everything of a request before its body."""
    fields = headers(operation) | {"Host": HOST, "Content-Length": str(length)}
    lines = ["POST / HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


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

    def __init__(self, port: int, operation: str, requests: Iterator[bytes], until: float) -> None:
        self.port = port
        self.requests = requests
        self.until = until
        self.latencies: list[float] = []
        self.errors: list[str] = []
        self.done = asyncio.get_running_loop().create_future()
        self._operation = operation
        self._head = b""
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
        body = next(self.requests)
        if not self._head:
            self._head = head(self._operation, len(body))
        assert self._transport is not None
        self._waiting = True
        self._asked = time.perf_counter()
        self._transport.write(self._head + body)

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        if not complete(self._buffer):
            return
        now = time.perf_counter()
        answer, self._buffer = self._buffer, b""
        self._waiting = False
        if answer[9:12] == b"200":
            self.latencies.append(now - self._asked)
        else:
            self.errors.append(answer[-300:].decode(errors="replace"))
        if now >= self.until:
            self.close()
        elif b"\r\nconnection: close" not in answer[:600].lower() and answer[:8] == b"HTTP/1.1":
            self._ask()
        # Otherwise the server closes, and connection_lost goes on.

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


async def measure(
    port: int, workload: Workload, connections: int, seconds: float, run: int
) -> dict[str, Any]:
    """Requests per second and latencies over `connections` for `seconds`."""
    started, busy = time.perf_counter(), time.process_time()
    until = started + seconds
    pool = [
        Connection(port, workload.operation, bodies(workload, number, connections, run), until)
        for number in range(connections)
    ]
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


def answer_jobs() -> None:
    try:
        import uvloop

        runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    except ImportError:
        runner = asyncio.Runner()
    with runner:
        for line in sys.stdin:
            job = json.loads(line)
            workload = BY_NAME[job.pop("workload")]
            try:
                result = runner.run(measure(workload=workload, **job))
            except (OSError, TimeoutError) as error:
                result = {"errors": 1, "error": f"{type(error).__name__} {error}"}
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    answer_jobs()
