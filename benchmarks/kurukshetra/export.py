"""Memory of an export of 20,000 people: what it takes beyond what the process has anyway.

The service is a process of its own, with its store in it, and is asked over HTTP. Its memory is
read with every piece that comes. What the store has mapped of its file is the kernel's to take
back, and does not count.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.kurukshetra.gateway import gateway
from benchmarks.kurukshetra.running import API, DATA, Service, service
from benchmarks.kurukshetra.stage import ADMIN, festival_on, peopled, planned
from tablewright.engine import Engine
from tablewright.service.preconditions import Precondition
from tablewright.systems.kurukshetra.bodies.organising import QuestionsIn

PEOPLE, MOST_MB = 20_000, 64.0
EVENT = "export"
_QUESTION: dict[str, Any] = {"question_id": "diet", "label": "What do you not eat?", "pii": True}
_ANSWER = "Rice " * 100
_PROC = Path("/proc")
#: What a process has made itself, and no file is behind.
_OWN = "RssAnon"


@dataclass(frozen=True)
class Exported:
    """Sizes are in MB."""

    rows: int
    size: float
    secs: float
    before: float
    peak: float
    cpu_secs: float


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    if not (_PROC / "self" / "status").exists():
        return [Finding("left out", 0, note="this system does not tell the memory of processes")]
    people = PEOPLE // 10 if quick else PEOPLE
    with tempfile.TemporaryDirectory(dir=folder) as place, gateway() as address:
        asyncio.run(_prepared(Path(place) / DATA, people))
        with service(Path(place), address) as running:
            _export(running, "teams")  # warm: it has loaded what an export needs
            done = _export(running, "registrations")
    note = f"{done.size:.1f} MB of CSV in {done.secs:.1f} s, {done.cpu_secs:.1f} s of CPU"
    return [
        exactly("people in the export", done.rows, people, note=note),
        at_most("memory that it takes", done.peak - done.before, MOST_MB, "MB"),
        Finding(
            "the service's memory",
            done.peak,
            "MB",
            note="with web server and store, without mapped files",
        ),
        Finding("rows a second", done.rows / done.secs, "/s"),
    ]


async def _prepared(data: Path, people: int) -> None:
    with Engine(data, durability="relaxed") as engine:
        async with festival_on(engine, data=data) as festival:
            await planned(festival, EVENT, 10)
            by = await festival.access.now(ADMIN, EVENT)
            asked = QuestionsIn.model_validate({"questions": [_QUESTION]}, strict=False)
            await festival.events.questions.save(by, asked, Precondition("*", None))
            await peopled(festival, EVENT, people, answers={"diet": _ANSWER})


def _export(running: Service, kind: str) -> Exported:
    url = f"{running.url}{API}/events/{EVENT}/admin/export/csv?kind={kind}"
    headers = {"Authorization": f"Bearer {running.admin}"}
    before, cpu, began = _memory(running.pid, _OWN), running.cpu, time.perf_counter()
    rows, size, peak = -1, 0, before
    with httpx.stream("GET", url, headers=headers, timeout=600) as answer:
        for piece in answer.iter_bytes():
            rows += piece.count(b"\r\n")
            size += len(piece)
            peak = max(peak, _memory(running.pid, _OWN))
    if answer.status_code != 200:
        raise RuntimeError(f"{url}: {answer.status_code}")
    secs = time.perf_counter() - began
    return Exported(rows, size / 1e6, secs, before, peak, running.cpu - cpu)


def _memory(pid: int, name: str) -> float:
    """In MB."""
    lines = (_PROC / str(pid) / "status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024
