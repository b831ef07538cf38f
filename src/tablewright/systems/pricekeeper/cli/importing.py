"""Recording rows in batches: a few under way at a time, so that the ledger is never idle.

Every id counts once, so whatever stops an import (a crash, Ctrl-C, a store that is away) it is
simply run again. What the store could not take at the moment is sent again; what it refuses goes
to the file of rejects, with the reason.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

import orjson
from pydantic import ValidationError

from tablewright.model.errors import OutcomeUnknown, Unavailable
from tablewright.service.problems import Problem, invalid
from tablewright.service.typed import field_errors, number
from tablewright.systems.pricekeeper.bodies import CostIn
from tablewright.systems.pricekeeper.cli.usage_files import APP, Row, UsageFile

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.rules.usage import Usage
    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.service.recording import Outcome

#: Rows of a batch, and batches that are under way. All of them are written within the patience of
#: a lane, also where the store takes a few hundred a second only.
BATCH, AT_ONCE = 500, 4
#: How often a batch is sent again before the import gives up, and the first pause in seconds.
TRIES, PAUSE_SECS = 7, 0.5
_TICK_SECS = 0.2


@dataclass
class Reason:
    """Why rows were rejected: how many, and the first of them."""

    detail: str
    line: int
    rows: int = 0


@dataclass
class Report:
    """What became of the rows."""

    rows: int = 0
    results: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Reason] = field(default_factory=dict)
    cost_picos: int = 0
    seconds: float = 0.0

    @property
    def rejected(self) -> int:
        return self.results["rejected"]

    def recorded(self, outcome: Outcome) -> None:
        self.results[outcome.result] += 1
        if outcome.result == "recorded" and outcome.row is not None:
            self.cost_picos += outcome.row.cost_usd_picos
            self.flags.update(outcome.flags)

    def refused(self, row: Row, problem: Problem) -> None:
        self.results["rejected"] += 1
        found = self.reasons.setdefault(problem.code, Reason(_detail(problem), row.line))
        found.rows += 1
        if row.line < found.line:
            found.detail, found.line = _detail(problem), row.line


class Rejects:
    """The file of rows that were refused; there is none if none was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        # What an earlier run has left says nothing about this one.
        with suppress(FileNotFoundError):
            self.path.unlink()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, row: Row, problem: Problem) -> None:
        if self._file is None:
            self._file = self.path.open("wb")
        told: dict[str, object] = {
            "line": row.line,
            "code": problem.code,
            "detail": problem.detail,
            "errors": [{"field": e.field, "message": e.message} for e in problem.errors],
            "row": row.values or row.raw,
        }
        self._file.write(orjson.dumps(told, default=str) + b"\n")


class Import:
    """One file on its way into the ledger."""

    def __init__(
        self,
        keeper: Keeper,
        org_id: str,
        app_id: str | None,
        rejects: Rejects,
        tick: Callable[[str], None],
    ) -> None:
        self._keeper = keeper
        self._org_id = org_id
        self._app_id = app_id
        self._rejects = rejects
        self._tick = tick
        self._ticked = 0.0
        self._began = time.monotonic()
        self.report = Report()

    async def run(self, file: UsageFile) -> Report:
        """Record everything; a problem 503 if the store stays away."""
        places = asyncio.Semaphore(AT_ONCE)

        async def one(rows: Sequence[Row]) -> None:
            try:
                await self._batch(rows)
            finally:
                places.release()

        try:
            async with asyncio.TaskGroup() as tasks:
                # In a thread: a pipe may keep us waiting, and leases have to be renewed meanwhile.
                while rows := await asyncio.to_thread(file.take, BATCH):
                    await places.acquire()
                    tasks.create_task(one(rows))
                    self._progress(file.share())
        except* Exception as errors:
            raise _first(errors) from None
        self.report.seconds = time.monotonic() - self._began
        return self.report

    def _progress(self, share: float | None) -> None:
        now = time.monotonic()
        if now - self._ticked < _TICK_SECS:
            return
        self._ticked = now
        report = self.report
        done = sum(report.results.values())
        rate = done / max(now - self._began, 0.001)
        percent = "" if share is None else f" ({share:.0%})"
        self._tick(
            f"{number(done)} rows{percent}: {number(report.results['recorded'])} recorded, "
            f"{number(report.results['duplicate'])} duplicate, {number(report.rejected)} rejected, "
            f"{number(int(rate))} a second"
        )

    # --- a batch ---------------------------------------------------------------------------------

    async def _batch(self, rows: Sequence[Row]) -> None:
        self.report.rows += len(rows)
        by_app: dict[str, list[tuple[Row, Usage]]] = defaultdict(list)
        for row in rows:
            try:
                app_id, usage = self._read(row)
            except Problem as problem:
                self._refuse(row, problem)
            else:
                by_app[app_id].append((row, usage))
        for app_id, pairs in by_app.items():
            await self._record(app_id, pairs)

    def _read(self, row: Row) -> tuple[str, Usage]:
        """The report in a row, and the app that it is of."""
        if row.fault:
            raise Problem(400, "UNREADABLE", f"The line {row.fault}.")
        values = dict(row.values)
        app_id = values.pop(APP, None) or self._app_id
        if not isinstance(app_id, str):
            raise Problem(400, "NO_APP", f"The row has no {APP}, and --app is not given.")
        try:
            return app_id, CostIn.model_validate(values).usage()
        except ValidationError as error:
            raise invalid(*field_errors(error)) from None

    def _refuse(self, row: Row, problem: Problem) -> None:
        self.report.refused(row, problem)
        self._rejects.add(row, problem)

    async def _record(self, app_id: str, pairs: Sequence[tuple[Row, Usage]]) -> None:
        left = list(pairs)
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(PAUSE_SECS * 2**attempt * random.uniform(0.5, 1.0))
            left = await self._attempt(app_id, left)
            if not left:
                return
        raise _stopped(left[0][0])

    async def _attempt(
        self, app_id: str, pairs: list[tuple[Row, Usage]]
    ) -> list[tuple[Row, Usage]]:
        """Record them; gives those that the store could not take just now."""
        try:
            account = await self._keeper.directory.account(self._org_id, app_id)
            outcomes = await self._keeper.recorder.record(account, [usage for _, usage in pairs])
        except (Unavailable, OutcomeUnknown):
            return pairs
        except Problem as problem:
            for row, _ in pairs:
                self._refuse(row, problem)
            return []
        left = []
        for pair, outcome in zip(pairs, outcomes, strict=True):
            if outcome.problem is None:
                self.report.recorded(outcome)
            elif outcome.problem.status == 503:
                left.append(pair)
            else:
                self._refuse(pair[0], outcome.problem)
        return left


def _detail(problem: Problem) -> str:
    """What is wrong, in one sentence: of several values, the first."""
    if len(problem.errors) > 1:
        return f"{problem.errors[0].field}: {problem.errors[0].message}"
    return problem.detail


def _stopped(row: Row) -> Problem:
    detail = f"The store takes no more records, since line {row.line} or before."
    hint = "Run it again later: what is recorded counts once, however often it is sent."
    return Problem(503, "STORE_UNAVAILABLE", detail, extra={"hint": hint})


def _first(errors: BaseExceptionGroup[Exception]) -> BaseException:
    """Of all that went wrong at the same time, one."""
    found: BaseException = errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
