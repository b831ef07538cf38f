"""Sums that a process makes itself, when it cannot wait for the aggregator.

The counts of today that make up a total are read, all shards of them, and added up; of weeks and
months, the days before today come from their totals, which are at most as old as the aggregator
lets them become. What was found is published for other processes under the fence that the total
has: whoever aggregates with a newer one has the last word.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.systems.pricekeeper.reads import (
    checked_usage,
    dirty_counts_of_app,
    dirty_counts_of_day,
    history,
)
from tablewright.systems.pricekeeper.recording import publish_total
from tablewright.systems.pricekeeper.rules.calendar import Calendar, periods_of
from tablewright.systems.pricekeeper.rules.figures import NOTHING, Figures, figures_of, in_all
from tablewright.systems.pricekeeper.service.totals.rows import Summing, total_row
from tablewright.systems.pricekeeper.service.totals.sums import Sum, seen_by_all, sums_of_shards
from tablewright.systems.pricekeeper.service.totals.views import View, Views
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, UsageKey, scope_of, slot_of
from tablewright.systems.pricekeeper.spend import Dirty, Total

log = logging.getLogger("tablewright.pricekeeper")

#: How long the days before today are taken for unchanged.
EARLIER_SECS = 60.0


class Owner(Protocol):
    """Whose totals: an account, or an organisation by itself."""

    @property
    def org_id(self) -> str: ...
    @property
    def calendar(self) -> Calendar: ...


class OrgBooks(NamedTuple):
    """An organisation by itself."""

    org_id: str
    calendar: Calendar


class _Earlier(NamedTuple):
    """The days of a period before today."""

    at: float
    figures: Figures
    labels: frozenset[str]


class SelfSum:
    """Sums of today's counters."""

    def __init__(self, db: AsyncDb, clock: Clock, views: Views) -> None:
        self._db = db
        self._clock = clock
        self._views = views
        self._earlier: dict[tuple[TotalKey, str], _Earlier] = {}

    async def counts(
        self, org_id: str, day: str, app_id: str | None, labels: Collection[str] | None
    ) -> list[Sum]:
        """All counts of a day, or those of an app or of some labels, each with all its shards."""
        slot = slot_of(org_id)
        found = (
            dirty_counts_of_day(slot, org_id, day)
            if app_id is None
            else dirty_counts_of_app(slot, org_id, day, app_id)
        )
        rows = [row async for row in self._db.iterate(found)]
        keys = [_usage_key(row) for row in rows if labels is None or row.label in labels]
        # What could not be read raises: there is no such thing as a part of a sum.
        return sums_of_shards(keys, await self._db.run(checked_usage(keys)))

    async def views(
        self,
        owner: Owner,
        keys: Collection[TotalKey],
        known: Mapping[str, int],
        quotas: Mapping[TotalKey, int | None] | None,
    ) -> dict[TotalKey, View]:
        """Totals that are not over yet, made from today's counters."""
        now = self._clock.now()
        day = owner.calendar.day(now)
        summing = Summing(int(now * 1000), quotas, periods_of(day))
        labels = {key.label for key in keys}
        sums, earlier = await asyncio.gather(
            self.counts(owner.org_id, day, _one_app(keys), None if ALL in labels else labels),
            self._before_today(owner, keys, day, now),
        )
        return {
            key: self._view(summing, key, _members(sums, key), earlier[key], known) for key in keys
        }

    def _view(
        self,
        summing: Summing,
        key: TotalKey,
        members: list[Sum],
        earlier: _Earlier,
        known: Mapping[str, int],
    ) -> View:
        before = self._views.get(key)
        labels = {each.key.label for each in members} if key.label == ALL else set()
        figures = in_all(each.figures for each in members).plus(earlier.figures)
        shards = members[0].key.shard_count if _is_one_count(key) and members else None
        return summing.view(
            key,
            figures,
            seen_by_all(members, known),
            before,
            fence=before.fence,
            labels=labels | earlier.labels,
            shard_count=shards,
        )

    # --- days before today -----------------------------------------------------------------------

    async def _before_today(
        self, owner: Owner, keys: Iterable[TotalKey], day: str, now: float
    ) -> dict[TotalKey, _Earlier]:
        found = {key: self._earlier.get((key, day)) for key in keys}
        fresh = {
            key: each
            for key, each in found.items()
            if each is not None and 0 <= now - each.at < EARLIER_SECS
        }
        missing = [key for key in found if key not in fresh]
        read = await asyncio.gather(*(self._read_before(owner, key, day) for key in missing))
        for key, totals in zip(missing, read, strict=True):
            fresh[key] = self._earlier[key, day] = _added(totals, now)
        return fresh

    async def _read_before(self, owner: Owner, key: TotalKey, day: str) -> list[Total]:
        days = [each for each in owner.calendar.days(key.period) if each < day]
        if not days:
            return []
        ends = {"first": f"DAY#{days[0]}", "last": f"DAY#{days[-1]}"}
        return [each async for each in self._db.iterate(history(key.scope, key.label, **ends))]

    def forget_old(self, now: float) -> None:
        """Let go of what is not used any more."""
        old = [key for key, each in self._earlier.items() if not 0 <= now - each.at < EARLIER_SECS]
        for key in old:
            del self._earlier[key]

    # --- for others ------------------------------------------------------------------------------

    async def publish(self, owner: Owner, views: Mapping[TotalKey, View]) -> None:
        """Let other processes have what was summed; who cannot must sum themselves."""
        rows = [
            total_row(owner.calendar, key, view) for key, view in views.items() if view.figures.rev
        ]
        await asyncio.gather(*map(self._publish, rows))

    async def _publish(self, row: Total) -> None:
        try:
            await self._db.run(publish_total(row))
        except ConditionFailed:
            return  # somebody has summed later
        except TablewrightError as error:
            log.warning("a total of %s was not published: %s", row.scope, error)


def _usage_key(row: Dirty) -> UsageKey:
    return UsageKey(row.org_id, row.app_id, row.label, row.day, row.shard_count)


def _one_app(keys: Iterable[TotalKey]) -> str | None:
    """The app that all of the totals are of; None if there is no such app."""
    apps = {key.scope.partition("#APP#")[2] for key in keys}
    return apps.pop() or None if len(apps) == 1 else None


def _members(sums: Iterable[Sum], key: TotalKey) -> list[Sum]:
    """The counts that are in a total."""
    return [
        each
        for each in sums
        if each.key.label == key.label or key.label == ALL
        if key.scope in (scope_of(each.key.org_id), scope_of(each.key.org_id, each.key.app_id))
    ]


def _is_one_count(key: TotalKey) -> bool:
    return "#APP#" in key.scope and key.label != ALL and key.period.startswith("DAY#")


def _added(totals: Collection[Total], now: float) -> _Earlier:
    labels = frozenset(label for total in totals for label in total.labels)
    return _Earlier(now, in_all(map(figures_of, totals)) if totals else NOTHING, labels)
