"""The network between a service and its database."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random

from soak.disturbances.base import Disturbance
from soak.place import Place, Shape
from soak.proxy import State


@dataclass
class Broken(Disturbance):
    """The proxy in some state, for a while."""

    name: str
    state: State
    seconds: float
    shapes: tuple[Shape, ...] = ("apart",)

    async def happen(self, place: Place, chance: Random) -> str:
        place.proxy.switch(self.state)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            place.proxy.switch("open")
        return f"{self.seconds:.0f} s" if self.seconds else ""


@dataclass
class Reset(Disturbance):
    """All connections at once, and new ones are fine."""

    name: str
    shapes: tuple[Shape, ...] = ("apart",)

    async def happen(self, place: Place, chance: Random) -> str:
        for _ in range(3):
            place.proxy.reset()
            await asyncio.sleep(chance.uniform(0.1, 1.0))
        return "three times"


CUT = Broken("the network is cut", "cut", 7.0)
LOST_BACK = Broken("the network loses answers", "half", 5.0)
SLOW = Broken("the network is slow", "slow", 8.0)
REFUSED = Broken("nobody answers at the database's address", "refuse", 5.0)
RESET = Reset("connections are reset")
