"""Gives back what was reserved and never reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker
from tablewright.systems.pricekeeper.shapes import SLOTS

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: A little less than the ten seconds within which what nobody used is free again.
EVERY_SECS = 8.0


#: Leases; each is for every fourth slot. Sixteen would cost more to keep than the sweeping.
PARTS = 4


def worker(keeper: Keeper) -> Worker:
    """All slots, in a few parts. No fence is needed: a promise can only be ended once."""

    async def run(held: Held) -> None:
        for slot in range(int(held.partition), SLOTS, PARTS):
            await keeper.reservations.sweep(slot)

    return Worker("sweeper", EVERY_SECS, run, [str(part) for part in range(PARTS)])
