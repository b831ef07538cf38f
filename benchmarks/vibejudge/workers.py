"""Fifty repositories of 5,000 lines, by rules alone: one, two and four analysed at a time.

Each is read and measured in a process of its own; what is written is synced.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding, at_least, at_most, exactly
from benchmarks.vibejudge.court import Ran, courtroom_on, entered, ran, readable
from benchmarks.vibejudge.repositories import repositories
from tablewright.engine import Engine

COUNT, LINES = 50, 5_000
WANTED_SECS, WANTED_CORES, WANTED_GAIN = 60.0, 4, 1.7


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    made = repositories(8 if quick else COUNT, LINES)
    places = (1, 2) if quick else (1, 2, 4)
    with tempfile.TemporaryDirectory(dir=folder) as place, Engine(Path(place)) as engine:
        found = asyncio.run(_measured(engine, made, places))
    return _findings(found, len(made))


async def _measured(engine: Engine, made: Sequence[Path], places: Sequence[int]) -> dict[int, Ran]:
    # What an analysis needs is read from the disk once.
    await _ran(engine, made[:1], 1, "warm")
    return {each: await _ran(engine, made, each, f"n{each}") for each in places}


async def _ran(engine: Engine, made: Sequence[Path], processes: int, name: str) -> Ran:
    options: dict[str, Any] = {"processes": processes, **readable(made)}
    async with courtroom_on(engine, **options) as courtroom:
        return await ran(courtroom, await entered(courtroom, made, name))


def _findings(found: dict[int, Ran], count: int) -> list[Finding]:
    cores = os.cpu_count() or 1
    done = sum(each.job.completed_submissions for each in found.values())
    return [
        Finding("cores", cores, note=f"{count} repositories of {LINES:,} lines"),
        exactly("analysed", done, count * len(found)),
        *(_rate(processes, each, count) for processes, each in found.items()),
        _of_fifty(found, count, cores),
        _gain(found, cores),
    ]


def _rate(processes: int, each: Ran, count: int) -> Finding:
    what = f"a minute, {processes} at a time"
    cpu = f"{each.child_secs / count:.2f} s of CPU for each, and {each.parent_secs / count:.3f} s"
    return Finding(what, 60 * count / each.secs, note=f"{each.secs:.1f} s; {cpu} of the service")


def _of_fifty(found: dict[int, Ran], count: int, cores: int) -> Finding:
    """What is wanted is said of four cores; with fewer it can only be told from the CPU time."""
    most = found[max(found)]
    if cores >= WANTED_CORES and WANTED_CORES in found:
        secs = found[WANTED_CORES].secs * COUNT / count
        return at_most(f"{COUNT} on {WANTED_CORES} cores", secs, WANTED_SECS, "s")
    shared = max(most.parent_secs, (most.parent_secs + most.child_secs) / WANTED_CORES)
    note = f"estimated: CPU time over {WANTED_CORES} cores; here {most.secs * COUNT / count:.1f} s"
    what = f"{COUNT} on {WANTED_CORES} cores"
    return at_most(what, shared * COUNT / count, WANTED_SECS, "s", note)


def _gain(found: dict[int, Ran], cores: int) -> Finding:
    gain = found[1].secs / found[2].secs
    return at_least("2 at a time against 1", gain, WANTED_GAIN, "x", f"on {cores} cores")
