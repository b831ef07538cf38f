"""One run of a source: what it found, and how it ended."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from tablewright.model import together
from tablewright.model.errors import ConditionFailed, TablewrightError, TransactionCancelled
from tablewright.service.outbound import UnsafeAddress
from tablewright.systems.sentiment import writes
from tablewright.systems.sentiment.config import Run, Source
from tablewright.systems.sentiment.fetching.failures import Failure
from tablewright.systems.sentiment.fetching.found import Found

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom
    from tablewright.systems.sentiment.service.sources.calling import Calls
    from tablewright.systems.sentiment.service.sources.readers import Reader

log = logging.getLogger("tablewright.sentiment")

#: What a run counts the outcomes of its records as. One that got another tag was known.
_COUNTED = {
    "ingested": "ingested",
    "duplicate": "duplicates",
    "tagged": "duplicates",
    "gone": "duplicates",
    "unmatched": "unmatched",
    "rejected": "rejected",
}


class Reading:
    """A run under way."""

    def __init__(self, newsroom: Newsroom, source: Source, run: Run, calls: Calls) -> None:
        self._newsroom = newsroom
        self._run = run
        self._counts: Counter[str] = Counter()
        self._error: str | None = None
        self._well = False
        self.source = source
        self.calls = calls

    async def carry_out(self, reader: Reader) -> Run:
        """To its end, whatever that is; the store failing for good is the one thing it raises."""
        try:
            await self._mind_the_rules()
            await reader.read(self)
        except Failure as failure:
            self.went_wrong(failure.code)
        except UnsafeAddress:
            self.went_wrong("UNSAFE_URL")
        except TablewrightError as error:
            log.warning("source %s: the run broke off: %s", self.source.name, error)
            self.went_wrong("STORE_UNAVAILABLE")
        except Exception:
            log.exception("source %s: the run broke off", self.source.name)
            self.went_wrong("INTERNAL")
        return await self._ended()

    async def _mind_the_rules(self) -> None:
        """What has not changed is read again if the rules have: it may belong to a topic now.

        The mark is that of the rules at the start. Pages that are matched by later ones are read
        once more by the next run, which is harmless.
        """
        mark = (await self._newsroom.watches.matcher()).mark
        if mark != self.source.rules_mark:
            again = {"rules_mark": mark, "etag": None, "last_modified": None}
            self.source = self.source.model_copy(update=again)

    async def store(self, found: Found) -> None:
        """A page becomes articles; one bad record is counted and no more."""
        outcomes = []
        if found.records:
            outcomes = await self._newsroom.intake.take(
                found.records, source_type=self.source.source_type
            )
        self._counts["fetched"] += len(found.records) + found.bad
        self._counts["rejected"] += found.bad
        self._newsroom.intake.note_rejected(found.bad)
        self._counts.update(_COUNTED[each.result] for each in outcomes)

    async def advance(
        self, cursor: str | None, etag: str | None = None, last_modified: str | None = None
    ) -> None:
        """What was read up to here is stored, and need not be read again.

        If the source is another one by now, the run ends: what it stored stays, and the next one
        begins at the beginning of that other.
        """
        try:
            moved = writes.advance_source(self.source, cursor, etag, last_modified)
            await self._newsroom.db.run(moved)
        except ConditionFailed:
            reason = "it was given another address or question while it was read"
            raise Failure("SOURCE_CHANGED", reason) from None

    def went_well(self) -> None:
        """Some of it is done to its end."""
        self._well = True

    def went_wrong(self, code: str) -> None:
        """The first reason is the one that is kept."""
        self._error = self._error or code

    async def _ended(self) -> Run:
        changes = {
            **self._counts,
            "state": self._state(),
            "error_code": self._error,
            "finished_at": self._newsroom.now(),
        }
        run = self._run.model_copy(update=changes)
        try:
            await self._newsroom.db.run(together(writes.finish_run(run), writes.end_reading(run)))
        except TransactionCancelled as cancelled:
            # Somebody took this process for dead, and has begun the next one.
            log.warning("source %s: the run was abandoned: %s", self.source.name, cancelled)
        return run

    def _state(self) -> str:
        if self._error is None:
            return "ok"
        some = self._well or self._counts["ingested"] or self._counts["duplicates"]
        return "partial" if some else "failed"
