"""Values around a middle, as lines that a page can draw without a script: ``ui.radar``.

The library that draws the other charts comes without this kind, and a few lines need none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final, cast

#: The room, and how far the axes reach; the rest is for their names.
WIDTH, HEIGHT, REACH = 400, 268, 96
_RINGS: Final = 5
#: Between the end of an axis and its name, and between the lines of a name.
_GAP, _LINE = 14, 14
_CHARS, _LINES = 13, 2


@dataclass(frozen=True)
class Name:
    """What an axis is called, and where that stands."""

    x: float
    y: float
    anchor: str
    lines: Sequence[str]
    full: str


@dataclass(frozen=True)
class Shape:
    """The values of one series."""

    name: str
    points: str
    dots: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Radar:
    rings: Sequence[str]
    ends: Sequence[tuple[float, float]]
    names: Sequence[Name]
    shapes: Sequence[Shape]
    width: int = WIDTH
    height: int = HEIGHT
    middle: tuple[float, float] = (WIDTH / 2, HEIGHT / 2)


def radar(x: Sequence[str], series: Sequence[Mapping[str, object]], most: float) -> Radar:
    """Axes from the top on, clockwise; a value of ``most`` is at the end of its axis."""
    count = len(x)
    rings = [
        _joined([_at(axis, count, ring / _RINGS) for axis in range(count)])
        for ring in range(1, _RINGS + 1)
    ]
    shapes = []
    for each in series:
        values = cast("Sequence[float | None]", each["values"])
        dots = [_at(axis, count, (value or 0) / most) for axis, value in enumerate(values)]
        shapes.append(Shape(str(each["name"]), _joined(dots), dots))
    ends = [_at(axis, count, 1) for axis in range(count)]
    return Radar(rings, ends, [_name(axis, count, each) for axis, each in enumerate(x)], shapes)


def _at(axis: int, count: int, share: float, more: float = 0) -> tuple[float, float]:
    turn = 2 * math.pi * axis / count
    reach = REACH * min(max(share, 0), 1) + more
    return (
        round(WIDTH / 2 + reach * math.sin(turn), 2),
        round(HEIGHT / 2 - reach * math.cos(turn), 2),
    )


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _name(axis: int, count: int, text: str) -> Name:
    across = math.sin(2 * math.pi * axis / count)
    anchor = "middle" if abs(across) < 0.2 else "start" if across > 0 else "end"
    lines = _lines(text)
    x, y = _at(axis, count, 1, _GAP)
    # A name of two lines stands as high as one of one line would, in the middle.
    above = math.cos(2 * math.pi * axis / count)
    lift = (len(lines) - 1) * _LINE * (1 + above) / 2
    return Name(x, round(y + 4 - lift, 2), anchor, lines, text)


def _lines(text: str) -> list[str]:
    found = wrap(text, _CHARS) or [""]
    if len(found) > _LINES:
        found = [*found[: _LINES - 1], found[_LINES - 1][: _CHARS - 1] + "…"]
    return found
