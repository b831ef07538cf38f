"""What was used on a day, by label and by app; exports for spreadsheets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.gathering import at_most
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.bodies import AggregatesOut, LabelAmounts, day_text
from tablewright.systems.pricekeeper.config import App
from tablewright.systems.pricekeeper.pages.choosing import Chosen, chosen
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights
from tablewright.systems.pricekeeper.rules.calendar import date_of
from tablewright.systems.pricekeeper.rules.periods import read_day
from tablewright.systems.pricekeeper.service.aggregates import Sheet

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_AT_ONCE = 8
#: Days of totals in an export, unless others are asked for.
_EXPORT_DAYS = 35


@dataclass(frozen=True)
class DayTable:
    """A day of an organisation or an app."""

    day: AggregatesOut
    #: By app, if it is a whole organisation's.
    apps: list[tuple[str, str, LabelAmounts]]

    @property
    def labels(self) -> list[tuple[str, LabelAmounts]]:
        """The dearest first."""
        return sorted(self.day.models.items(), key=lambda each: -each[1].cost_usd_micros)


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter()
    anyone = Depends(keeper.runtime.auth.require("admin", "operator", "auditor"))

    @routes.get("/usage")
    async def usage(
        request: Request,
        org: str | None = None,
        app: str | None = None,
        day: str | None = None,
        who: Principal = anyone,
    ) -> Response:
        found = await chosen(keeper, org, app)
        context: dict[str, object] = {"chosen": found, "may": Rights.of(who)}
        if found.org is not None:
            today = keeper.aggregates.today(found.org)
            wanted = _read(day) or today
            context |= {
                "table": await _table(keeper, found, wanted),
                "day": day_text(wanted),
                "today": day_text(today),
                "links": _links(found, wanted, today),
            }
        return pages.render(request, "pricekeeper/usage.html", status=200, **context)

    return routes


def _read(day: str | None) -> str | None:
    found = read_day(day) if day else None
    if day and found is None:
        raise Problem(400, "BAD_DATE", "A day is written 2026-11-15.")
    return found


async def _table(keeper: Keeper, found: Chosen, day: str) -> DayTable:
    assert found.org is not None
    org, period = found.org, f"DAY#{day}"
    whole = await keeper.aggregates.of_period(Sheet(org, found.app), period)
    if found.app is not None:
        return DayTable(whole, [])

    async def of_app(app: App) -> tuple[str, str, LabelAmounts]:
        spent = await keeper.aggregates.of_period(Sheet(org, app), period)
        return app.app_id, app.app_name, spent.totals

    apps = await keeper.orgs.apps.page(org.org_id, limit=100)
    rows = await at_most(_AT_ONCE, (of_app(each) for each in apps))
    rows.sort(key=lambda each: -each[2].cost_usd_micros)
    return DayTable(whole, rows)


def _links(found: Chosen, day: str, today: str) -> dict[str, str]:
    """The day before and after, and the exports."""
    assert found.org is not None
    org_id, app_id = found.org.org_id, found.app.app_id if found.app else None
    here = date_of(day)
    place = f"{BASE}/api/v1/orgs/{org_id}" + (f"/apps/{app_id}" if app_id else "") + "/export.csv"

    def at(other: date) -> str:
        return with_query(f"{BASE}/usage", org=org_id, app=app_id, day=other.isoformat())

    first = here - timedelta(days=_EXPORT_DAYS - 1)
    span = {"from": first.isoformat(), "to": here.isoformat()}
    return {
        "before": at(here - timedelta(days=1)),
        "after": at(here + timedelta(days=1)) if day < today else "",
        "totals": with_query(place, kind="totals", **span),
        "ledger": with_query(place, kind="ledger", **{**span, "from": here.isoformat()}),
    }
