"""Making the totals of one organisation: counts, then all that is a sum of them.

Sums of several counts hold every flush that was confirmed before the first of them was read
(:mod:`sums`); what is known of that comes from the totals of the run before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed
from tablewright.service.gathering import at_most
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.reads import (
    apps,
    days_of_total,
    stored_totals,
    usage_shards,
)
from tablewright.systems.pricekeeper.recording import publish_total
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.calendar import Calendar, calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.figures import figures_of
from tablewright.systems.pricekeeper.rules.limits import app_limits, org_limits
from tablewright.systems.pricekeeper.rules.rows import UsageId, marks_kept_until
from tablewright.systems.pricekeeper.service.alerts import Reached
from tablewright.systems.pricekeeper.service.totals.parts import (
    Seen,
    changed,
    confirmed,
    count_key,
    is_count,
    is_covered,
    take_newer,
    usage_id,
)
from tablewright.systems.pricekeeper.service.totals.rolling import (
    Cell,
    Rolled,
    added,
    cells_of,
    rolled_up,
)
from tablewright.systems.pricekeeper.service.totals.rows import Summing, total_row
from tablewright.systems.pricekeeper.service.totals.sums import (
    Sum,
    highest,
    summed,
)
from tablewright.systems.pricekeeper.service.totals.views import View
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, UsageKey, scope_of
from tablewright.systems.pricekeeper.spend import Dirty, Total

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Requests of one organisation that are under way at the same time.
_AT_ONCE = 16


class Superseded(Exception):
    """Somebody with a later fence makes these totals."""


class OrgRun:
    """One run over one organisation."""

    def __init__(
        self,
        keeper: Keeper,
        org_id: str,
        fence: int,
        rows: Sequence[Dirty],
        done: MutableMapping[UsageId, float],
    ) -> None:
        """``done`` are the counts that need not be summed; what gets done is added to it."""
        self._keeper = keeper
        self._db = keeper.db
        self.org_id = org_id
        self._fence = fence
        self._todo = [row for row in rows if usage_id(row) not in done]
        self._days = sorted({row.day for row in self._todo})
        self._counts = {usage_id(row) for row in rows if row.day in self._days}
        self._touched = {cell for row in self._todo for cell in cells_of(usage_id(row))}
        self._done = done
        self._now = keeper.clock.now()
        #: How old the oldest total was of what had to be summed.
        self.lag_secs = 0.0

    async def run(self) -> None:
        """Sum what is marked, and publish all totals that it is in."""
        org = await self._keeper.directory.org(self.org_id)
        if org is None:
            return
        calendar = calendar_of(org)
        self._counts |= await self._unmarked(calendar)
        before = await self._stored()
        # Before the first read: what is confirmed by now is in all sums.
        known = highest(confirmed(before), self._keeper.totals.confirmed(self.org_id))
        as_of_ms = int(self._keeper.clock.now() * 1000)
        sums = await self._summed(before)
        seen = Seen(sums, known)
        limits = await self._limits(org)
        current = periods_of(calendar.day(self._now))
        summing = Summing(as_of_ms, self._quotas(limits), current)
        views = self._count_views(summing, sums, before, known)
        days = self._rolled(sums, before)
        views |= self._day_views(summing, days, seen, before)
        views = changed(views, before, sums)
        await self._publish(calendar, views)
        wider = await self._period_views(calendar, summing, days, seen, before)
        wider = changed(wider, before, sums)
        await self._publish(calendar, wider)
        await self._tell(org, limits, current, {**before, **views, **wider})
        self._remember(as_of_ms, before, sums)

    # --- reading ---------------------------------------------------------------------------------

    async def _unmarked(self, calendar: Calendar) -> set[UsageId]:
        """Counts of days so long ago that their marks may be gone; all of them make up the day."""
        late = [day for day in self._days if marks_kept_until(calendar, day) <= self._now]
        if not late:
            return set()
        found = [app.app_id async for app in self._db.iterate(apps(self.org_id))]
        keys = [
            TotalKey(scope_of(self.org_id, app_id), ALL, periods_of(day).day)
            for app_id in found
            for day in late
        ]
        totals = [each for each in await self._db.run(stored_totals(keys)) if each is not None]
        return {
            UsageId(self.org_id, total.scope.partition("#APP#")[2], label, total.period[4:])
            for total in totals
            for label in total.labels
        }

    async def _stored(self) -> dict[TotalKey, View]:
        """All totals that this run may change or build on, as they were."""
        keys = {count_key(count) for count in self._counts}
        for day in self._days:
            keys |= {cell.of(period) for cell in self._touched for period in periods_of(day)}
        wanted = sorted(keys)
        found = await self._db.run(stored_totals(wanted))
        return {
            key: View() if total is None else View.of(total)
            for key, total in zip(wanted, found, strict=True)
        }

    async def _summed(self, before: Mapping[TotalKey, View]) -> dict[UsageId, Sum]:
        """What was written to since it was summed; who cannot be read stops all of it."""
        rows = [row for row in self._todo if not is_covered(row, before, self._now)]
        for row in rows:
            as_of = before[count_key(usage_id(row))].as_of_ms / 1000
            if as_of:
                self.lag_secs = max(self.lag_secs, self._now - as_of)
        found = await at_most(_AT_ONCE, map(self._sum, rows))
        return {UsageId(*each.key[:4]): each for each in found}

    async def _sum(self, row: Dirty) -> Sum:
        key = UsageKey(row.org_id, row.app_id, row.label, row.day, row.shard_count)
        return summed(key, await self._db.run(usage_shards(key)))

    # --- adding up -------------------------------------------------------------------------------

    def _count_views(
        self,
        summing: Summing,
        sums: Mapping[UsageId, Sum],
        before: Mapping[TotalKey, View],
        known: Mapping[str, int],
    ) -> dict[TotalKey, View]:
        return {
            (key := count_key(count)): summing.view(
                key,
                each.figures,
                highest(each.seen, known),
                before[key],
                fence=self._fence,
                shard_count=each.key.shard_count,
            )
            for count, each in sums.items()
        }

    def _rolled(
        self, sums: Mapping[UsageId, Sum], before: Mapping[TotalKey, View]
    ) -> dict[str, dict[Cell, Rolled]]:
        """By day: what all counts of it are together, in the cells that have changed."""
        return {
            day: {
                cell: each
                for cell, each in rolled_up(
                    {
                        count: sums[count].figures
                        if count in sums
                        else before[count_key(count)].figures
                        for count in self._counts
                        if count.day == day
                    }
                ).items()
                if cell in self._touched
            }
            for day in self._days
        }

    def _day_views(
        self,
        summing: Summing,
        days: Mapping[str, Mapping[Cell, Rolled]],
        seen: Seen,
        before: Mapping[TotalKey, View],
    ) -> dict[TotalKey, View]:
        """The totals of days that are sums of counts."""
        return {
            (key := cell.of(periods_of(day).day)): self._view(
                summing, key, rolled, seen.of(cell, [day]), before[key]
            )
            for day, cells in days.items()
            for cell, rolled in cells.items()
            if not is_count(cell)
        }

    async def _period_views(
        self,
        calendar: Calendar,
        summing: Summing,
        days: Mapping[str, Mapping[Cell, Rolled]],
        seen: Seen,
        before: Mapping[TotalKey, View],
    ) -> dict[TotalKey, View]:
        """The totals of weeks and months that a day of this run lies in."""
        periods = sorted({period for day in self._days for period in periods_of(day)[1:]})
        cells = sorted(self._touched)
        read = await at_most(_AT_ONCE, (self._days_of(calendar, cell, periods) for cell in cells))
        found: dict[TotalKey, View] = {}
        for cell, by_day in zip(cells, read, strict=True):
            for day, rolled in days.items():
                take_newer(by_day, day, rolled.get(cell))
            for period in periods:
                all_days, key = calendar.days(period), cell.of(period)
                inside = added(by_day[day] for day in all_days if day in by_day)
                found[key] = self._view(summing, key, inside, seen.of(cell, all_days), before[key])
        return found

    async def _days_of(
        self, calendar: Calendar, cell: Cell, periods: Sequence[str]
    ) -> dict[str, Rolled]:
        days = [day for period in periods for day in calendar.days(period)]
        ends = {"first": f"DAY#{min(days)}", "last": f"DAY#{max(days)}"}
        rows = self._db.iterate(days_of_total(*cell, **ends))
        return {
            row.period[4:]: Rolled(figures_of(row), frozenset(row.labels)) async for row in rows
        }

    def _view(
        self,
        summing: Summing,
        key: TotalKey,
        rolled: Rolled,
        seen: Mapping[str, int],
        before: View,
    ) -> View:
        return summing.view(
            key, rolled.figures, seen, before, fence=self._fence, labels=rolled.labels
        )

    # --- writing ---------------------------------------------------------------------------------

    async def _publish(self, calendar: Calendar, views: Mapping[TotalKey, View]) -> None:
        rows = [total_row(calendar, key, view) for key, view in views.items()]
        await at_most(_AT_ONCE, map(self._publish_row, rows))

    async def _publish_row(self, row: Total) -> None:
        try:
            await self._db.run(publish_total(row))
        except ConditionFailed as refused:
            stored = refused.item
            if isinstance(stored, Total) and stored.fence > row.fence:
                raise Superseded(f"a later fence than {row.fence} makes totals") from None
            # Else a process has summed for itself in between, and later than this.

    async def _tell(
        self,
        org: Org,
        limits: Sequence[Limit],
        current: Sequence[str],
        views: Mapping[TotalKey, View],
    ) -> None:
        """Alerts about what is not over, and about usage without a price.

        Also of totals that this run has not made: whoever published them need not have told.
        """
        alerts = self._keeper.alerts
        windows = {period.partition("#")[0]: period for period in current}
        keys = [
            (limit, TotalKey(limit.scope, limit.label, windows[limit.window])) for limit in limits
        ]
        reached = [
            Reached(limit, key.period, views[key].figures.cost_usd_picos)
            for limit, key in keys
            if key in views and views[key].as_of_ms
        ]
        await alerts.reached(org, reached)
        for key in map(count_key, map(usage_id, self._todo)):
            if views[key].figures.unpriced:
                await alerts.unpriced(org, key)

    async def _limits(self, org: Org) -> list[Limit]:
        found = list(org_limits(org))
        for app_id in sorted({row.app_id for row in self._todo}):
            app = await self._keeper.directory.app(self.org_id, app_id)
            if app is not None:
                found += app_limits(Account(org, app))
        return found

    def _quotas(self, limits: Iterable[Limit]) -> dict[TotalKey, int | None]:
        return {
            TotalKey(limit.scope, limit.label, periods_of(day).of(limit.window)): limit.quota_micros
            for limit in limits
            for day in self._days
        }

    def _remember(
        self, as_of_ms: int, before: Mapping[TotalKey, View], sums: Mapping[UsageId, Sum]
    ) -> None:
        """What was summed after its mark had ended will not change any more."""
        for row in self._todo:
            count, until = usage_id(row), row.dirty_until_epoch.timestamp()
            summed_at = as_of_ms if count in sums else before[count_key(count)].as_of_ms
            if summed_at >= until * 1000:
                self._done[count] = until
