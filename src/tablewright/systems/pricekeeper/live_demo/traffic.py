"""What the apps of the demo have called: the same for the same clock, and within their limits.

A day's calls are spread as people work, each with the first label of its app's chain that is still
open, as a client of the service would have been told. So what is recorded is what the service would
have let happen: a label is used until its limit is reached, and then the next one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from random import Random
from uuid import UUID

from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.live_demo.cast import LABELS, AppPlan, OrgPlan
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices
from tablewright.systems.pricekeeper.rules.calendar import Calendar, date_of
from tablewright.systems.pricekeeper.rules.cost import PICOS, Priced, price_usage
from tablewright.systems.pricekeeper.rules.figures import Figures
from tablewright.systems.pricekeeper.rules.timeline import Timeline
from tablewright.systems.pricekeeper.rules.usage import Usage

#: Calls by the hour of the day: of people, and of jobs in the night.
_DAYTIME = (1, 1, 1, 1, 1, 2, 4, 8, 12, 15, 16, 15, 12, 14, 15, 14, 12, 9, 7, 6, 5, 4, 3, 2)
_NIGHT = (12, 14, 14, 12, 8, 3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 8)
#: A little more each day, in percent: products grow.
_GROWTH = 0.4


@dataclass(frozen=True, slots=True)
class Called:
    """One call, and what it costs."""

    app_id: str
    day: str
    usage: Usage
    priced: Priced

    @property
    def figures(self) -> Figures:
        """What it adds to a count."""
        usage = self.usage
        return Figures(
            cost_usd_picos=self.priced.cost_picos,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            requests=1,
            errors=int(usage.status == "ERROR"),
            unpriced=int(self.priced.source == "UNPRICED"),
            rev=1,
        )


class Traffic:
    """What one organisation has called, day by day, until ``now``."""

    def __init__(self, plan: OrgPlan, accounts: Mapping[str, Account], now: int) -> None:
        self._plan = plan
        self._accounts = accounts
        self._now = now
        self._calendar: Calendar = next(iter(accounts.values())).calendar
        self.today = self._calendar.day(now)

    def days_before(self, count: int) -> list[str]:
        """So many days before today, the earliest first."""
        today = date_of(self.today)
        return [f"{today - timedelta(days=back):%Y%m%d}" for back in range(count, 0, -1)]

    def of_day(self, day: str) -> list[Called]:
        """The calls of one day, in the order of time."""
        chance = Random(f"{self._plan.org_id}/{day}")
        asked = sorted(
            (
                (moment, app)
                for app in self._plan.apps
                for moment in self._moments(app, day, chance)
            ),
            key=lambda each: (each[0], each[1].app_id),
        )
        spent: dict[tuple[str, str], int] = defaultdict(int)
        found = (self._call(app, moment, day, chance, spent) for moment, app in asked)
        return [call for call in found if call is not None]

    # --- inside ----------------------------------------------------------------------------------

    def _moments(self, app: AppPlan, day: str, chance: Random) -> Iterator[int]:
        start, end = self._calendar.start(day), self._calendar.end(day)
        hours = _NIGHT if app.nightly else _DAYTIME
        for hour in chance.choices(range(24), hours, k=self._count(app, day, chance)):
            moment = start + hour * 3600 + chance.randrange(3600)
            if moment < min(end, self._now):
                yield moment

    def _count(self, app: AppPlan, day: str, chance: Random) -> int:
        plan, ago = self._plan, (date_of(self.today) - date_of(day)).days
        usual = app.calls * (1 - _GROWTH / 100) ** ago * chance.uniform(0.82, 1.18)
        if ago == 0 and plan.busy_today:
            return round(app.calls * plan.busy_today)
        weekend = date_of(day).weekday() >= 5 and not app.nightly
        return round(usual * plan.weekend / 100 if weekend else usual)

    def _call(
        self,
        app: AppPlan,
        moment: int,
        day: str,
        chance: Random,
        spent: dict[tuple[str, str], int],
    ) -> Called | None:
        """The call as the chain lets it be; None if nothing is open."""
        account = self._accounts[app.app_id]
        label = next((each for each in account.ordering if _is_open(account, each, spent)), None)
        usage = _usage(app, label or "", moment, chance)
        if label is None:
            return None
        price = _price_of(label).at("region", "standard", moment)
        priced = price_usage(usage, price)
        for limit in account.limits(label):
            if limit.window == "DAY":
                spent[limit.scope, limit.label] += priced.cost_picos
        return Called(app.app_id, day, usage, priced)


def _is_open(account: Account, label: str, spent: Mapping[tuple[str, str], int]) -> bool:
    return all(
        limit.quota_micros is None
        or spent.get((limit.scope, limit.label), 0) < limit.quota_micros * PICOS
        for limit in account.limits(label)
        if limit.window == "DAY"
    )


def _usage(app: AppPlan, label: str, moment: int, chance: Random) -> Usage:
    tokens, failed = chance.randint(*app.input_tokens), chance.randrange(100) < app.errors
    cached = tokens * app.cached // 100
    return Usage(
        request_id=_request_id(moment, chance.getrandbits(80)),
        label=label,
        timestamp=moment,
        status="ERROR" if failed else "OK",
        input_tokens=tokens - cached,
        output_tokens=0 if failed else chance.randint(*app.output_tokens),
        cache_read_tokens=cached * 4 // 5,
        cache_write_tokens=cached - cached * 4 // 5,
    )


def _request_id(moment: int, noise: int) -> str:
    """A UUID of version 7, as clients make them, but not by chance."""
    fixed = (moment * 1000 << 80 | noise) & ~(0xF << 76 | 0x3 << 62)
    return str(UUID(int=fixed | 0x7 << 76 | 0x2 << 62))


@cache
def _price_of(label: str) -> Timeline:
    """What the table that ships with the program says: nobody has set another price yet."""
    model = LABELS[label].bedrock_model_id
    prices: list[Price] = [each for each in bundled_prices() if each.bedrock_model_id == model]
    return Timeline(prices)
