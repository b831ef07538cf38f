"""The totals of calls, as they are stored: of every scope, label and period that calls lie in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.live_demo.traffic import Called
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.calendar import Calendar, calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.rules.figures import NOTHING, Figures
from tablewright.systems.pricekeeper.rules.finals import closes_at
from tablewright.systems.pricekeeper.rules.limits import app_limits, org_limits
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.totals.rolling import Rolled, added, rolled_up
from tablewright.systems.pricekeeper.service.totals.rows import total_row
from tablewright.systems.pricekeeper.service.totals.views import View
from tablewright.systems.pricekeeper.shapes import TotalKey
from tablewright.systems.pricekeeper.spend import Total

#: How quickly money goes is seen by so many seconds.
_BURN_SECS = 1800


@dataclass(frozen=True)
class Books:
    """The totals of an organisation as of a moment."""

    org: Org
    accounts: Mapping[str, Account]
    as_of: int
    #: Of the days before this one, nothing can come in any more.
    first_open: str

    def totals(self, calls: Iterable[Called]) -> Iterator[Total]:
        """Every total, from the calls of all days up to then."""
        known = [call for call in calls if call.usage.timestamp < self.as_of]
        burns = self._rolled(c for c in known if c.usage.timestamp >= self.as_of - _BURN_SECS)
        quotas, calendar = self._quotas(), calendar_of(self.org)
        for key, rolled in self._rolled(known).items():
            burn = burns.get(key, _EMPTY).figures.cost_usd_picos
            yield self._total(calendar, key, rolled, burn, quotas)

    def _rolled(self, calls: Iterable[Called]) -> dict[TotalKey, Rolled]:
        """Days are sums of counts; weeks and months are sums of days."""
        counts: dict[str, dict[UsageId, Figures]] = defaultdict(dict)
        for call in calls:
            count = UsageId(self.org.org_id, call.app_id, call.usage.label, call.day)
            before = counts[call.day].get(count, NOTHING)
            counts[call.day][count] = before.plus(call.figures)
        parts: dict[TotalKey, list[Rolled]] = defaultdict(list)
        for day, found in counts.items():
            for cell, rolled in rolled_up(found).items():
                for period in periods_of(day):
                    parts[cell.of(period)].append(rolled)
        return {key: added(days) for key, days in parts.items()}

    def _total(
        self,
        calendar: Calendar,
        key: TotalKey,
        rolled: Rolled,
        burnt_picos: int,
        quotas: Mapping[tuple[str, str, str], int | None],
    ) -> Total:
        window = key.period.partition("#")[0]
        view = View(
            rolled.figures,
            as_of_ms=min(self.as_of, closes_at(self.org, key.period)) * 1000,
            burn=burnt_picos / PICOS / _BURN_SECS * 3600,
            labels=rolled.labels,
            quota_micros=quotas.get((key.scope, key.label, window)),
        )
        final = window == "DAY" and key.period < f"DAY#{self.first_open}"
        return total_row(calendar, key, view).model_copy(update={"final": final})

    def _quotas(self) -> dict[tuple[str, str, str], int | None]:
        limits: list[Limit] = list(org_limits(self.org))
        for account in self.accounts.values():
            limits += app_limits(account)
        return {(each.scope, each.label, each.window): each.quota_micros for each in limits}


_EMPTY = Rolled(NOTHING, frozenset())
