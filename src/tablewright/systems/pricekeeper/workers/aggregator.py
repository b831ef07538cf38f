"""The aggregator: makes totals of what was counted, every ``aggregator_secs``, usually a minute.

Each of the 16 partitions of marks is done by one process at a time, under a lease whose fence goes
into every total: a process that was stopped and goes on after its lease has ended is refused.

A count is summed as long as it is marked: the last sum begins after the mark has ended, and with it
every flush that rested on it, so that the total is what the ledger says. What could not be read
makes no total at all. An organisation that fails is left for the next run; the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tablewright.model.errors import TablewrightError
from tablewright.service.gathering import at_most
from tablewright.service.workers import Held, Worker
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.reads import dirty_counts
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.totals.aggregating import OrgRun, Superseded
from tablewright.systems.pricekeeper.service.totals.parts import usage_id
from tablewright.systems.pricekeeper.shapes import SLOTS
from tablewright.systems.pricekeeper.spend import Dirty

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: Organisations of one partition that are summed at the same time.
_AT_ONCE = 4


def worker(keeper: Keeper) -> Worker:
    partitions = [f"{slot:02d}" for slot in range(SLOTS)]
    every_secs = keeper.runtime.options(Options).aggregator_secs
    return Worker("aggregator", every_secs, Aggregator(keeper).run, partitions)


class Aggregator:
    """What one process remembers from run to run."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        #: By partition: the counts that are in their totals for good, and the mark they had.
        self._done: dict[str, dict[UsageId, float]] = {}
        self._lag = keeper.runtime.metrics.gauge(
            "pricekeeper_aggregator_lag_seconds",
            "How old the oldest total was of a count that is written to, when it was made again",
            ("partition",),
        )

    async def run(self, held: Held) -> None:
        """One partition, once."""
        slot = int(held.partition)
        rows = [row async for row in self._keeper.db.iterate(dirty_counts(slot))]
        done = self._still_done(held.partition, rows)
        runs = [
            OrgRun(self._keeper, org_id, held.fence, found, done)
            for org_id, found in _by_org(rows).items()
            if any(usage_id(row) not in done for row in found)
        ]
        problems = await self._run_all(runs)
        lag = max((run.lag_secs for run in runs), default=0.0)
        self._lag.labels(held.partition).set(lag)
        if problems:
            raise problems[-1]

    def _still_done(self, partition: str, rows: Sequence[Dirty]) -> dict[UsageId, float]:
        """What need not be looked at; a mark that was renewed has to be."""
        known = self._done.get(partition, {})
        marks = {usage_id(row): row.dirty_until_epoch.timestamp() for row in rows}
        kept = {key: until for key, until in known.items() if marks.get(key) == until}
        self._done[partition] = kept
        return kept

    async def _run_all(self, runs: Sequence[OrgRun]) -> list[Exception]:
        problems: list[Exception] = []

        async def one(run: OrgRun) -> None:
            try:
                await run.run()
            except (TablewrightError, Superseded) as problem:
                log.warning("totals of %s were not made: %s", run.org_id, problem)
                problems.append(problem)

        await at_most(_AT_ONCE, map(one, runs))
        return problems


def _by_org(rows: Sequence[Dirty]) -> Mapping[str, list[Dirty]]:
    # Keys are in the order of organisations.
    return {org_id: list(found) for org_id, found in groupby(rows, lambda row: row.org_id)}
