"""Once a day: what the source of prices says."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tablewright.service.auth import system_principal
from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger(__name__)

EVERY_SECS = 86_400.0


def worker(keeper: Keeper) -> Worker:
    """A failing list changes nothing, and is asked again sooner than in a day."""
    by = system_principal(keeper.runtime.system, "price-refresh")

    async def run(held: Held) -> None:
        found = await keeper.prices.refresh(by)
        if found.saved or found.pending or found.skipped:
            log.info(
                "prices: %s saved, %s wait for approval, %s left out",
                found.saved,
                found.pending,
                len(found.skipped),
            )

    return Worker("price-refresh", EVERY_SECS, run, lease_secs=60)
