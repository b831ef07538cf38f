"""The overview: what all organisations spend, those that spend most, and the latest alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.gathering import at_most
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.pricekeeper.pages.alerts import AlertLine, latest_alert_lines
from tablewright.systems.pricekeeper.pages.fleet import Fleet, Fleets
from tablewright.systems.pricekeeper.pages.history import chart_by_org
from tablewright.systems.pricekeeper.pages.live import LiveParts
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights
from tablewright.systems.pricekeeper.pages.standing import OrgLine, org_line

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

Page: TypeAlias = Annotated[int, Query(ge=1, le=10_000)]
#: Organisations on one page, and apps of each that are looked at.
_ORGS, _APPS = 12, 12
_AT_ONCE = 4
#: Alerts that are shown.
_ALERTS = 8


@dataclass(frozen=True)
class Overview:
    """What the live part shows: all organisations together, and some of them in detail."""

    fleet: Fleet
    #: The organisations of this page, the highest spend first.
    orgs: Sequence[OrgLine]
    alerts: Sequence[AlertLine]

    @property
    def apps(self) -> int:
        return sum(len(each.apps) for each in self.orgs)

    @property
    def moved_down(self) -> int:
        """Count the apps of this page that have to do without their first label."""
        return sum(app.moved_down for each in self.orgs for app in each.apps)

    @property
    def tight(self) -> int:
        return sum(app.is_tight for each in self.orgs for app in each.apps)


class _Watch:
    """One page of organisations."""

    def __init__(self, keeper: Keeper, pages: Pages, fleets: Fleets, number: int) -> None:
        self._keeper = keeper
        self._pages = pages
        self._fleets = fleets
        self._number = number

    async def look(self) -> Overview:
        """Return how things stand now."""
        keeper = self._keeper
        fleet = await self._fleets.current()
        first = (self._number - 1) * _ORGS
        shown = fleet.orgs[first : first + _ORGS]
        found = [await keeper.directory.org(each.org.org_id) for each in shown]
        orgs = [org for org in found if org is not None and org.status != "DELETED"]
        lines = await at_most(_AT_ONCE, (org_line(keeper, org, most_apps=_APPS) for org in orgs))
        alerts = await latest_alert_lines(keeper, _ALERTS)
        return Overview(fleet, lines, alerts)

    async def html(self) -> str:
        overview = await self.look()
        return self._pages.fragment("pricekeeper/overview_part.html", overview=overview)


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter()
    anyone = Depends(keeper.runtime.auth.require())
    parts = LiveParts(keeper.runtime.events)
    fleets = Fleets.of(keeper)

    @routes.get("/")
    async def overview(request: Request, page: Page = 1, who: Principal = anyone) -> Response:
        found = await _Watch(keeper, pages, fleets, page).look()
        further = len(found.fleet.orgs) > page * _ORGS
        return pages.render(
            request,
            "pricekeeper/overview.html",
            overview=found,
            chart=await chart_by_org(keeper, [line.org for line in found.orgs]),
            labels=await keeper.directory.labels(),
            may=Rights.of(who),
            stream=f"{BASE}/live" if page == 1 else with_query(f"{BASE}/live", page=str(page)),
            first=f"{BASE}/" if page > 1 else "",
            further=with_query(f"{BASE}/", page=str(page + 1)) if further else "",
        )

    @routes.get("/live")
    async def live(request: Request, page: Page = 1, who: Principal = anyone) -> Response:
        watch = _Watch(keeper, pages, fleets, page)
        return parts.stream(request, f"overview.{page}", watch.html)

    return routes
