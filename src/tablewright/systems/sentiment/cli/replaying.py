"""``replay``: a file of records into the system, as quickly as it goes or at a rate."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled
from tablewright.service.typed import facts, file_name, number
from tablewright.service.wording import several
from tablewright.systems.sentiment.cli import reading
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import InFile

if TYPE_CHECKING:
    from tablewright.systems.sentiment.cli.analysing import Analysed
    from tablewright.systems.sentiment.cli.record_files import RecordFile, Row
    from tablewright.systems.sentiment.rules.records import Record
    from tablewright.systems.sentiment.service.intake import Outcome
    from tablewright.systems.sentiment.service.newsroom import Newsroom as Room

#: What becomes of records, as it is told; "new" is "ingested" inside.
RESULTS = ("new", "duplicate", "tagged", "unmatched", "gone", "rejected")
#: Records that are stored together, and how often in a second at a given rate.
_PAGE, _STEPS = 200, 5
#: How often a page is sent again before it gives up, and the first pause in seconds.
_TRIES, _PAUSE_SECS = 7, 0.5
#: Rejected lines that are shown, and that a program is told of.
_SHOWN, _TOLD = 10, 1000
_TICK_SECS = 0.2


@dataclass
class Report:
    """What became of the records."""

    results: Counter[str] = field(default_factory=Counter)
    #: Lines that were rejected, and why.
    errors: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def records(self) -> int:
        return self.results.total()

    def reject(self, line: int, reason: str) -> None:
        self.results["rejected"] += 1
        if len(self.errors) < _TOLD:
            self.errors.append((line, reason))

    def add(self, line: int, outcome: Outcome) -> None:
        if outcome.result == "rejected":
            self.reject(line, outcome.reason or "")
        else:
            self.results["new" if outcome.result == "ingested" else outcome.result] += 1


async def replay(
    newsroom: Newsroom,
    desk: Desk,
    /,
    file: InFile,
    *,
    rate: str | None = None,
    as_published: bool = False,
    form: Annotated[Literal["jsonl", "csv"] | None, Parameter(name="--format")] = None,
) -> Answer:
    """Take the articles of a file. Each counts once, so it is safe to run again.

    Records have the fields that the REST API takes: title, text, url, source, author and
    published_at. Lines that are rejected are told with their numbers; then the exit code is 1.

    Parameters
    ----------
    file
        JSON lines or CSV with a head, also gzipped (.gz); - is standard input.
    rate
        So many records a second, such as 20/s, or 30/m; else as quickly as it goes.
    as_published
        Count articles when they were published, up to 30 days back, and judge them at once.
    form
        What the file holds; else its name or its first character says.
    """
    from tablewright.systems.sentiment.cli.analysing import analyse_waiting
    from tablewright.systems.sentiment.cli.record_files import RecordFile

    each_second = reading.rate(rate)
    with RecordFile(file, desk, form) as opened:
        async with newsroom.lifespan():
            report = await Replay(newsroom, desk, each_second, as_published).run(opened)
            waits = bool(report.results["new"]) and not as_published
            analysed = await analyse_waiting(newsroom, desk) if waits else None
    return _answer(report, file_name(file), analysed)


class Replay:
    """One file on its way in."""

    def __init__(self, newsroom: Room, desk: Desk, rate: float | None, as_published: bool) -> None:
        self._newsroom = newsroom
        self._desk = desk
        self._rate = rate
        self._as_published = as_published
        self._began = time.monotonic()
        self._ticked = 0.0
        self.report = Report()

    async def run(self, file: RecordFile) -> Report:
        size = _PAGE if self._rate is None else max(1, min(_PAGE, int(self._rate / _STEPS)))
        sent = 0
        # In a thread: a pipe may keep us waiting, and leases have to be renewed meanwhile.
        while rows := await asyncio.to_thread(file.take, size):
            await self._wait(sent)
            await self._page(rows)
            sent += len(rows)
            self._progress(file.share())
        self.report.seconds = time.monotonic() - self._began
        self.report.errors.sort()
        return self.report

    async def _wait(self, sent: int) -> None:
        """Until so many may have been sent."""
        if self._rate is not None:
            due = self._began + sent / self._rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _page(self, rows: Sequence[Row]) -> None:
        records: list[tuple[int, Record]] = []
        for line, found in rows:
            if isinstance(found, str):
                self.report.reject(line, found)
            else:
                records.append((line, found))
        if records:
            outcomes = await self._taken([record for _, record in records])
            for (line, _), outcome in zip(records, outcomes, strict=True):
                self.report.add(line, outcome)

    async def _taken(self, records: Sequence[Record]) -> list[Outcome]:
        """Take them, also if the store is away for a moment: what was taken counts once."""
        from tablewright.model.errors import OutcomeUnknown, Unavailable

        for attempt in range(1, _TRIES + 1):
            try:
                return await self._newsroom.intake.take(
                    records, source_type="file", as_published=self._as_published
                )
            except (Unavailable, OutcomeUnknown):
                if attempt == _TRIES:
                    raise
            await asyncio.sleep(_PAUSE_SECS * 2**attempt * random.uniform(0.5, 1.0))
        raise AssertionError("unreachable")

    def _progress(self, share: float | None) -> None:
        now = time.monotonic()
        if now - self._ticked < _TICK_SECS:
            return
        self._ticked = now
        results = self.report.results
        done = "" if share is None else f" ({share:.0%})"
        rate = self.report.records / max(now - self._began, 0.001)
        told = ", ".join(f"{number(results[name])} {name}" for name in RESULTS if results[name])
        records = several(self.report.records, "record")
        self._desk.tick(f"{records}{done}: {told}, {rate:.0f} a second")


def _answer(report: Report, name: str, analysed: Analysed | None) -> Answer:
    rate = report.records / report.seconds if report.seconds else 0.0
    shown = [each for each in RESULTS if report.results[each] or each not in ("tagged", "gone")]
    lines: list[Line] = [
        f"{several(report.records, 'record')} in {report.seconds:.1f} s, {rate:.0f} a second",
        *facts((each, number(report.results[each])) for each in shown),
        *([] if analysed is None else analysed.lines()),
    ]
    if report.errors:
        lines.append(Styled(f"Rejected in {name}:", "yellow"))
        lines += [f"  line {line}: {reason}" for line, reason in report.errors[:_SHOWN]]
        more = report.results["rejected"] - min(len(report.errors), _SHOWN)
        lines += [f"  and {several(more, 'other')}"] if more else []
    data = {
        "records": report.records,
        **{each: report.results[each] for each in RESULTS},
        "errors": [{"line": line, "reason": reason} for line, reason in report.errors],
        "analysis": None if analysed is None else analysed.data(),
        "seconds": round(report.seconds, 3),
    }
    return Answer(lines, data, ok=not report.results["rejected"])
