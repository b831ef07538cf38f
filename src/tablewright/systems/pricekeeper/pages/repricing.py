"""What records would cost at the prices that are known now; corrections that make it so."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem, not_found
from tablewright.systems.pricekeeper.pages.choosing import Chosen, chosen
from tablewright.systems.pricekeeper.pages.paths import BASE
from tablewright.systems.pricekeeper.rules.periods import read_day
from tablewright.systems.pricekeeper.service.ledger import Repriced
from tablewright.systems.pricekeeper.service.ledger.scanning import Days

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Days that are looked at, unless others are asked for.
_USUAL_DAYS = 7


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/prices/reprice")
    operator = Depends(keeper.runtime.auth.require("admin", "operator"))

    async def reprice(
        found: Chosen, days: Days, label: str | None, by: Principal | None
    ) -> Repriced:
        assert found.org is not None
        app_id = found.app.app_id if found.app else None
        return await keeper.ledger.reprice(
            found.org.org_id, app_id, days=days, label=label or None, apply=by
        )

    @routes.get("")
    async def preview(
        request: Request,
        org: str | None = None,
        app: str | None = None,
        label: str | None = None,
        first: str | None = None,
        last: str | None = None,
        who: Principal = operator,
    ) -> Response:
        found = await chosen(keeper, org, app)
        result, days = None, Days()
        if found.org is not None:
            today = keeper.aggregates.today(found.org)
            days = _days(first, last, today)
            result = await reprice(found, days, label, None) if org else None
        return pages.render(
            request,
            "pricekeeper/reprice.html",
            chosen=found,
            labels=[each.label for each in await keeper.directory.labels()],
            label=label or "",
            first=_text(days.first),
            last=_text(days.last),
            result=result,
            crumbs=[("Prices", f"{BASE}/prices")],
        )

    @routes.post("")
    async def apply(request: Request, who: Principal = operator) -> Response:
        values = await typed(request)
        found = await chosen(keeper, values.get("org"), values.get("app"))
        if found.org is None:
            raise not_found("organisation")
        if found.missing:
            raise not_found("app")
        today = keeper.aggregates.today(found.org)
        days = _days(values.get("first"), values.get("last"), today)
        done = await reprice(found, days, values.get("label"), who)
        back = with_query(
            f"{BASE}/prices/reprice",
            org=found.org.org_id,
            app=found.app.app_id if found.app else None,
            label=values.get("label"),
            first=_text(days.first),
            last=_text(days.last),
        )
        records = "record is" if done.applied == 1 else "records are"
        message = f"{done.applied} {records} corrected."
        if done.refused:
            message += f" {len(done.refused)} were refused: {done.refused[0][1]}."
        return pages.done(request, back, message, tone="warning" if done.refused else "success")

    return routes


def _days(first: str | None, last: str | None, today: str) -> Days:
    ends = [read_day(text) if text else None for text in (first, last)]
    if (first and ends[0] is None) or (last and ends[1] is None):
        raise Problem(400, "BAD_DATE", "A day is written 2026-11-15.")
    until = ends[1] or today
    usual = date.fromisoformat(_text(until)) - timedelta(days=_USUAL_DAYS - 1)
    return Days(ends[0] or f"{usual:%Y%m%d}", until)


def _text(day: str | None) -> str:
    return f"{day[:4]}-{day[4:6]}-{day[6:]}" if day else ""
