"""A machine whose disk is full, or whose clock is wrong."""

from __future__ import annotations

import asyncio
from random import Random

from soak.disturbances.base import Disturbance
from soak.place import Place

_SECS = 6.0
#: The clock is never further ahead than that: streams forget after a day.
_FURTHEST_SECS = 18 * 3600
_JUMPS_SECS = (7.0, -40.0, 900.0, -600.0, 5400.0, -1800.0)


class FullDisk(Disturbance):
    name = "the disk is full"

    async def happen(self, place: Place, chance: Random) -> str:
        pid = place.database.pid
        await asyncio.to_thread(place.disk.fill, pid)
        try:
            await asyncio.sleep(_SECS)
        finally:
            place.disk.free(pid)
        return ""


class KilledOnFullDisk(Disturbance):
    """Somebody makes room before it is started again."""

    name = "kill -9 while the disk is full"

    async def happen(self, place: Place, chance: Random) -> str:
        process = place.database
        await asyncio.to_thread(place.disk.fill, process.pid)
        try:
            await asyncio.sleep(_SECS / 2)
            place.kill(process)
        finally:
            place.disk.free(process.pid)
        await place.restart(process)
        return ""


class ClockJump(Disturbance):
    """Every process at once, as when a clock is set."""

    name = "the clock jumps"

    async def happen(self, place: Place, chance: Random) -> str:
        jump = chance.choice(_JUMPS_SECS)
        if offset_of(place) + jump > _FURTHEST_SECS:
            jump = -abs(jump)
        place.clock.advance(jump)
        return f"{jump:+.0f} s"


def offset_of(place: Place) -> float:
    """How far the clock is ahead."""
    file = place.folder / "clock"
    return float(file.read_text()) if file.exists() else 0.0
