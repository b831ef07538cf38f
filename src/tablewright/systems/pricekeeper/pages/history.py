"""Spend of days, weeks or months as charts show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, TypedDict

from tablewright.service.gathering import at_most
from tablewright.systems.pricekeeper.bodies import AggregatesOut, day_text
from tablewright.systems.pricekeeper.bodies.fields import Window
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.pages.standing import label_text
from tablewright.systems.pricekeeper.rules.calendar import date_of
from tablewright.systems.pricekeeper.service.aggregates import Sheet

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: How far back charts go, in days.
_DAYS: dict[Window, int] = {"DAY": 29, "WEEK": 7 * 11, "MONTH": 31 * 5}
#: On the overview: so many days, of so many organisations.
_OVERVIEW_DAYS, _MOST_ORGS = 14, 6
_AT_ONCE = 4
TITLES: dict[str, Window] = {"Days": "DAY", "Weeks": "WEEK", "Months": "MONTH"}


class Series(TypedDict):
    """One label."""

    name: str
    values: list[float]


class Mark(TypedDict):
    """A line across the chart."""

    name: str
    value: float


@dataclass(frozen=True)
class SpendChart:
    """What a chart is drawn from; in dollars."""

    window: Window
    x: list[str]
    series: list[Series]
    marks: list[Mark]

    @property
    def is_empty(self) -> bool:
        return not any(value for each in self.series for value in each["values"])


def window_of(text: str | None) -> Window:
    """What was asked for; days, if that is none."""
    return TITLES.get((text or "").capitalize(), "DAY")


async def spend_chart(keeper: Keeper, sheet: Sheet, window: Window) -> SpendChart:
    """The last weeks of an organisation or an app, by label."""
    last = date_of(keeper.aggregates.today(sheet.org))
    first = last - timedelta(days=_DAYS[window])
    days = (f"{first:%Y%m%d}", f"{last:%Y%m%d}")
    found = await keeper.aggregates.between(sheet, *days, window)
    return chart_of(found.items, window, sheet.org.model_ordering)


async def chart_by_org(keeper: Keeper, orgs: Sequence[Org]) -> SpendChart:
    """The last two weeks of several organisations, each in its own calendar."""
    shown = orgs[:_MOST_ORGS]
    rows = await at_most(_AT_ONCE, (_last_days(keeper, org) for org in shown))
    days = sorted({day for row in rows for day in row})[-_OVERVIEW_DAYS:]
    return SpendChart(
        "DAY",
        [_period_text(day_text(day), "DAY") for day in days],
        [
            {"name": org.org_name, "values": [row.get(day, 0.0) for day in days]}
            for org, row in zip(shown, rows, strict=True)
        ],
        [],
    )


async def _last_days(keeper: Keeper, org: Org) -> dict[str, float]:
    last = date_of(keeper.aggregates.today(org))
    first = last - timedelta(days=_OVERVIEW_DAYS - 1)
    days = (f"{first:%Y%m%d}", f"{last:%Y%m%d}")
    found = await keeper.aggregates.between(Sheet(org), *days, "DAY")
    return {
        item.period.replace("-", ""): round(item.totals.cost_usd_micros / 10**6, 4)
        for item in found.items
    }


def chart_of(items: Sequence[AggregatesOut], window: Window, ordering: Sequence[str]) -> SpendChart:
    """Labels in the order of the chain; a line for the limit of all of them, if there is one."""
    used = {label for item in items for label in item.models}
    known = [label for label in ordering if label in used]
    labels = [*known, *sorted(used.difference(known))]
    quota = items[-1].totals.quota_usd_micros if items else None
    return SpendChart(
        window,
        [_period_text(item.period, window) for item in items],
        [{"name": label, "values": [_cost(item, label) for item in items]} for label in labels],
        [{"name": f"limit, {label_text('_all')}", "value": quota / 10**6}] if quota else [],
    )


def _cost(item: AggregatesOut, label: str) -> float:
    found = item.models.get(label)
    return 0.0 if found is None else round(found.cost_usd_micros / 10**6, 4)


def _period_text(period: str, window: Window) -> str:
    if window == "WEEK":
        return period.partition("-")[2]
    if window == "MONTH":
        return f"{date.fromisoformat(period + '-01'):%b %Y}"
    day = date.fromisoformat(period)
    return f"{day.day} {day:%b}"
