"""A hundred people who watch: how soon an article is on all screens, and what watching costs.

However many watch, the process reads the feed once for all of them, and the table's own changes are
read by one worker.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import cast

import orjson

from benchmarks.asking import calling, paced, request
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.http import HOST
from benchmarks.sentiment.news import body, records
from benchmarks.sentiment.running import API, Service, service

VIEWERS, PER_USER = 100, 5
WANTED_SECS = 2.0
#: Articles a second, each sent by itself.
PER_SECOND = 4.0
#: How long nobody does anything, with and without viewers.
IDLE_SECS = 5.0
_PATIENCE_SECS = 30.0
_ITEM = b"event: item\ndata: "


class Viewer(asyncio.Protocol):
    """One connection, and when each article was on it."""

    def __init__(self, port: int, key: str) -> None:
        self._port = port
        self._key = key
        self._rest = b""
        self._transport: asyncio.Transport | None = None
        self.begun = asyncio.get_running_loop().create_future()
        self.seen: defaultdict[str, list[float]] = defaultdict(list)
        self.lost: str | None = None

    async def connect(self) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, HOST, self._port)
        await asyncio.wait_for(self.begun, _PATIENCE_SECS)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        more = {"Accept": "text/event-stream"}
        self._transport.write(request("GET", f"{API}/stream", self._key, more=more))

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        *blocks, self._rest = (self._rest + data).split(b"\n\n")
        for block in blocks:
            at = block.find(_ITEM)
            if at >= 0:
                told = orjson.loads(block[at + len(_ITEM) :].split(b"\n")[0])
                self.seen[told["id"]].append(now)
            elif b"event: snapshot" in block and not self.begun.done():
                self.begun.set_result(None)
            elif b"event: resync" in block:
                self.lost = "resync"

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = self.lost or f"closed: {exc} {self._rest[:200]!r}"
        if not self.begun.done():
            self.begun.set_exception(RuntimeError(self.lost))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


@dataclass
class Watched:
    """What came of it."""

    viewers: int
    #: From the answer to the sender until an article was on a screen.
    delays: list[float] = field(default_factory=list)
    articles: int = 0
    missed: int = 0
    repeated: int = 0
    lost: list[str] = field(default_factory=list)
    #: Parts of a core that the service used while nothing happened.
    idle_before: float = 0.0
    idle: float = 0.0
    #: Looks at the feed a second, for all viewers together; and reads of the table's changes.
    looks_of_one: float = 0.0
    looks: float = 0.0
    change_reads: float = 0.0
    #: CPU of the service for an article, all of it.
    cpu_secs: float = 0.0


def measure(
    seconds: float,
    *,
    viewers: int = VIEWERS,
    idle_secs: float = IDLE_SECS,
    folder: Path | None = None,
) -> list[Finding]:
    with tempfile.TemporaryDirectory(dir=folder) as place, service(Path(place)) as running:
        return _findings(asyncio.run(_watched(running, viewers, seconds, idle_secs)))


async def _watched(running: Service, viewers: int, seconds: float, idle_secs: float) -> Watched:
    keys = [running.key("viewer", f"viewer {number}") for number in range(-(-viewers // PER_USER))]
    pool = [Viewer(running.port, keys[number // PER_USER]) for number in range(viewers)]
    found = Watched(viewers)
    # Once through everything, so that nothing is loaded for the first time while it is measured.
    await _sent(running, [], 1)
    found.idle_before, *_ = await _idle(running, idle_secs)
    try:
        await pool[0].connect()
        _, found.looks_of_one, _ = await _idle(running, idle_secs)
        await asyncio.gather(*(viewer.connect() for viewer in pool[1:]))
        found.idle, found.looks, found.change_reads = await _idle(running, idle_secs)
        cpu = running.cpu
        told = await _sent(running, pool, round(seconds * PER_SECOND))
        found.cpu_secs = (running.cpu - cpu) / max(len(told), 1)
    finally:
        for viewer in pool:
            viewer.close()
    found.articles = len(told)
    for viewer in pool:
        for article, at in told.items():
            seen = viewer.seen.get(article, [])
            found.delays += [when - at for when in seen[:1]]
            found.missed += not seen
            found.repeated += len(seen) > 1
    found.lost = [viewer.lost for viewer in pool if viewer.lost]
    return found


async def _idle(running: Service, secs: float) -> tuple[float, float, float]:
    """CPU, looks at the feed and reads of changes a second, while nobody sends anything."""
    # What was under way comes to an end first.
    await asyncio.sleep(2.0)
    before, cpu, began = running.used(), running.cpu, time.perf_counter()
    await asyncio.sleep(secs)
    cpu, passed = running.cpu - cpu, time.perf_counter() - began
    used = running.used().requests - before.requests
    looks = sum(number for (_, pattern), number in used.items() if pattern == "events_after")
    return cpu / passed, looks / passed, used["GetRecords", "feed"] / passed


async def _sent(running: Service, pool: list[Viewer], count: int) -> dict[str, float]:
    """Send articles one by one, and wait for them; gives when each was answered as taken."""
    news = list(islice(records(), 1, count + 1)) if pool else list(islice(records(), 1))
    told: dict[str, float] = {}
    async with calling(running.port, running.admin) as caller:
        answers = await paced(
            count,
            PER_SECOND,
            lambda number, due: caller.ask("POST", f"{API}/ingest", body([news[number]]), due=due),
        )
    for answer in answers:
        if answer.status == 207:
            told[orjson.loads(answer.body)["results"][0]["article_id"]] = answer.at
    ends = time.perf_counter() + _PATIENCE_SECS
    while time.perf_counter() < ends and not all(
        article in viewer.seen for viewer in pool for article in told
    ):
        await asyncio.sleep(0.1)
    return told


def _findings(found: Watched) -> list[Finding]:
    wanted = found.viewers * found.articles
    p95 = part_of(found.delays, 0.95) if not found.missed else float("inf")
    return [
        Finding("viewers", found.viewers, note=f"{PER_USER} connections of each person"),
        exactly("on screens", len(found.delays), wanted, note=f"{found.articles} articles"),
        exactly("twice on a screen", found.repeated, 0),
        exactly("cut off", len(found.lost), 0, note=found.lost[0][:200] if found.lost else ""),
        at_most("on screen after, p95", p95, WANTED_SECS, "s"),
        Finding("on screen after, p50", part_of(found.delays, 0.5), "s"),
        at_most("looks at the feed, idle", found.looks, 1.5, "/s", "of all viewers together"),
        Finding("of one viewer", found.looks_of_one, "/s"),
        Finding("reads of changes, idle", found.change_reads, "/s", note="of both workers"),
        Finding("CPU, idle, without viewers", found.idle_before * 100, "% of a core"),
        Finding("CPU, idle, with all of them", found.idle * 100, "% of a core"),
        Finding("CPU of an article", found.cpu_secs * 1000, "ms", note="all of it"),
    ]
