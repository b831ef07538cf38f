"""Totals made now, instead of within a minute by whoever aggregates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tablewright.service.workers import Leases, run_once
from tablewright.systems.pricekeeper.service.totals.aggregating import Superseded
from tablewright.systems.pricekeeper.shapes import slot_of
from tablewright.systems.pricekeeper.workers import aggregator

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


async def sum_up(keeper: Keeper, org_id: str) -> bool:
    """Make the totals of an organisation; False if another process is at it, which will."""
    worker = aggregator.worker(keeper)
    own = replace(worker, partitions=[f"{slot_of(org_id):02d}"])
    try:
        return bool(await run_once(own, Leases(keeper.db, keeper.clock)))
    except Superseded:
        return False
