"""What a request costs in a small table and in a large one.

Two engines with the same table, one of 1,000 items and one of 1,000,000, are asked in turn, in
process, so that no network hides the difference. Keys are picked at random over the whole table:
the large one is not allowed to live in a cache of its recent past.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine.servers import cache_folder
from benchmarks.engine.workload import (
    CREATE_TABLE,
    PER_PARTITION,
    TABLE,
    WORKLOADS,
    item,
    template,
)
from tablewright.engine import Engine

SMALL = 1_000
MEASURED = ("GetItem", "PutItem", "Query of 25")
ROUNDS, PER_ROUND = 8, 1_000


@dataclass
class Cost:
    request: str
    items: int
    small_us: float
    large_us: float

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
            print(f"filled {partition * PER_PARTITION:,} of {items:,}", file=sys.stderr, flush=True)


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


def seconds(engine: Engine, operation: str, wanted: list[dict[str, Any]]) -> float:
    started = time.perf_counter()
    for request in wanted:
        engine.call(operation, request)
    return (time.perf_counter() - started) / len(wanted)


def measure(large: int, folder: Path | None = None) -> list[Cost]:
    sizes = (SMALL, large)
    base = folder or cache_folder()
    with contextlib.ExitStack() as stack:
        engines = {}
        for size in sizes:
            data = stack.enter_context(tempfile.TemporaryDirectory(prefix="growth-", dir=base))
            engines[size] = stack.enter_context(Engine(data, durability="relaxed"))
            fill(engines[size], size)
        costs = []
        for workload in (found for found in WORKLOADS if found.name in MEASURED):
            body = template(workload.request)
            times: dict[int, list[float]] = {size: [] for size in sizes}
            # The first round warms up; then small and large take turns.
            for run in range(ROUNDS + 1):
                for size in sizes:
                    wanted = requests(body, size // PER_PARTITION, run)
                    took = seconds(engines[size], workload.operation, wanted)
                    times[size] += [took] if run else []
            # The fastest round of each: other load on the machine only ever adds.
            small_us, large_us = (min(times[size]) * 1e6 for size in sizes)
            costs.append(Cost(workload.name, large, small_us, large_us))
        return costs


def text(costs: list[Cost]) -> str:
    large = f"{costs[0].items:,} items"
    lines = [f"cost per request{'1,000 items':>16}{large:>18}{'ratio':>9}"]
    lines.append("-" * len(lines[0]))
    for cost in costs:
        figures = f"{cost.small_us:13.1f} us{cost.large_us:15.1f} us{cost.ratio:8.2f}x"
        lines.append(f"{cost.request:<16}{figures}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(text(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)))
