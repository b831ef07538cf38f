"""Totals as they are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from tablewright.systems.pricekeeper.rules.burn import first_burn, moved_on
from tablewright.systems.pricekeeper.rules.calendar import Calendar
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.figures import Figures
from tablewright.systems.pricekeeper.service.totals.views import View
from tablewright.systems.pricekeeper.shapes import TotalKey
from tablewright.systems.pricekeeper.spend import Total

#: How long totals are kept after their period.
KEPT_SECS = 400 * 86_400
#: Labels that a total names; more would make it too large to be written every minute.
MOST_LABELS = 200


@dataclass(frozen=True)
class Summing:
    """What the totals of one run of summing have in common."""

    #: When the first counter was read.
    as_of_ms: int
    #: The limits that count now; None if they were not looked up.
    quotas: Mapping[TotalKey, int | None] | None
    #: The periods that are not over.
    current: Collection[str]

    def view(
        self,
        key: TotalKey,
        figures: Figures,
        seen: Mapping[str, int],
        before: View,
        *,
        fence: int,
        labels: Collection[str] = (),
        shard_count: int | None = None,
    ) -> View:
        """A total that was just made, after the one ``before``."""
        return View(
            figures,
            seen,
            self.as_of_ms,
            self._burn(figures, before),
            fence,
            frozenset(labels),
            shard_count,
            False,
            self._quota(key, before),
        )

    def _quota(self, key: TotalKey, before: View) -> int | None:
        """What is over keeps the limit of its time."""
        over = before.as_of_ms and key.period not in self.current
        return before.quota_micros if over or self.quotas is None else self.quotas.get(key)

    def _burn(self, figures: Figures, before: View) -> float:
        if not before.as_of_ms:
            return first_burn(figures.cost_usd_picos)
        spent = figures.cost_usd_picos - before.figures.cost_usd_picos
        return moved_on(before.burn, spent, (self.as_of_ms - before.as_of_ms) / 1000)


def total_row(calendar: Calendar, key: TotalKey, view: View) -> Total:
    """A total to store."""
    made = _moment(view.as_of_ms / 1000)
    return Total(
        scope=key.scope,
        label=key.label,
        period=key.period,
        **view.figures._asdict(),
        cost_usd_micros=micros(view.figures.cost_usd_picos),
        fence=view.fence,
        seen=dict(view.seen),
        as_of_ms=made,
        burn_micros_per_hour=round(view.burn),
        quota_usd_micros=view.quota_micros,
        labels=set(sorted(view.labels)[:MOST_LABELS]),
        shard_count=view.shard_count,
        updated_at_epoch=made,
        expires_at_epoch=_moment(calendar.ends(key.period) + KEPT_SECS),
    )


def _moment(epoch: float) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)
