"""What goes wrong when: in turn, in an order that the seed decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from soak.disturbances import ALL, Disturbance
from soak.place import Shape

SHAPES: tuple[Shape, ...] = ("embedded", "apart")
#: A run has so many changes of shape at the least, if it is long enough for any.
_STAGE_SECS = 240.0


def stages(seconds: float) -> list[tuple[Shape, float]]:
    """In which shape it runs for how long."""
    number = max(2, 2 * round(seconds / (2 * _STAGE_SECS)))
    return [(SHAPES[each % 2], seconds / number) for each in range(number)]


def turns(chance: Random, among: Sequence[Disturbance] = ALL) -> dict[Shape, Iterator[Disturbance]]:
    """Without end, in each shape: all that can happen there, then all of them again."""
    return {
        shape: _turns(chance, [each for each in among if shape in each.shapes]) for shape in SHAPES
    }


def _turns(chance: Random, some: list[Disturbance]) -> Iterator[Disturbance]:
    # What is particular to this shape comes first: a short run has to meet it as well.
    order = sorted(some, key=lambda each: (len(each.shapes), chance.random()))
    while True:
        yield from order
        chance.shuffle(order)
