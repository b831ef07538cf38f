"""An event at a glance, for who runs it: seats, people, money, day by day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.backstage import STAFF, Backstage
from tablewright.systems.kurukshetra.pages.jobs import latest
from tablewright.systems.kurukshetra.pages.paths import admin_path, event_path
from tablewright.systems.kurukshetra.rules.fees import minor_digits
from tablewright.systems.kurukshetra.rules.local_time import local_day
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.statistics.statistics import MOST_DAYS, Stats

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: What can be chosen: how many days back; 0 is all.
SPANS: Final = ((0, "All"), (90, "90 days"), (30, "30 days"), (7, "7 days"))


@dataclass(frozen=True)
class Chart:
    """Figures by day, as a chart has them."""

    days: list[str]
    #: By their names.
    values: dict[str, list[float]]

    @property
    def series(self) -> list[dict[str, object]]:
        return [{"name": name, "values": values} for name, values in self.values.items()]

    @property
    def empty(self) -> bool:
        return not any(any(each) for each in self.values.values())


@dataclass(frozen=True)
class Glance:
    """What the overview shows."""

    stats: Stats
    config: Config

    @property
    def taken(self) -> int:
        return self.stats.seats.capacity - self.stats.seats.free

    @property
    def taken_share(self) -> float:
        capacity = self.stats.seats.capacity
        return 100 * self.taken / capacity if capacity else 100.0

    @property
    def net(self) -> int:
        """What stays of what came in."""
        return self.stats.sums.revenue - self.stats.sums.refunded

    @property
    def people(self) -> Chart:
        return self._chart(("registrations", "Registrations"), ("teams", "Teams"))

    @property
    def money(self) -> Chart:
        """In the currency itself."""
        return self._chart(("revenue", "Paid"), ("refunded", "Refunded"), scale=self._scale)

    @property
    def checkouts(self) -> Chart:
        return self._chart(("checkouts", "Checkouts"), ("paid", "Paid"), ("expired", "Expired"))

    @property
    def checkins(self) -> Chart:
        return self._chart(("checkins", "Check-ins"))

    @property
    def tracks(self) -> list[tuple[str, int]]:
        """Teams whose seat is paid now, the track with most of them first."""
        return [(writing.track_name(track), paid) for track, paid in self.stats.now.paid_by_track]

    @property
    def _scale(self) -> int:
        return int(10 ** minor_digits(self.config.currency))

    def _chart(self, *names: tuple[str, str], scale: int = 1) -> Chart:
        days = [f"{each.day.day} {each.day:%b}" for each in self.stats.days]
        values = {
            title: [_scaled(getattr(day.figures, name), scale) for day in self.stats.days]
            for name, title in names
        }
        return Chart(days, values)


def _scaled(amount: int, scale: int) -> float:
    return amount if scale == 1 else amount / scale


def first_day(config: Config, today: date, back: int) -> date:
    """From when on figures are shown."""
    begun = min(local_day(config.created_at, config.zone), today)
    wanted = begun if back == 0 else today - timedelta(days=back - 1)
    return max(min(wanted, today), today - timedelta(days=MOST_DAYS - 1))


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin")
    staff = Depends(role_of(festival, *STAFF))
    backstage = Backstage(festival, pages)

    async def glance(event_id: str, back: int) -> Glance:
        config = await festival.events.config(event_id)
        today = festival.events.moment(config).day
        stats = await festival.statistics.of(event_id, first_day(config, today, back), today)
        return Glance(stats, config)

    @routes.get("")
    async def overview(request: Request, days: int = 0, by: Caller = staff) -> Response:
        back = days if days in dict(SPANS) else 0
        here = admin_path(by.event_id)
        return await backstage.shown(
            request,
            "kurukshetra/admin.html",
            by,
            "Overview",
            glance=await glance(by.event_id, back),
            spans=[(title, with_query(here, days=size or None)) for size, title in SPANS],
            span=dict(SPANS)[back],
            public_path=event_path(by.event_id),
            jobs=await latest(festival, by),
        )

    @routes.get("/seats")
    async def seats(request: Request, by: Caller = staff) -> Response:
        """The part of the page that changes while one looks."""
        found = await glance(by.event_id, 7)
        return pages.render(request, "kurukshetra/admin_seats.html", glance=found)

    return routes
