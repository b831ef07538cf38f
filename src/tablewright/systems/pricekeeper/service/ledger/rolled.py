"""Totals that are sums, beside what they are sums of.

A day's total of all labels, or of the organisation, is the sum of its counts; a week or a month is
the sum of its days. What is written to just now is left out: whoever aggregates makes it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tablewright.service.gathering import at_most
from tablewright.systems.pricekeeper.reads import (
    days_of_total,
    dirty_counts_of_day,
    stored_totals,
)
from tablewright.systems.pricekeeper.rules.calendar import Calendar, periods_of
from tablewright.systems.pricekeeper.rules.figures import NOTHING, Figures, figures_of, in_all
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.totals.parts import is_count, usage_id
from tablewright.systems.pricekeeper.service.totals.rolling import Cell, cells_of, rolled_up
from tablewright.systems.pricekeeper.shapes import TotalKey, slot_of
from tablewright.systems.pricekeeper.spend import Dirty

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: So long after the end of a mark the last sum is there.
SUMMED_SECS = 300
#: Requests that are under way at the same time.
_AT_ONCE = 16


class WrongTotal(NamedTuple):
    """A total that is not the sum that it should be."""

    key: TotalKey
    sum: Figures
    stored: Figures
    #: Counts that have it made again when they are marked.
    counts: Sequence[UsageId]


class RolledTotals:
    """The sums of one organisation, or of one of its apps."""

    def __init__(
        self,
        keeper: Keeper,
        calendar: Calendar,
        counts: Mapping[UsageId, Figures],
        unsure: Collection[UsageId],
    ) -> None:
        """``counts`` are all of their days, but for those that are ``unsure``."""
        self._keeper = keeper
        self._calendar = calendar
        self._counts = counts
        self._unsure = {(cell, count.day) for count in unsure for cell in cells_of(count)}
        self._days = self._rolled_days()
        self._marks: dict[str, list[Dirty]] = {}

    async def wrong(self, app_id: str | None) -> list[WrongTotal]:
        """The totals that are wrong, of one app or of all and their organisation."""
        suspects = [*await self._wrong_days(app_id), *await self._wrong_periods(app_id)]
        # Marks are read after everything else: what came in meanwhile is marked.
        return [each for each in suspects if not await self._is_moving(each.key)]

    def _rolled_days(self) -> dict[TotalKey, Figures]:
        """What the totals of days should be, as far as all their counts are known."""
        by_day: dict[str, dict[UsageId, Figures]] = {}
        for count, figures in self._counts.items():
            by_day.setdefault(count.day, {})[count] = figures
        return {
            cell.of(periods_of(day).day): rolled.figures
            for day, counts in by_day.items()
            for cell, rolled in rolled_up(counts).items()
            if (cell, day) not in self._unsure
        }

    def _members(self, app_id: str | None) -> dict[Cell, list[UsageId]]:
        """By sum: the counts that are in it. With one app, its own sums alone."""
        found: dict[Cell, list[UsageId]] = {}
        for count in sorted(self._counts):
            for cell in cells_of(count):
                if app_id is None or "#APP#" in cell.scope:
                    found.setdefault(cell, []).append(count)
        return found

    async def _wrong_days(self, app_id: str | None) -> list[WrongTotal]:
        members: dict[TotalKey, list[UsageId]] = {}
        for cell, counts in self._members(app_id).items():
            if not is_count(cell):
                for count in counts:
                    members.setdefault(cell.of(periods_of(count.day).day), []).append(count)
        known = {key: counts for key, counts in members.items() if key in self._days}
        return await self._differing({key: (self._days[key], known[key]) for key in known})

    async def _wrong_periods(self, app_id: str | None) -> list[WrongTotal]:
        cells = self._members(app_id).items()
        read = await at_most(_AT_ONCE, (self._summed(*each) for each in cells))
        return await self._differing({key: each for found in read for key, each in found.items()})

    async def _summed(
        self, cell: Cell, counts: Sequence[UsageId]
    ) -> dict[TotalKey, tuple[Figures, list[UsageId]]]:
        """The weeks and months of some counts: the sum of their days, of which some are stored."""
        latest = {period: count for count in counts for period in periods_of(count.day)[1:]}
        days = {period: self._calendar.days(period) for period in latest}
        every = [day for inside in days.values() for day in inside]
        ends = {"first": f"DAY#{min(every)}", "last": f"DAY#{max(every)}"}
        rows = self._keeper.db.iterate(days_of_total(*cell, **ends))
        found = {row.period: figures_of(row) async for row in rows}
        known = [key for key in map(cell.of, _texts(every)) if key in self._days]
        found |= {key.period: self._days[key] for key in known}
        return {
            cell.of(period): (
                _added(found[day] for day in _texts(inside) if day in found),
                [latest[period]],
            )
            for period, inside in days.items()
            if not any((cell, day) in self._unsure for day in inside)
        }

    async def _differing(
        self, sums: Mapping[TotalKey, tuple[Figures, Sequence[UsageId]]]
    ) -> list[WrongTotal]:
        keys = list(sums)
        totals = await self._keeper.db.run(stored_totals(keys)) if keys else ()
        stored = [NOTHING if total is None else figures_of(total) for total in totals]
        return [
            WrongTotal(key, sums[key][0], found, sums[key][1])
            for key, found in zip(keys, stored, strict=True)
            # A repair raises ``rev``.
            if sums[key][0]._replace(rev=0) != found._replace(rev=0)
        ]

    async def _is_moving(self, key: TotalKey) -> bool:
        """Whether something in a total is marked, so that it will be made again."""
        cell = Cell(key.scope, key.label)
        late = self._keeper.clock.now() - SUMMED_SECS
        for day in self._calendar.days(key.period):
            for mark in await self._marks_of(key.scope, day):
                if mark.dirty_until_epoch.timestamp() > late and cell in cells_of(usage_id(mark)):
                    return True
        return False

    async def _marks_of(self, scope: str, day: str) -> list[Dirty]:
        found = self._marks.get(day)
        if found is None:
            org_id = scope.removeprefix("ORG#").partition("#")[0]
            rows = self._keeper.db.iterate(dirty_counts_of_day(slot_of(org_id), org_id, day))
            found = self._marks[day] = [row async for row in rows]
        return found


def _texts(days: Iterable[str]) -> Iterator[str]:
    """Days as periods."""
    return (periods_of(day).day for day in days)


def _added(figures: Iterable[Figures]) -> Figures:
    found = list(figures)
    return in_all(found) if found else NOTHING
