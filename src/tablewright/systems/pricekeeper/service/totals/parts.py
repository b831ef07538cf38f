"""The parts of a run over one organisation: which counts, and what is in their sums."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tablewright.systems.pricekeeper.rules.calendar import periods_of
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.totals.rolling import Cell, Rolled, cells_of
from tablewright.systems.pricekeeper.service.totals.sums import Sum, highest, seen_by_all
from tablewright.systems.pricekeeper.service.totals.views import View
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey
from tablewright.systems.pricekeeper.spend import Dirty


class Seen:
    """Which flushes are in the sums of this run."""

    def __init__(self, sums: Mapping[UsageId, Sum], known: Mapping[str, int]) -> None:
        self._known = known
        self._members: dict[Cell, list[tuple[str, Sum]]] = {}
        for count, each in sums.items():
            for cell in cells_of(count):
                self._members.setdefault(cell, []).append((count.day, each))

    def of(self, cell: Cell, days: Collection[str]) -> dict[str, int]:
        """By writer: every flush up to this number is in the sum of some days.

        Counts that were not summed in this run are complete: nobody writes to them.
        """
        members = [each for day, each in self._members.get(cell, ()) if day in days]
        return seen_by_all(members, self._known)


def usage_id(row: Dirty) -> UsageId:
    """The count that a mark is on."""
    return UsageId(row.org_id, row.app_id, row.label, row.day)


def count_key(count: UsageId) -> TotalKey:
    """The total of one count."""
    return cells_of(count)[0].of(periods_of(count.day).day)


def is_count(cell: Cell) -> bool:
    return "#APP#" in cell.scope and cell.label != ALL


def is_covered(row: Dirty, before: Mapping[TotalKey, View], now: float) -> bool:
    """Whether a total was begun after the mark had ended.

    Not if it was begun later than now: a clock went back, and the mark may be newer than it looks.
    """
    as_of_ms = before[count_key(usage_id(row))].as_of_ms
    return row.dirty_until_epoch.timestamp() * 1000 <= as_of_ms <= now * 1000


def confirmed(before: Mapping[TotalKey, View]) -> dict[str, int]:
    """By writer: a flush that was confirmed before this run, and so all flushes before it."""
    return highest(*(view.seen for view in before.values()))


def changed(
    views: Mapping[TotalKey, View], before: Mapping[TotalKey, View], sums: Iterable[UsageId]
) -> dict[TotalKey, View]:
    """What has to be written: also the same again, if it is the same as of now.

    What was complete before this run stays as it is; it may be final.
    """
    periods = {period for count in sums for period in periods_of(count.day)}
    return {
        key: view
        for key, view in views.items()
        if key.period in periods or view.figures != before[key].figures
    }


def take_newer(by_day: dict[str, Rolled], day: str, own: Rolled | None) -> None:
    """A day as this run has it, unless somebody has published a later sum."""
    if own is None:
        return
    stored = by_day.get(day)
    if stored is None or stored.figures.rev <= own.figures.rev:
        by_day[day] = own
