"""What a request costs in a small table and in a large one.

Two engines with the same table, one of 1,000 items and one of 1,000,000, are asked in turn: over
HTTP, as most programs do, and in process, where nothing hides the difference. Keys are picked at
random over the whole table: the large one is not allowed to live in a cache of its recent past.

Each is read once from end to end before. The system maps a page of the file when a process first
touches it, which is paid once: after the first thousand requests the small table has nothing left
to pay for, and the large one nearly everything.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from benchmarks.engine.load import head
from benchmarks.engine.servers import cache_folder
from benchmarks.engine.workload import (
    CREATE_TABLE,
    PER_PARTITION,
    TABLE,
    WORKLOADS,
    item,
    template,
)
from benchmarks.http import complete
from benchmarks.progress import say
from tablewright.engine import Engine
from tablewright.testing import EngineProcess

SMALL = 1_000
MEASURED = ("GetItem", "PutItem", "Query of 25")
ROUNDS, PER_ROUND = 8, 1_000


@dataclass
class Cost:
    request: str
    way: str
    items: int
    small_us: float
    large_us: float

    small_items: int = SMALL

    @property
    def ratio(self) -> float:
        return self.large_us / self.small_us


def fill(engine: Engine, items: int) -> None:
    """Whole partitions, one batch each."""
    engine.call("CreateTable", CREATE_TABLE)
    body = template(item())
    for partition in range(items // PER_PARTITION):
        puts = [
            {"PutRequest": {"Item": json.loads(body % {b"p": partition, b"r": row, b"n": 0})}}
            for row in range(PER_PARTITION)
        ]
        engine.call("BatchWriteItem", {"RequestItems": {TABLE: puts}})
        if partition % 4_000 == 0 and items > 100_000:
            say(f"filled {partition * PER_PARTITION:,} of {items:,}")


def requests(body: bytes, partitions: int, run: int) -> list[dict[str, Any]]:
    chance = random.Random(run)
    return [
        json.loads(
            body
            % {
                b"p": chance.randrange(partitions),
                b"r": chance.randrange(PER_PARTITION),
                b"n": run * PER_ROUND + count,
            }
        )
        for count in range(PER_ROUND)
    ]


class InProcess:
    """The engine in this process."""

    way = "in process"

    def __init__(self, data: str) -> None:
        self._engine = Engine(data, durability="relaxed")

    def ask(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self._engine.call(operation, request)

    def close(self) -> None:
        self._engine.close()


class OverHttp:
    """The engine behind a port, asked over one connection by a client that costs little."""

    way = "over HTTP"

    def __init__(self, data: str) -> None:
        self._server = EngineProcess(data, arguments=["--durability", "relaxed"]).start()
        port = int(self._server.url.rpartition(":")[2])
        self._socket = socket.create_connection(("127.0.0.1", port))

    def ask(self, operation: str, request: dict[str, Any]) -> bytes:
        body = orjson.dumps(request)
        self._socket.sendall(head(operation, len(body)) + body)
        answer = b""
        while not complete(answer):
            answer += self._socket.recv(1 << 20)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer.decode())
        return answer.partition(b"\r\n\r\n")[2]

    def close(self) -> None:
        self._socket.close()
        self._server.stop()


def seconds(asked: InProcess | OverHttp, operation: str, wanted: list[dict[str, Any]]) -> float:
    started = time.perf_counter()
    for request in wanted:
        asked.ask(operation, request)
    return (time.perf_counter() - started) / len(wanted)


def read_all(asked: InProcess | OverHttp) -> None:
    """Read the table once, page by page."""
    request: dict[str, Any] = {"TableName": TABLE, "Select": "COUNT"}
    while True:
        answer = asked.ask("Scan", request)
        page = answer if isinstance(answer, dict) else json.loads(answer)
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def measure(large: int, folder: Path | None = None) -> list[Cost]:
    sizes = (SMALL, large)
    base = folder or cache_folder()
    with contextlib.ExitStack() as stack:
        data = {}
        for size in sizes:
            data[size] = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="growth-", dir=base)
            )
            with Engine(data[size], durability="relaxed") as engine:
                fill(engine, size)
        return [*_costs(OverHttp, data, large), *_costs(InProcess, data, large)]


def _costs(way: type[InProcess | OverHttp], data: dict[int, str], large: int) -> Iterator[Cost]:
    with contextlib.ExitStack() as stack:
        asked = {size: stack.enter_context(contextlib.closing(way(data[size]))) for size in data}
        for each in asked.values():
            read_all(each)
        for workload in (found for found in WORKLOADS if found.name in MEASURED):
            body = template(workload.request)
            times: dict[int, list[float]] = {size: [] for size in data}
            # The first round warms up; then small and large take turns.
            for run in range(ROUNDS + 1):
                for size in data:
                    wanted = requests(body, size // PER_PARTITION, run)
                    took = seconds(asked[size], workload.operation, wanted)
                    times[size] += [took] if run else []
            # The fastest round of each: other load on the machine only ever adds.
            small_us, large_us = (min(each) * 1e6 for each in times.values())
            yield Cost(workload.name, way.way, large, small_us, large_us)
