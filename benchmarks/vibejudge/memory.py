"""Memory at its peak: of the process that reads a repository of 50,000 lines, and of the service.

A job of one submission, in a process that does nothing else. The kernel remembers the peak of each
process, which is read until it ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.findings import Finding, at_most
from benchmarks.vibejudge.court import Ran, children, courtroom_on, entered, ran, readable
from benchmarks.vibejudge.repositories import repositories
from tablewright.engine import Engine
from tablewright.systems.vibejudge.repos.limits import MB, Limits

LINES = 50_000
_LOOK_SECS = 0.02
_STATUS, _PEAK = Path("/proc"), "VmHWM:"


@dataclass(frozen=True)
class Peaks:
    """In MB."""

    before: float
    service: float
    child: float
    ran: Ran


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    if not (_STATUS / "self" / "status").exists():
        return [Finding("left out", 0, note="this system does not tell the memory of processes")]
    lines = 10_000 if quick else LINES
    (made,) = repositories(1, lines)
    with (
        tempfile.TemporaryDirectory(dir=folder) as place,
        # What this process has used before must not count.
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other,
    ):
        found = other.submit(_measured, Path(place), made).result()
    allowed = Limits().memory_bytes / MB
    job = f"{lines:,} lines, in {found.ran.secs:.1f} s, {found.ran.child_secs:.1f} s of CPU"
    return [
        Finding("analysed", found.ran.job.completed_submissions, note=job),
        at_most("the child's memory", found.child, allowed, "MB", "what an analysis may have"),
        Finding("the service's memory", found.service, "MB", note="without web server and pages"),
        Finding("the same before the job", found.before, "MB"),
    ]


def _measured(folder: Path, made: Path) -> Peaks:
    with Engine(folder) as engine:
        return asyncio.run(_job(engine, made))


async def _job(engine: Engine, made: Path) -> Peaks:
    async with courtroom_on(engine, processes=1, **readable([made])) as courtroom:
        hackathon = await entered(courtroom, [made], "memory")
        before = peak("self")
        others = _Others()
        watching = asyncio.create_task(others.watch())
        done = await ran(courtroom, hackathon)
        watching.cancel()
        return Peaks(before, peak("self"), others.most, done)


class _Others:
    """The highest peak of any process that this one has started, or one of these has."""

    def __init__(self) -> None:
        self.most = 0.0

    async def watch(self) -> None:
        while True:
            for pid in _descendants(os.getpid()):
                self.most = max(self.most, peak(str(pid)))
            await asyncio.sleep(_LOOK_SECS)


def _descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [lower for each in found for lower in _descendants(each)]


def peak(pid: str) -> float:
    """In MB; 0 if it has ended."""
    try:
        text = (_STATUS / pid / "status").read_text()
    except OSError:
        return 0.0
    lines = (line for line in text.splitlines() if line.startswith(_PEAK))
    return sum(int(line.split()[1]) for line in lines) / 1024
