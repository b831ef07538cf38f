"""The load generator: closed-loop connections over raw HTTP, in a process of its own.

A process of its own, so that it shares no interpreter with the server. It reads one job per line of
standard input and answers each with one line of JSON:

    {"port": 8000, "workload": "GetItem", "connections": 32, "seconds": 1.0, "run": 7}
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from benchmarks.engine.workload import BY_NAME, Workload, bodies
from benchmarks.http import HOST, Connection, measure, new_runner


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


def requests(workload: Workload, number: int, connections: int, run: int) -> Iterator[bytes]:
    """Whole requests; all bodies of a workload have one length, so one head serves them."""
    front = b""
    for body in bodies(workload, number, connections, run):
        front = front or head(workload.operation, len(body))
        yield front + body


async def load(
    port: int, workload: Workload, connections: int, seconds: float, run: int
) -> dict[str, Any]:
    """One workload over `connections` for `seconds`."""
    until = time.perf_counter() + seconds
    pool = [
        Connection(port, requests(workload, number, connections, run), until)
        for number in range(connections)
    ]
    return await measure(pool, seconds)


def answer_jobs() -> None:
    with new_runner() as runner:
        for line in sys.stdin:
            job = json.loads(line)
            workload = BY_NAME[job.pop("workload")]
            try:
                result = runner.run(load(workload=workload, **job))
            except (OSError, TimeoutError) as error:
                result = {"errors": 1, "error": f"{type(error).__name__} {error}"}
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    answer_jobs()
