"""A figure beside what is wanted of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.engine.tables import grid


@dataclass(frozen=True)
class Finding:
    """One figure. Without ``wanted`` it is for information."""

    what: str
    figure: float
    unit: str = ""
    wanted: str = ""
    met: bool = True
    note: str = ""

    @property
    def shown(self) -> str:
        places = 0 if self.figure == int(self.figure) else 2 if abs(self.figure) < 100 else 1
        return f"{self.figure:,.{places}f} {self.unit}".rstrip()


def at_most(what: str, figure: float, limit: float, unit: str = "", note: str = "") -> Finding:
    """What must not be more."""
    return Finding(what, figure, unit, f"<= {limit:,g} {unit}".rstrip(), figure <= limit, note)


def at_least(what: str, figure: float, limit: float, unit: str = "", note: str = "") -> Finding:
    """What must not be less."""
    return Finding(what, figure, unit, f">= {limit:,g} {unit}".rstrip(), figure >= limit, note)


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
        verdict = "" if not each.wanted else "met" if each.met else "missed"
        rows.append([each.what, each.shown, each.wanted, verdict, each.note])
    return grid(rows)
