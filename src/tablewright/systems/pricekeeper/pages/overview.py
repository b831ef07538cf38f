"""What is spent right now: every organisation, its labels and apps, and the latest alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.gathering import at_most
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.pages.alerts import AlertLine, alert_lines
from tablewright.systems.pricekeeper.pages.history import SpendChart, chart_by_org
from tablewright.systems.pricekeeper.pages.live import LiveParts
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights
from tablewright.systems.pricekeeper.pages.standing import LimitLine, OrgLine, org_line

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Organisations on one page, and apps of each that are looked at.
_ORGS, _APPS = 12, 12
_AT_ONCE = 4
#: Alerts are rare, and reading them is not: seconds between looks, and how many are shown.
_ALERT_SECS, _ALERTS = 10.0, 8


@dataclass(frozen=True)
class Overview:
    """What the live part shows."""

    orgs: Sequence[OrgLine]
    alerts: Sequence[AlertLine]
    #: There are organisations beyond this page.
    partial: bool

    @property
    def today_micros(self) -> int:
        return sum(each.today_micros for each in self.orgs)

    @property
    def burn_micros(self) -> int:
        return round(sum(each.burn for each in self.orgs))

    @property
    def apps(self) -> int:
        return sum(len(each.apps) for each in self.orgs)

    @property
    def moved_down(self) -> int:
        """Apps that have to do without the label that they would like best."""
        return sum(app.moved_down for each in self.orgs for app in each.apps)

    @property
    def tight(self) -> int:
        return sum(app.is_tight for each in self.orgs for app in each.apps)

    @property
    def nearest(self) -> tuple[OrgLine, LimitLine] | None:
        """The limit nearest its end that is not reached yet."""
        open_ones = [(org, line) for org in self.orgs for line in org.pressing if line.pct < 100]
        return max(open_ones, key=lambda found: found[1].pct, default=None)

    @property
    def lag_secs(self) -> float:
        return max((each.lag_secs for each in self.orgs), default=0.0)


class _Watch:
    """One page of organisations."""

    def __init__(self, keeper: Keeper, pages: Pages, cursor: str | None) -> None:
        self._keeper = keeper
        self._pages = pages
        self._cursor = cursor
        self._alerts: Sequence[AlertLine] = ()
        self._looked: float | None = None

    async def look(self) -> tuple[Overview, str | None]:
        """How things stand, and where the next page begins."""
        keeper = self._keeper
        page = await keeper.orgs.page(limit=_ORGS, cursor=self._cursor)
        found = [await keeper.directory.org(each.org_id) for each in page]
        orgs = [org for org in found if org is not None and org.status != "DELETED"]
        lines = await at_most(_AT_ONCE, (org_line(keeper, org, most_apps=_APPS) for org in orgs))
        lines.sort(key=_urgency)
        partial = page.cursor is not None or self._cursor is not None
        return Overview(lines, await self._told(orgs), partial), page.cursor

    async def html(self) -> str:
        overview, _ = await self.look()
        return self._pages.fragment("pricekeeper/overview_part.html", overview=overview)

    async def _told(self, orgs: Sequence[Org]) -> Sequence[AlertLine]:
        now = self._keeper.clock.now()
        if self._looked is None or not 0 <= now - self._looked < _ALERT_SECS:
            self._alerts = (await alert_lines(self._keeper, orgs))[:_ALERTS]
            self._looked = now
        return self._alerts


def _urgency(line: OrgLine) -> tuple[bool, float, str]:
    """What needs a look comes first."""
    pct = max((each.pct for each in line.pressing), default=0.0)
    return line.org.status != "ACTIVE", -round(pct), line.org.org_name


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter()
    anyone = Depends(keeper.runtime.auth.require())
    parts = LiveParts(keeper.runtime.events)

    @routes.get("/")
    async def overview(
        request: Request, cursor: str | None = None, who: Principal = anyone
    ) -> Response:
        found, further = await _Watch(keeper, pages, cursor).look()
        return pages.render(
            request,
            "pricekeeper/overview.html",
            overview=found,
            chart=await _chart(keeper, found),
            labels=await keeper.directory.labels(),
            may=Rights.of(who),
            stream=with_query(f"{BASE}/live", cursor=cursor),
            first=f"{BASE}/" if cursor else "",
            further=with_query(f"{BASE}/", cursor=further) if further else "",
        )

    @routes.get("/live")
    async def live(
        request: Request, cursor: str | None = None, who: Principal = anyone
    ) -> Response:
        name = blake2b((cursor or "").encode(), digest_size=8).hexdigest()
        watch = _Watch(keeper, pages, cursor)
        # What cannot be read is refused now, and not every two seconds.
        await watch.look()
        return parts.stream(request, f"overview.{name}", watch.html)

    return routes


async def _chart(keeper: Keeper, overview: Overview) -> SpendChart:
    return await chart_by_org(keeper, [line.org for line in overview.orgs])
