"""CPU and wall time per operation: every client in one process, against one server in another.

The clients take turns, round by round. Of all rounds the cheapest counts: whatever else the machine
does can only add to it. CPU time is that of this process, so the server has no part in it. Python
collects garbage as ever, but not what the libraries keep: no program has all of them loaded.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.client import ours, peers
from benchmarks.client.clients import Client
from benchmarks.client.workload import (
    CREATE_TABLE,
    KINDS,
    TABLE,
    Kind,
    Place,
    all_places,
    item,
    places,
)
from benchmarks.engine.servers import Server, cache_folder
from benchmarks.engine.servers import ours as our_server
from benchmarks.http import HOST
from benchmarks.progress import say

CLIENTS: tuple[Callable[[str], Client], ...] = (
    ours.Ours,
    ours.AsyncOurs,
    peers.Boto3Resource,
    peers.Boto3Client,
    peers.Pynamo,
    peers.Aiodynamo,
)
OURS = (ours.Ours.name, ours.AsyncOurs.name)
#: Whom we are held against, and how much of their CPU time we may take.
TARGETS = {
    peers.Boto3Resource.name: 0.25,
    peers.Pynamo.name: 0.25,
    peers.Aiodynamo.name: 1.0,
}
WARM_UP = 30


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    seconds: float = 0.2
    rounds: int = 15


QUICK = Effort(seconds=0.1, rounds=5)


@dataclass
class Cost:
    """What one operation costs, in microseconds."""

    cpu_us: float
    wall_us: float
    operations: int


@dataclass
class Line:
    """One kind of operation, by client."""

    kind: Kind
    costs: dict[str, Cost] = field(default_factory=dict)

    def ratio(self, ours: str, peer: str) -> float | None:
        """Our CPU time as a part of the peer's."""
        if ours not in self.costs or peer not in self.costs:
            return None
        return self.costs[ours].cpu_us / self.costs[peer].cpu_us

    def ratios(self) -> dict[str, dict[str, float]]:
        """By ours and peer."""
        found = {
            mine: {peer: self.ratio(mine, peer) for peer in TARGETS}
            for mine in OURS
            if mine in self.costs
        }
        return {
            mine: {peer: ratio for peer, ratio in of.items() if ratio is not None}
            for mine, of in found.items()
        }


@dataclass
class Report:
    machine: str
    versions: dict[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        content = asdict(self)
        for line, plain in zip(self.lines, content["lines"], strict=True):
            plain["cpu_ratios"] = line.ratios()
        return content


class WrongAnswer(Exception):
    """A client that does not do what the others do has no figure."""


def fill(server: Server) -> None:
    server.ask("CreateTable", CREATE_TABLE)
    every = all_places()
    while batch := list(itertools.islice(every, 25)):
        requests = [{"PutRequest": {"Item": item(place)}} for place in batch]
        server.ask("BatchWriteItem", {"RequestItems": {TABLE: requests}})


def check(client: Client, server: Server, number: int) -> None:
    """That the client reads what is there, and that what it writes is what the others would."""
    place = Place(3, number)
    found = client.one("get", client.prepare("get", place))
    _same(client, "get", client.plain(found), expected(place))
    listed = client.one("query", client.prepare("query", place))
    read = [client.plain(each) for each in listed]
    _same(client, "query", read, [expected(Place(3, row)) for row in range(len(read))])
    _same(client, "query", len(read), 100)
    written = Place(4, number, serial=1000 + number)
    client.one("put", client.prepare("put", written))
    _same(client, "put", stored(server, written), sorted_sets(item(written)))
    several = Place(5, number, serial=2000 + number)
    client.one("batch", client.prepare("batch", several))
    for each in several.neighbours():
        _same(client, "batch", stored(server, each), sorted_sets(item(each)))


def expected(place: Place) -> dict[str, Any]:
    return peers.values(place)


def stored(server: Server, place: Place) -> Any:
    key = {"pk": {"S": place.pk}, "sk": {"S": place.sk}}
    return sorted_sets(server.ask("GetItem", {"TableName": TABLE, "Key": key})["Item"])


def sorted_sets(wire: dict[str, Any]) -> dict[str, Any]:
    return wire | {"tags": {"SS": sorted(wire["tags"]["SS"])}}


def _same(client: Client, kind: Kind, found: Any, wanted: Any) -> None:
    if found != wanted:
        raise WrongAnswer(f"{client.name}, {kind}: {found!r} instead of {wanted!r}")


def measure(
    clients: Sequence[Client], kind: Kind, effort: Effort, runs: Iterator[int]
) -> dict[str, Cost]:
    counts = {client.name: _count(client, kind, effort, next(runs)) for client in clients}
    best: dict[str, Cost] = {}
    for round_ in range(effort.rounds):
        # Every second round runs backwards, so that nobody always follows the same neighbour.
        for client in clients if round_ % 2 == 0 else reversed(clients):
            cost = _timed(client, kind, counts[client.name], next(runs))
            old = best.setdefault(client.name, cost)
            best[client.name] = Cost(
                min(old.cpu_us, cost.cpu_us),
                min(old.wall_us, cost.wall_us),
                old.operations + cost.operations,
            )
    return best


def _count(client: Client, kind: Kind, effort: Effort, run: int) -> int:
    """As many operations as fill a round; a warm-up at the same time."""
    cost = _timed(client, kind, WARM_UP, run)
    return max(5, round(effort.seconds * 1e6 / cost.wall_us))


def _timed(client: Client, kind: Kind, count: int, run: int) -> Cost:
    arguments = [client.prepare(kind, place) for place in places(run, count)]
    gc.collect()
    started, used = time.perf_counter(), time.process_time()
    client.run(kind, arguments)
    used, wall = time.process_time() - used, time.perf_counter() - started
    return Cost(used / count * 1e6, wall / count * 1e6, count)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[tuple[Server, list[Client]]]:
    with Server("tablewright", our_server("relaxed", folder)) as server:
        fill(server)
        clients = [make(f"http://{HOST}:{server.port}") for make in CLIENTS]
        try:
            yield server, clients
        finally:
            for client in clients:
                client.close()


def compare(effort: Effort, only: str | None = None, folder: Path | None = None) -> Report:
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    report = Report(machine)
    with (
        tempfile.TemporaryDirectory(prefix="client-", dir=folder or cache_folder()) as data,
        running(Path(data)) as (server, clients),
    ):
        for number, client in enumerate(clients):
            check(client, server, number)
            report.versions[client.name] = client.version
        # No client pays for what the others keep in memory: only for what its operations leave.
        gc.collect()
        gc.freeze()
        runs = itertools.count(1)
        for kind, name in KINDS.items():
            if only is None or only.lower() in name.lower():
                say(f"measuring {name}")
                report.lines.append(Line(kind, measure(clients, kind, effort, runs)))
    return report
