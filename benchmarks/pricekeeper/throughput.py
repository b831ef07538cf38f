"""Requests per second and latencies of the REST API, against the targets."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.http import cpu_seconds
from benchmarks.pricekeeper.load import BATCH
from benchmarks.pricekeeper.running import ORGS, Service, service


@dataclass(frozen=True)
class Line:
    """One measurement, and what is wanted of it."""

    title: str
    kind: str
    connections: int
    version: int = 7
    orgs: int = 1
    #: Records or requests a second.
    at_least: float | None = None
    p99_under_ms: float | None = None

    @property
    def each(self) -> int:
        return BATCH if self.kind == "batch" else 1


LINES = (
    Line("single records", "single", 32, at_least=1000, p99_under_ms=75),
    Line("records in batches, UUIDv7", "batch", 8, orgs=ORGS, at_least=5000),
    Line("the same of one organisation", "batch", 8, at_least=5000),
    Line("records in batches, UUIDv4", "batch", 8, version=4, orgs=ORGS, at_least=5000),
    Line("selections", "selection", 32, p99_under_ms=120),
    Line("aggregates of today", "aggregates", 32, p99_under_ms=220),
    Line("token check and one read", "token check", 32, p99_under_ms=20),
    Line("secret retrieval", "retrieval", 32, p99_under_ms=100),
)


@dataclass(frozen=True)
class Found:
    """What came out."""

    line: Line
    per_second: float
    p50_ms: float
    p99_ms: float
    #: CPU time of the service for each record or request.
    cpu_us: float | None
    errors: int
    error: str | None


def measure(seconds: float, folder: Path | None = None) -> list[Found]:
    """All lines, one after the other, on one service; each is warmed up first."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as data,
        service(Path(data)) as running,
        _generator() as generator,
    ):
        for line in LINES:
            _ask(generator, running, line, min(seconds, 1.0))
        return [_found(line, _ask(generator, running, line, seconds)) for line in LINES]


def _generator() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.pricekeeper.load"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ask(
    generator: subprocess.Popen[str], running: Service, line: Line, seconds: float
) -> dict[str, Any]:
    job = {
        "port": running.port,
        "kind": line.kind,
        "connections": line.connections,
        "seconds": seconds,
        "places": running.places[: line.orgs],
        "version": line.version,
    }
    assert generator.stdin is not None
    assert generator.stdout is not None
    before = cpu_seconds(running.pid)
    generator.stdin.write(json.dumps(job) + "\n")
    generator.stdin.flush()
    found: dict[str, Any] = json.loads(generator.stdout.readline())
    after = cpu_seconds(running.pid)
    if before is not None and after is not None and found.get("requests"):
        found["cpu_us"] = (after - before) / found["requests"] * 1e6
    return found


def _found(line: Line, result: dict[str, Any]) -> Found:
    return Found(
        line,
        result.get("requests_per_second", 0.0) * line.each,
        result.get("p50_us", 0.0) / 1000,
        result.get("p99_us", 0.0) / 1000,
        result["cpu_us"] / line.each if "cpu_us" in result else None,
        result["errors"],
        result["error"],
    )
