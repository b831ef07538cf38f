"""What all of them are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random

from soak.place import Place, Shape


class Disturbance(ABC):
    """Something that goes wrong for a while."""

    name: str
    #: Where it can happen.
    shapes: tuple[Shape, ...] = ("embedded", "apart")

    @abstractmethod
    async def happen(self, place: Place, chance: Random) -> str:
        """From its begin to its end; what there is to tell of it."""
