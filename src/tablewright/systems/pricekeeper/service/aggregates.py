"""What was spent, by label: of a day, a week or a month, and of several of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.bodies import AggregatesOut, HistoryOut, LabelAmounts, iso
from tablewright.systems.pricekeeper.bodies.fields import Window
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.reads import history
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.calendar import calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.figures import Figures
from tablewright.systems.pricekeeper.rules.finals import closes_at
from tablewright.systems.pricekeeper.rules.limits import app_limits, org_limits
from tablewright.systems.pricekeeper.rules.periods import period_text, periods_between
from tablewright.systems.pricekeeper.service.totals import OrgBooks
from tablewright.systems.pricekeeper.service.totals.views import View
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of
from tablewright.systems.pricekeeper.spend import Total

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Periods in one answer.
MOST_PERIODS = 100


class Sheet(NamedTuple):
    """Whose spend: an organisation's, or one app's."""

    org: Org
    app: App | None = None

    @property
    def scope(self) -> str:
        return scope_of(self.org.org_id, self.app.app_id if self.app else None)


class Aggregates:
    """Spend as people look at it."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def today(self, org: Org) -> str:
        """The organisation's day, as ``yyyymmdd``."""
        return calendar_of(org).day(self._keeper.clock.now())

    async def of_period(self, sheet: Sheet, period: str) -> AggregatesOut:
        """One period, with what this process has recorded a moment ago."""
        totals = self._keeper.totals
        books = OrgBooks(sheet.org.org_id, calendar_of(sheet.org))
        whole = TotalKey(sheet.scope, ALL, period)
        await totals.spend(books, [whole])
        labels = sorted(totals.view(whole).labels | totals.own_labels(books.org_id, whole))
        keys = [whole, *(TotalKey(sheet.scope, label, period) for label in labels)]
        spends = await totals.spend(books, keys)
        views = {key.label: totals.view(key) for key in keys}
        amounts = {key.label: spend.amounts for key, spend in spends.items()}
        active = await self._active_label(sheet, period)
        return self._out(sheet, period, views, amounts, active)

    async def between(
        self, sheet: Sheet, first_day: str, last_day: str, window: Window
    ) -> HistoryOut:
        """All periods from one day to another, the earliest first."""
        periods = periods_between(first_day, last_day, window, MOST_PERIODS + 1)
        if len(periods) > MOST_PERIODS:
            detail = f"An answer has at most {MOST_PERIODS} periods. Ask for fewer days."
            raise Problem(400, "RANGE_TOO_LONG", detail)
        whole = await self._history(sheet, ALL, periods)
        labels = sorted({label for total in whole.values() for label in total.labels})
        found = await asyncio.gather(*(self._history(sheet, each, periods) for each in labels))
        by_label = {ALL: whole, **dict(zip(labels, found, strict=True))}
        current = set(periods_of(self.today(sheet.org)))
        items = [
            await self.of_period(sheet, period)
            if period in current
            else self._past(sheet, period, by_label)
            for period in periods
        ]
        return HistoryOut(
            org_id=sheet.org.org_id, app_id=sheet.app.app_id if sheet.app else None, items=items
        )

    # --- inside ----------------------------------------------------------------------------------

    async def _history(self, sheet: Sheet, label: str, periods: Sequence[str]) -> dict[str, Total]:
        op = history(sheet.scope, label, first=periods[0], last=periods[-1])
        return {total.period: total async for total in self._keeper.db.iterate(op)}

    def _past(
        self, sheet: Sheet, period: str, by_label: Mapping[str, Mapping[str, Total]]
    ) -> AggregatesOut:
        views = {
            label: View.of(totals[period]) for label, totals in by_label.items() if period in totals
        }
        views.setdefault(ALL, View())
        amounts = {label: view.figures for label, view in views.items()}
        return self._out(sheet, period, views, amounts, None)

    def _out(
        self,
        sheet: Sheet,
        period: str,
        views: Mapping[str, View],
        amounts: Mapping[str, Figures],
        active: str | None,
    ) -> AggregatesOut:
        quotas = self._quotas(sheet, period, views)
        models = {
            label: _amounts(found, quotas.get(label))
            for label, found in amounts.items()
            if label != ALL
        }
        whole = views[ALL]
        return AggregatesOut(
            org_id=sheet.org.org_id,
            app_id=sheet.app.app_id if sheet.app else None,
            window=_window(period),
            period=period_text(period),
            models=models,
            totals=_amounts(amounts[ALL], quotas.get(ALL)),
            active_model_label=active,
            final=self._is_final(sheet.org, period, whole),
            as_of=iso(whole.as_of_ms / 1000) if whole.as_of_ms else None,
        )

    def _quotas(
        self, sheet: Sheet, period: str, views: Mapping[str, View]
    ) -> dict[str, int | None]:
        """The limits that count, or of what is over, that counted then."""
        if period not in periods_of(self.today(sheet.org)):
            return {label: view.quota_micros for label, view in views.items()}
        org, app = sheet
        limits = org_limits(org) if app is None else app_limits(Account(org, app))
        return {each.label: each.quota_micros for each in limits if each.window == _window(period)}

    def _is_final(self, org: Org, period: str, view: View) -> bool:
        """A week or a month is final when all that could come in has, whatever came in."""
        if period.startswith("DAY#"):
            return view.final
        return self._keeper.clock.now() >= closes_at(org, period)

    async def _active_label(self, sheet: Sheet, period: str) -> str | None:
        """What was in use last on a day; today, what is recommended now."""
        if not period.startswith("DAY#"):
            return None
        day, (org, app) = period.removeprefix("DAY#"), sheet
        if app is not None and org.status == app.status == "ACTIVE" and day == self.today(org):
            found = await self._keeper.selector.select(Account(org, app))
            return found.choice.recommended
        books = OrgBooks(sheet.org.org_id, calendar_of(sheet.org))
        await self._keeper.totals.read(books, (), [(sheet.scope, day)], strong=False)
        row = self._keeper.totals.closed(sheet.scope, day)
        return None if row is None else row.active_model_label


def _window(period: str) -> Window:
    if period.startswith("DAY#"):
        return "DAY"
    return "WEEK" if period.startswith("WEEK#") else "MONTH"


def _amounts(found: Figures, quota: int | None) -> LabelAmounts:
    values = found._asdict()
    picos = values.pop("cost_usd_picos")
    values.pop("rev")
    return LabelAmounts(cost_usd_micros=micros(picos), **values, quota_usd_micros=quota)
