"""All organisations together: what they spend today, and the limit nearest its end.

Reading every organisation for each request would be too much, so a process keeps a summary and
makes it again when somebody looks and the last one is old: at most every few seconds, and seldom
enough that making it takes a tenth of the time. The summary says when it was made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

from tablewright.service.gathering import at_most
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.pages.standing import LimitLine, lag_of
from tablewright.systems.pricekeeper.reads import apps, orgs
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.calendar import calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.choosing import Standing
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.limits import app_limits, org_limits
from tablewright.systems.pricekeeper.service.totals import OrgBooks, Spend
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: A summary is good for so many seconds at least.
_FRESH_SECS = 2.0
#: The share of the time that may go into making it.
_SHARE = 10
_AT_ONCE = 16


@dataclass(frozen=True)
class FleetOrg:
    """One organisation in the summary."""

    org: Org
    today: Spend
    #: Its own limits and those of its apps, the one nearest its end first.
    limits: Sequence[LimitLine]
    lag_secs: float

    @property
    def today_micros(self) -> int:
        return micros(self.today.picos)

    @property
    def nearest(self) -> LimitLine | None:
        """The limit nearest its end, reached or not."""
        return self.limits[0] if self.limits else None


@dataclass(frozen=True)
class Fleet:
    """All organisations that are not deleted, the highest spend of today first."""

    orgs: Sequence[FleetOrg]
    #: When reading began, in seconds since the epoch.
    as_of: float

    @cached_property
    def by_id(self) -> Mapping[str, FleetOrg]:
        return {each.org.org_id: each for each in self.orgs}

    @cached_property
    def today_micros(self) -> int:
        return micros(sum(each.today.picos for each in self.orgs))

    @cached_property
    def burn_micros(self) -> int:
        return round(sum(each.today.burn_micros_per_hour for each in self.orgs))

    @cached_property
    def lag_secs(self) -> float:
        return max((each.lag_secs for each in self.orgs), default=0.0)

    @cached_property
    def nearest(self) -> tuple[FleetOrg, LimitLine] | None:
        """The limit nearest its end that is not reached yet."""
        open_limits = [(each, line) for each in self.orgs for line in each.limits if line.pct < 100]
        return max(open_limits, key=lambda pair: pair[1].pct, default=None)


class Fleets:
    """The latest summary of one process."""

    _made: ClassVar[WeakKeyDictionary[Keeper, Fleets]] = WeakKeyDictionary()

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._latest: Fleet | None = None
        self._good_until = 0.0
        self._making: asyncio.Task[Fleet] | None = None

    @classmethod
    def of(cls, keeper: Keeper) -> Fleets:
        """Return the one that all pages of a process share."""
        return cls._made.setdefault(keeper, cls(keeper))

    async def current(self) -> Fleet:
        """Return a summary that is a few seconds old at most; all who ask wait for one reading."""
        now = self._keeper.clock.now()
        if self._latest is not None and self._latest.as_of <= now < self._good_until:
            return self._latest
        if self._making is None or self._making.done():
            self._making = asyncio.create_task(self._make(), name="fleet summary")
        return await asyncio.shield(self._making)

    def forget(self) -> None:
        """Make a new summary for the next request: an organisation was created or changed."""
        self._good_until = 0.0
        self._making = None

    async def _make(self) -> Fleet:
        keeper, began = self._keeper, self._keeper.clock.now()
        listed = [each.org_id async for each in keeper.db.iterate(orgs(hidden="DELETED"))]
        found = await at_most(_AT_ONCE, (self._read(org_id) for org_id in listed))
        known = [each for each in found if each is not None]
        known.sort(key=lambda each: (-each.today.picos, each.org.org_name, each.org.org_id))
        fleet = Fleet(known, began)
        if self._making is asyncio.current_task():
            took = keeper.clock.now() - began
            self._latest = fleet
            self._good_until = began + max(_FRESH_SECS, took * _SHARE)
        return fleet

    async def _read(self, org_id: str) -> FleetOrg | None:
        keeper = self._keeper
        org = await keeper.directory.org(org_id)
        if org is None or org.status == "DELETED":
            return None
        calendar = calendar_of(org)
        periods = periods_of(calendar.day(keeper.clock.now()))
        whole = TotalKey(scope_of(org_id), ALL, periods.of("DAY"))
        keys = {
            limit: TotalKey(limit.scope, limit.label, periods.of(limit.window))
            for limit in await self._limits(org)
        }
        wanted = list(dict.fromkeys((whole, *keys.values())))
        spends = await keeper.totals.spend(OrgBooks(org_id, calendar), wanted)
        now = keeper.clock.now()
        lines = [
            LimitLine.of(
                Standing(
                    limit,
                    spends[key].picos,
                    spends[key].burn_micros_per_hour,
                    calendar.ends(key.period),
                ),
                now,
            )
            for limit, key in keys.items()
        ]
        lines.sort(key=lambda line: -line.pct)
        return FleetOrg(org, spends[whole], lines, await lag_of(keeper, org, spends[whole]))

    async def _limits(self, org: Org) -> list[Limit]:
        """Return the real limits of an organisation and of what its apps may use."""
        found = list(org_limits(org))
        if org.quota_scope != "ORG":
            rows = self._keeper.db.iterate(apps(org.org_id, hidden="DELETED"))
            found += [limit async for app in rows for limit in _limits_of_app(org, app)]
        return [limit for limit in found if limit.quota_micros is not None]


def _limits_of_app(org: Org, app: App) -> list[Limit]:
    account = Account(org, app)
    return [each for each in app_limits(account) if each.label in (ALL, *account.ordering)]
