"""Many rows, handed in beside requests: with few write units they take minutes.

It lives in the process that took the rows, as their tokens do, which are kept nowhere else. After
a restart, send the rows again: what was stored is told as there already.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from tablewright.service.problems import Problem, not_found
from tablewright.systems.vibejudge.service.submissions.rows import Given, RowResult
from tablewright.systems.vibejudge.service.submissions.submitting import Hand, Submitting

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger(__name__)

#: How long the results are kept after the end.
KEPT = timedelta(hours=1)
_MOST = 100


@dataclass
class Import:
    """Rows that are being handed in."""

    import_id: str
    hack_id: str
    total: int
    state: Literal["running", "done", "failed"] = "running"
    ended_at: datetime | None = None
    #: By the place of the row.
    found: dict[int, RowResult] = field(default_factory=dict)
    lines: Sequence[int] = ()

    @property
    def results(self) -> list[RowResult]:
        """Those that are known, in the order of the rows."""
        return in_order(self.found, self.lines)


class Imports:
    """The imports of this process."""

    def __init__(self, courtroom: Courtroom, submitting: Submitting) -> None:
        self._courtroom = courtroom
        self._submitting = submitting
        self._known: dict[str, Import] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, hand: Hand, given: Sequence[Given], lines: Sequence[int] = ()) -> Import:
        """Begin, and go on beside whatever the caller does."""
        self._tidy()
        if len(self._known) >= _MOST:
            raise Problem(503, "BUSY", "Too many imports are under way.", headers=_LATER)
        made = Import(
            self._courtroom.runtime.ids(),
            hand.hack_id,
            len(given),
            lines=lines,
        )
        self._known[made.import_id] = made
        task = asyncio.create_task(self._run(made, hand, given))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return made

    def get(self, hack_id: str, import_id: str) -> Import:
        """One of this hackathon's."""
        self._tidy()
        found = self._known.get(import_id)
        if found is None or found.hack_id != hack_id:
            raise not_found("import")
        return found

    async def close(self) -> None:
        """The process ends; rows that were not tried are not stored."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, made: Import, hand: Hand, given: Sequence[Given]) -> None:
        try:
            await self._submitting.store(hand, given, made.found)
            made.state = "done"
        except Exception:
            log.exception("an import of %d rows broke off", made.total)
        finally:
            if made.state == "running":
                made.state = "failed"
            made.ended_at = self._courtroom.now()

    def _tidy(self) -> None:
        oldest = self._courtroom.now() - KEPT
        over = [
            key for key, each in self._known.items() if each.ended_at and each.ended_at < oldest
        ]
        for key in over:
            del self._known[key]


_LATER = {"Retry-After": "60"}


def in_order(found: dict[int, RowResult], lines: Sequence[int] = ()) -> list[RowResult]:
    return [found[index].at(index, lines[index] if lines else None) for index in sorted(found)]
