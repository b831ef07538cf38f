"""Organisations: all of them, and how one stands; closing and opening its labels by hand."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.pages.alerts import alert_lines
from tablewright.systems.pricekeeper.pages.fleet import Fleets
from tablewright.systems.pricekeeper.pages.history import TITLES, spend_chart, window_of
from tablewright.systems.pricekeeper.pages.live import LiveParts
from tablewright.systems.pricekeeper.pages.overriding import override
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights, org_path
from tablewright.systems.pricekeeper.pages.standing import org_line
from tablewright.systems.pricekeeper.rules.calendar import calendar_of
from tablewright.systems.pricekeeper.service.aggregates import Sheet

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_LISTED = 50
Search: TypeAlias = Annotated[str, Query(max_length=200)]


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/orgs")
    anyone = Depends(keeper.runtime.auth.require())
    operator = Depends(keeper.runtime.auth.require("admin", "operator"))
    parts = LiveParts(keeper.runtime.events)
    fleets = Fleets.of(keeper)

    @routes.get("")
    async def listed(
        request: Request,
        cursor: str | None = None,
        search: Search = "",
        who: Principal = anyone,
    ) -> Response:
        text = search.strip()
        page = await keeper.orgs.page(limit=_LISTED, cursor=cursor, text=text)
        fleet = await fleets.current()
        settings = {each.org_id: await keeper.directory.org(each.org_id) for each in page}
        more = with_query(f"{BASE}/orgs", cursor=page.cursor, search=text) if page.cursor else ""
        return pages.render(
            request,
            "pricekeeper/orgs.html",
            orgs=list(page),
            settings=settings,
            fleet=fleet,
            search=text,
            more=more,
            may=Rights.of(who),
        )

    async def shown(
        request: Request,
        org: Org,
        who: Principal,
        *,
        window: str | None = None,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        days, now = calendar_of(org), keeper.now()
        local = datetime.fromtimestamp(now, ZoneInfo(days.zone_at(now)))
        chosen = window_of(window)
        return pages.render(
            request,
            "pricekeeper/org.html",
            status=problem.status if problem else 200,
            problem=problem,
            values=values,
            org=org,
            line=await org_line(keeper, org),
            chart=await spend_chart(keeper, Sheet(org), chosen),
            windows=[(title, f"?window={title.lower()}") for title in TITLES],
            window=next(title for title, each in TITLES.items() if each == chosen),
            local_time=f"{local:%A} {local.day} {local:%b, %H:%M}",
            day_left=days.end(days.day(now)) - now,
            alerts=(await alert_lines(keeper, [org]))[:8],
            may=Rights.of(who),
            crumbs=[("Organisations", f"{BASE}/orgs")],
        )

    @routes.get("/{org_id}")
    async def one(
        request: Request, org_id: str, window: str | None = None, who: Principal = anyone
    ) -> Response:
        org = await keeper.orgs.get(org_id)
        return await shown(request, org, who, window=window)

    @routes.get("/{org_id}/live")
    async def live(request: Request, org_id: str, who: Principal = anyone) -> Response:
        org = await keeper.orgs.get(org_id)

        async def html() -> str:
            now = await keeper.directory.org(org.org_id) or org
            line = await org_line(keeper, now)
            return pages.fragment("pricekeeper/org_part.html", org=now, line=line)

        return parts.stream(request, f"org.{org.org_id}", html)

    @routes.post("/{org_id}/override")
    async def overridden(request: Request, org_id: str, who: Principal = operator) -> Response:
        values = await typed(request)
        org = await keeper.orgs.get(org_id)
        try:
            message = await override(keeper, org.org_id, None, values, who)
        except Problem as problem:
            return await shown(request, org, who, problem=problem, values=values)
        return pages.done(request, org_path(org.org_id), message)

    return routes
