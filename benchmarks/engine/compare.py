"""Requests per second over HTTP, ours beside the peers, in one run.

All servers are up at the same time and take turns: every line is measured in rounds, in each round
on one server after the other, and the median round counts. Other load on the machine therefore
hits all of them alike, and the ratios hold even where the absolute figures do not.

Ours runs durable: every acknowledged write is synced. With a single connection each write pays for
a sync alone, while the peers keep everything in memory; there the ratio is that of relaxed
durability, and the durable figure stands beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.engine.servers import PEERS, Server, Unavailable, cache_folder, ours
from benchmarks.engine.workload import (
    BY_NAME,
    CREATE_TABLE,
    TABLE,
    WORKLOADS,
    Workload,
    all_items,
    bodies,
)
from benchmarks.progress import say

OURS, RELAXED = "tablewright", "tablewright relaxed"
REFERENCE = "DynamoDB Local"
CONNECTIONS = (1, 32)
# Numbers of the checks before measuring, beyond those of all runs; see `workload.bodies`.
CHECKS = 9_900
# Requests of a round. Who manages so few would take minutes for all rounds.
FEW = 50


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    seconds: float = 1.2
    rounds: int = 3
    warm_up: float = 2.0
    starts: int = 3

    def warm_up_of(self, server: str) -> float:
        """Java needs long: a server that has just started is several times slower."""
        return self.warm_up if server == REFERENCE else self.warm_up / 4


QUICK = Effort(seconds=0.4, rounds=1, starts=1)


@dataclass
class Line:
    """One row of the table: a workload at a number of connections."""

    workload: str
    connections: int
    writes: bool
    rates: dict[str, float] = field(default_factory=dict)
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> float | None:
        """The figure that is held against the peers."""
        alone = self.writes and self.connections == 1
        return self.rates.get(RELAXED if alone else OURS)

    @property
    def best_peer_name(self) -> str | None:
        known = {name: rate for name, rate in self.rates.items() if name in PEERS}
        return max(known, key=lambda name: known[name], default=None)

    @property
    def best_peer(self) -> float | None:
        return self.rates[self.best_peer_name] if self.best_peer_name else None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.best_peer if self.ours and self.best_peer else None

    @property
    def ratio_to_reference(self) -> float | None:
        reference = self.rates.get(REFERENCE)
        return self.ours / reference if self.ours and reference else None


@dataclass
class Footprint:
    """What a server takes besides time per request."""

    version: str
    start_seconds: float
    idle_megabytes: float
    after_megabytes: float = 0.0


@dataclass
class Report:
    machine: str
    sync_microseconds: float
    lines: list[Line] = field(default_factory=list)
    servers: dict[str, Footprint] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def geometric_mean(self) -> float | None:
        ratios = [line.ratio_to_reference for line in self.lines]
        known = [ratio for ratio in ratios if ratio]
        return math.exp(statistics.fmean(map(math.log, known))) if known else None

    def as_json(self) -> dict[str, Any]:
        content = asdict(self)
        for line, plain in zip(self.lines, content["lines"], strict=True):
            plain["ratio_to_best_peer"] = line.ratio
            plain["ratio_to_reference"] = line.ratio_to_reference
        content["geometric_mean_to_reference"] = self.geometric_mean
        return content


class Generator:
    """The load generator's process."""

    def __enter__(self) -> Generator:
        self._runs = itertools.count(1)
        command = [sys.executable, "-m", "benchmarks.engine.load"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def run(
        self, server: Server, workload: Workload, connections: int, seconds: float
    ) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        job = {
            "port": server.port,
            "workload": workload.name,
            "connections": connections,
            "seconds": seconds,
            "run": next(self._runs),
        }
        before = server.cpu_seconds()
        print(json.dumps(job), file=self._process.stdin, flush=True)
        result: dict[str, Any] = json.loads(self._process.stdout.readline())
        server.settle()
        after = server.cpu_seconds()
        if before is not None and after is not None and result.get("requests"):
            result["cpu_us"] = (after - before) / result["requests"] * 1e6
        return result


def fill(server: Server) -> None:
    """Create the table and load it."""
    server.ask("CreateTable", CREATE_TABLE)
    deadline = time.monotonic() + 30
    while server.ask("DescribeTable", {"TableName": TABLE})["Table"]["TableStatus"] != "ACTIVE":
        if time.monotonic() > deadline:
            raise Unavailable("the table does not become active")
        time.sleep(0.02)
    items = all_items()
    while batch := list(itertools.islice(items, 25)):
        requests = [{"PutRequest": {"Item": item}} for item in batch]
        server.ask("BatchWriteItem", {"RequestItems": {TABLE: requests}})


def unsupported(server: Server, workload: Workload) -> str | None:
    """Why a server's figure would not count: it refuses the request or answers wrongly."""
    run = CHECKS + WORKLOADS.index(workload)
    body = next(bodies(workload, 0, 1, run))
    partition = next(bodies(BY_NAME["Query of 25"], 0, 1, run))
    try:
        answer = server.ask(workload.operation, json.loads(body))
        items = server.ask("Query", json.loads(partition))["Items"]
    except RuntimeError as error:
        return str(error)
    if not workload.expect(answer):
        return f"wrong answer: {str(answer)[:200]}"
    # What was written has to be found again, in each item that was named.
    serial = f"1{run * 1_000_000}"
    written = body.count(f'"N":"{serial}"'.encode())
    found = sum(item["serial"]["N"] == serial for item in items)
    return None if found == written else f"{found} of {written} writes found again"


def sync_cost(folder: Path) -> float:
    """What writing 4 KB durably costs in this folder, in microseconds: the floor for a write."""
    block = os.urandom(4096)
    times = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(50):
            started = time.perf_counter()
            os.pwrite(file.fileno(), block, 0)
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e6


def fastest_start(name: str, command: Any, times: int) -> float:
    """The median time from process start to the first answer."""
    seconds = []
    for _ in range(times):
        with Server(name, command) as server:
            seconds.append(server.start_seconds)
    return statistics.median(seconds)


@contextlib.contextmanager
def running(report: Report, effort: Effort, folder: Path, peers: list[str]) -> Iterator[Any]:
    """Start every server that can be had, note its idle footprint, fill its table."""
    commands = {OURS: ours("full", folder), RELAXED: ours("relaxed", folder)}
    commands |= {name: PEERS[name] for name in peers}
    with contextlib.ExitStack() as stack:
        servers: dict[str, Server] = {}
        for name, command in commands.items():
            say(f"starting {name}")
            try:
                start = fastest_start(name, command, effort.starts)
                server = stack.enter_context(Server(name, command))
                time.sleep(0.5)
                report.servers[name] = Footprint(server.version, start, server.resident_megabytes())
                fill(server)
            except (Unavailable, RuntimeError) as error:
                report.skipped[name] = str(error)
                report.servers.pop(name, None)
            else:
                servers[name] = server
        yield servers


def plan(servers: dict[str, Server], chosen: list[Workload]) -> list[tuple[Line, list[Server]]]:
    """The lines to measure, each with the servers that can answer it."""
    lines = []
    for workload in chosen:
        missing = {
            name: reason
            for name, server in servers.items()
            if (reason := unsupported(server, workload)) is not None
        }
        for connections in CONNECTIONS:
            line = Line(workload.name, connections, workload.writes, missing=missing)
            able = [server for name, server in servers.items() if name not in missing]
            # Relaxed durability only matters where a lone writer would wait for its own sync.
            if not (workload.writes and connections == 1):
                able = [server for server in able if server.name != RELAXED]
            lines.append((line, able))
    return lines


def enough(result: dict[str, Any]) -> bool:
    """Whether more rounds would say no more: it fails, or a round is not worth the name."""
    return bool(result["errors"]) or int(result["requests"]) < FEW


def measure(
    generator: Generator, line: Line, servers: list[Server], workload: Workload, effort: Effort
) -> None:
    results: dict[str, list[dict[str, Any]]] = {server.name: [] for server in servers}
    left_out: set[str] = set()
    for round_ in range(effort.rounds):
        # Every second round runs backwards, so that nobody always follows the same neighbour.
        for server in servers if round_ % 2 == 0 else reversed(servers):
            if server.name not in left_out:
                result = generator.run(server, workload, line.connections, effort.seconds)
                results[server.name].append(result)
                left_out |= {server.name} if enough(result) else set()
    for name, rounds in results.items():
        failed = [result["error"] for result in rounds if result["errors"]]
        if failed:
            line.missing = line.missing | {name: f"errors under load: {failed[0]}"}
            continue
        rounds.sort(key=lambda result: float(result["requests_per_second"]))
        rates = [result["requests_per_second"] for result in rounds]
        line.rates[name] = rates[len(rates) // 2]
        line.details[name] = rounds[len(rounds) // 2] | {"slowest": rates[0], "fastest": rates[-1]}


def compare(
    effort: Effort, peers: list[str], folder: Path | None = None, only: str | None = None
) -> Report:
    base = folder or cache_folder()
    chosen = [workload for workload in WORKLOADS if not only or only in workload.name.lower()]
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    report = Report(machine, sync_cost(base))
    with (
        tempfile.TemporaryDirectory(prefix="run-", dir=base) as data,
        Generator() as generator,
        running(report, effort, Path(data), peers) as servers,
    ):
        lines = plan(servers, chosen)
        by_name = {workload.name: workload for workload in chosen}
        for server in servers.values():
            say(f"warming up {server.name}")
            for workload in chosen:
                generator.run(server, workload, 8, effort.warm_up_of(server.name))
        for line, able in lines:
            say(f"measuring {line.workload}, {line.connections} connection(s)")
            measure(generator, line, able, by_name[line.workload], effort)
            report.lines.append(line)
        for name, server in servers.items():
            report.servers[name].after_megabytes = server.resident_megabytes()
    return report
