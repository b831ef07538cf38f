"""Latency of `engine.call` in process, without a network.

The requests are those of the comparison, already decoded: what is measured is the engine, from a
request in DynamoDB's shapes to its answer. Writes run with relaxed durability, since a synced
write measures the disk.
"""

from __future__ import annotations

import itertools
import json
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine.servers import cache_folder
from benchmarks.engine.workload import BY_NAME, CREATE_TABLE, TABLE, Workload, all_items, bodies
from tablewright.engine import Engine

ROUNDS, PER_ROUND = 5, 2_000


@dataclass
class Latency:
    request: str
    p50_us: float
    p99_us: float


def fill(engine: Engine) -> None:
    engine.call("CreateTable", CREATE_TABLE)
    items = all_items()
    while batch := list(itertools.islice(items, 25)):
        requests = [{"PutRequest": {"Item": item}} for item in batch]
        engine.call("BatchWriteItem", {"RequestItems": {TABLE: requests}})


def timed(engine: Engine, operation: str, requests: list[dict[str, Any]]) -> list[float]:
    """Seconds for each request. Decoding them is not part of it."""
    call, now = engine.call, time.perf_counter
    times = []
    for request in requests:
        started = now()
        call(operation, request)
        times.append(now() - started)
    return times


def requests(workload: Workload, run: int) -> list[dict[str, Any]]:
    return [json.loads(body) for body in itertools.islice(bodies(workload, 0, 1, run), PER_ROUND)]


def measure(folder: Path | None = None) -> list[Latency]:
    times: dict[str, list[float]] = {name: [] for name in BY_NAME}
    with (
        tempfile.TemporaryDirectory(prefix="inprocess-", dir=folder or cache_folder()) as data,
        Engine(data, durability="relaxed") as engine,
    ):
        fill(engine)
        # The first round warms caches up and does not count.
        for run in range(ROUNDS + 1):
            for name, workload in BY_NAME.items():
                found = timed(engine, workload.operation, requests(workload, run))
                times[name] += found if run else []
    return [
        Latency(name, statistics.median(found) * 1e6, sorted(found)[len(found) * 99 // 100] * 1e6)
        for name, found in times.items()
    ]
