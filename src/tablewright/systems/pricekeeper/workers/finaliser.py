"""The finaliser: marks the totals of days for which nothing can come in any more.

A day is final an hour after the window for late records has ended, if the aggregator has summed all
of its counts since their marks ended. A correction of such a day opens it again: it takes the mark
of final away and marks the count, the aggregator makes the totals anew, and they end up here.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.workers import Held, Worker
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.reads import dirty_counts, stored_totals
from tablewright.systems.pricekeeper.recording import finish_total
from tablewright.systems.pricekeeper.rules.finals import closes_at
from tablewright.systems.pricekeeper.service.totals.parts import count_key, usage_id
from tablewright.systems.pricekeeper.service.totals.rolling import cells_of
from tablewright.systems.pricekeeper.shapes import SLOTS, TotalKey
from tablewright.systems.pricekeeper.spend import Dirty, Total

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

EVERY_SECS = 600


def worker(keeper: Keeper) -> Worker:
    partitions = [f"{slot:02d}" for slot in range(SLOTS)]
    return Worker("finaliser", EVERY_SECS, Finaliser(keeper).run, partitions)


class Finaliser:
    """Finds days that are over, among those that still have marks."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        #: By partition: days that are finished, and when the last of their marks has ended.
        self._finished: dict[str, dict[tuple[str, str], float]] = {}

    async def run(self, held: Held) -> None:
        """One partition, once."""
        rows = self._keeper.db.iterate(dirty_counts(int(held.partition)))
        found = [row async for row in rows]
        before, finished = self._finished.get(held.partition, {}), dict[tuple[str, str], float]()
        for place, group in groupby(found, lambda row: (row.org_id, row.day)):
            marks = list(group)
            ends = max(row.dirty_until_epoch.timestamp() for row in marks)
            try:
                if before.get(place) == ends or await self._day(*place, marks, ends):
                    finished[place] = ends
            except TablewrightError as problem:
                log.warning("%s of %s was not finished: %s", place[1], place[0], problem)
        self._finished[held.partition] = finished

    async def _day(self, org_id: str, day: str, marks: Sequence[Dirty], ends: float) -> bool:
        """Finish a day, if it is time; whether it is finished."""
        org = await self._keeper.directory.org(org_id)
        if org is None or not self._is_over(org, day, ends):
            return False
        keys = sorted({cell.of(f"DAY#{day}") for row in marks for cell in cells_of(usage_id(row))})
        totals = await self._keeper.db.run(stored_totals(keys))
        stored = dict(zip(keys, totals, strict=True))
        if not all(_is_summed(row, stored[count_key(usage_id(row))]) for row in marks):
            return False
        for key, total in stored.items():
            if total is not None and not total.final:
                await self._finish(key, total)
        return True

    def _is_over(self, org: Org, day: str, ends: float) -> bool:
        return self._keeper.clock.now() >= max(ends, closes_at(org, f"DAY#{day}"))

    async def _finish(self, key: TotalKey, total: Total) -> None:
        try:
            # Under the total's own fence: whoever makes it anew meanwhile has the last word.
            await self._keeper.db.run(finish_total(key, total.fence))
        except ConditionFailed:
            return


def _is_summed(row: Dirty, total: Total | None) -> bool:
    """Whether the total of a count was begun after the mark had ended."""
    return total is not None and total.as_of_ms >= row.dirty_until_epoch
