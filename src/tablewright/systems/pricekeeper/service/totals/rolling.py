"""From counts to totals: organisation and apps, each label and all of them, days to periods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tablewright.systems.pricekeeper.rules.figures import NOTHING, Figures
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of


class Cell(NamedTuple):
    """Whose, and of what; whatever the time."""

    scope: str
    label: str

    def of(self, period: str) -> TotalKey:
        return TotalKey(self.scope, self.label, period)


class Rolled(NamedTuple):
    """A sum of counts."""

    figures: Figures
    #: Of all labels: which there are.
    labels: frozenset[str]


def cells_of(count: UsageId) -> tuple[Cell, Cell, Cell, Cell]:
    """The sums that a count is in: its own, its app's, and two of the organisation."""
    org, app = scope_of(count.org_id), scope_of(count.org_id, count.app_id)
    return Cell(app, count.label), Cell(app, ALL), Cell(org, count.label), Cell(org, ALL)


def rolled_up(counts: Mapping[UsageId, Figures]) -> dict[Cell, Rolled]:
    """All sums of the counts of one day."""
    found: dict[Cell, Rolled] = {}
    for count, figures in counts.items():
        for cell in cells_of(count):
            known = found.get(cell, _EMPTY)
            labels = known.labels | {count.label} if cell.label == ALL else known.labels
            found[cell] = Rolled(known.figures.plus(figures), labels)
    return found


def added(days: Iterable[Rolled]) -> Rolled:
    """Several days as one period."""
    figures, labels = NOTHING, frozenset[str]()
    for day in days:
        figures, labels = figures.plus(day.figures), labels | day.labels
    return Rolled(figures, labels)


_EMPTY = Rolled(NOTHING, frozenset())
