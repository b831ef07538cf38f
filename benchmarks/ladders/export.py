"""Reports as files, over HTTP: of the shipped ladder, with usual texts and with the longest."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pypdf import PdfReader

from benchmarks.asking import Answer, calling
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.ladders.extent import Crew, Extent, Someone
from benchmarks.ladders.running import Place, place, sent
from benchmarks.ladders.stage import QUICK_TIMES, TIMES

COUNT, WANTED_SECS = 20, 3.0


@dataclass(frozen=True)
class Exported:
    """The answers about some reports."""

    first: Answer
    answers: Sequence[Answer]
    cpu_secs: float


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    count = 2 if quick else COUNT
    with place((QUICK_TIMES if quick else TIMES)[-1], folder) as large:
        usual = asyncio.run(_exported(large, _members(large.extent, count), "pdf"))
        wordy = large.extent.wordy
        longest = asyncio.run(_exported(large, [(wordy, wordy.members[0])] * count, "pdf"))
        table = asyncio.run(_exported(large, _members(large.extent, count), "csv"))
    every = [each for done in (usual, longest, table) for each in (done.first, *done.answers)]
    wrong = sum(each.status != 200 for each in every)
    return [
        exactly("errors", wrong, 0, note="" if wrong == 0 else str(every[0].body[:200])),
        *_findings("PDF", usual),
        *_findings("PDF of the longest texts", longest),
        Finding("CSV, p95", part_of([each.secs * 1000 for each in table.answers], 0.95), "ms"),
    ]


def _members(extent: Extent, count: int) -> list[tuple[Crew, Someone]]:
    """Of different teams."""
    crews = (extent.crews[number % len(extent.crews)] for number in range(count))
    return [(crew, crew.members[0]) for crew in crews]


async def _exported(where: Place, about: Sequence[tuple[Crew, Someone]], kind: str) -> Exported:
    shown = where.tokens([member for _, member in about])
    requests = [
        sent("POST", f"/reports/{crew.report_id(member)}/export?format={kind}", token)
        for (crew, member), token in zip(about, shown, strict=True)
    ]
    async with calling(where.service.port, "") as caller:
        # The first one loads what it is made with.
        first = await caller.send(requests[0])
        cpu = where.service.cpu
        answers = [await caller.send(each) for each in requests]
    return Exported(first, answers, (where.service.cpu - cpu) / len(answers))


def _findings(what: str, done: Exported) -> list[Finding]:
    last = done.answers[-1].body
    pages = len(PdfReader(io.BytesIO(last)).pages)
    secs = [each.secs for each in done.answers]
    note = (
        f"p50 {part_of(secs, 0.5):.2f}, the first {done.first.secs:.2f}; {done.cpu_secs:.2f} of CPU"
    )
    slowest = max(*secs, done.first.secs)
    size = f"{len(last) / 1024:.0f} KB"
    return [
        at_most(f"{what}, slowest", slowest, WANTED_SECS, "s", note),
        Finding("its pages", pages, note=size),
    ]
