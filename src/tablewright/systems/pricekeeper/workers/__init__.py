"""What goes on beside requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.service.workers import Worker
    from tablewright.systems.pricekeeper.service.keeper import Keeper


def workers(keeper: Keeper) -> list[Worker]:
    """All of them; the kit adds the outbox."""
    from tablewright.systems.pricekeeper.workers import (
        aggregator,
        finaliser,
        fold,
        price_refresh,
        sweeper,
    )

    modules = (aggregator, finaliser, sweeper, fold, price_refresh)
    return [module.worker(keeper) for module in modules]
