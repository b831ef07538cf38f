"""Processes that are killed, or stand still."""

from __future__ import annotations

import asyncio
import signal
from random import Random

from soak.disturbances.base import Disturbance
from soak.place import Place


class KillService(Disturbance):
    """``kill -9``, and started again at once."""

    name = "kill -9 of the service"

    async def happen(self, place: Place, chance: Random) -> str:
        place.kill(place.service)
        await place.restart(place.service)
        return ""


class KillDatabase(Disturbance):
    name = "kill -9 of the database"
    shapes = ("apart",)

    async def happen(self, place: Place, chance: Random) -> str:
        place.kill(place.database)
        await asyncio.sleep(chance.uniform(0, 3))
        await place.restart(place.database)
        return ""


class Freeze(Disturbance):
    """SIGSTOP: nothing happens in it, and its leases run out meanwhile if that takes long."""

    name = "the service stands still"

    async def happen(self, place: Place, chance: Random) -> str:
        seconds = chance.choice((3.0, 8.0, 35.0))
        place.service.signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            place.service.signal(signal.SIGCONT)
        return f"{seconds:.0f} s"
