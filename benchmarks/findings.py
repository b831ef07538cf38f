"""A figure beside what is wanted of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.grid import grid


@dataclass(frozen=True)
class Finding:
    """One figure. Without ``wanted`` it is for information."""

    what: str
    figure: float
    unit: str = ""
    wanted: str = ""
    met: bool = True
    note: str = ""
    #: The number in ``wanted``.
    limit: float | None = None

    @property
    def used(self) -> float | None:
        """The figure as a part of its limit, or the limit of the figure: above 1 it is missed."""
        if not self.limit or not self.figure or self.wanted[:2] not in ("<=", ">="):
            return None
        return self.figure / self.limit if self.wanted[:2] == "<=" else self.limit / self.figure

    @property
    def verdict(self) -> str:
        return "" if not self.wanted else "met" if self.met else "missed"

    @property
    def shown(self) -> str:
        places = 0 if self.figure == int(self.figure) else 2 if abs(self.figure) < 100 else 1
        return f"{self.figure:,.{places}f} {self.unit}".rstrip()


def at_most(what: str, figure: float, limit: float, unit: str = "", note: str = "") -> Finding:
    """What must not be more."""
    wanted = f"<= {limit:,g} {unit}".rstrip()
    return Finding(what, figure, unit, wanted, figure <= limit, note, limit)


def at_least(what: str, figure: float, limit: float, unit: str = "", note: str = "") -> Finding:
    """What must not be less."""
    wanted = f">= {limit:,g} {unit}".rstrip()
    return Finding(what, figure, unit, wanted, figure >= limit, note, limit)


def exactly(what: str, figure: float, wanted: float, unit: str = "", note: str = "") -> Finding:
    """What must be so."""
    return Finding(what, figure, unit, f"{wanted:,g} {unit}".rstrip(), figure == wanted, note)


def part_of(values: Sequence[float], part: float) -> float:
    """The value that so large a part of them does not exceed; 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0


def text_of(title: str, findings: Sequence[Finding]) -> str:
    """All of them, as a table."""
    rows = [[title, "figure", "wanted", "", ""]]
    for each in findings:
        rows.append([each.what, each.shown, each.wanted, each.verdict, each.note])
    return grid(rows)
