"""What this process has written itself, so that an answer never lags behind its own records.

A total knows the number of each writer's last flush that is in it. What was flushed under higher
numbers is added to it, from running sums in which a number is found by bisection.

Records are counted under their own count, an app's label on a day; totals of more than that
(all labels, the organisation, weeks, months) are followed from the moment that somebody asks for
them. Nothing is ever left out: where a sum is thinned to save space, or numbers come out of order,
a flush is taken for a later one, so that at the worst it is added although it is in the total.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from tablewright.systems.pricekeeper.rules.calendar import periods_of
from tablewright.systems.pricekeeper.rules.figures import (
    NOTHING,
    Counted,
    Figures,
    figures_of,
)
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of

K = TypeVar("K")

#: Flushes that a running sum tells apart.
MOST = 128
#: Seconds after which a count that is not written to any more is in every total.
IDLE_SECS = 3600.0


class Track:
    """The running sum of one writer's flushes to one total."""

    __slots__ = ("_base", "_numbers", "_sums")

    def __init__(self) -> None:
        self._base = NOTHING
        self._numbers: list[int] = []
        self._sums: list[Figures] = []

    def add(self, number: int, figures: Figures) -> None:
        """Count one more flush."""
        if self._numbers and number <= self._numbers[-1]:
            self._sums[-1] = self._sums[-1].plus(figures)
            return
        self._sums.append(self._last.plus(figures))
        self._numbers.append(number)
        if len(self._numbers) > MOST:
            # Every other one of the older half: the newest are what is asked for.
            half = MOST // 2
            del self._numbers[:half:2], self._sums[:half:2]

    def above(self, number: int) -> Figures:
        """What was flushed after a number."""
        if not self._numbers or number >= self._numbers[-1]:
            return NOTHING
        return self._last.minus(self._at(number))

    def forget(self, number: int) -> None:
        """Nobody will ask for what was flushed up to a number."""
        place = bisect_right(self._numbers, number)
        if place:
            self._base = self._sums[place - 1]
            del self._numbers[:place], self._sums[:place]

    def flushes(self) -> Iterable[tuple[int, Figures]]:
        """Each flush by itself."""
        before = self._base
        for number, until in zip(self._numbers, self._sums, strict=True):
            yield number, until.minus(before)
            before = until

    @property
    def _last(self) -> Figures:
        return self._sums[-1] if self._sums else self._base

    def _at(self, number: int) -> Figures:
        place = bisect_right(self._numbers, number)
        return self._sums[place - 1] if place else self._base


class _Count:
    """The flushes to one count or total, by writer."""

    __slots__ = ("touched", "tracks")

    def __init__(self) -> None:
        self.tracks: dict[str, Track] = {}
        self.touched = 0.0

    def add(self, writer: str, number: int, figures: Figures, now: float) -> None:
        track = self.tracks.get(writer)
        if track is None:
            track = self.tracks[writer] = Track()
        track.add(number, figures)
        self.touched = now

    def above(self, seen: Mapping[str, int]) -> Figures:
        found = NOTHING
        for writer, track in self.tracks.items():
            more = track.above(seen.get(writer, 0))
            if more is not NOTHING:
                found = more if found is NOTHING else found.plus(more)
        return found


class _OrgFlushes:
    """What was flushed for one organisation."""

    __slots__ = ("counts", "last", "totals")

    def __init__(self) -> None:
        self.counts: dict[UsageId, _Count] = {}
        self.totals: dict[TotalKey, _Count] = {}
        #: The last flush that was confirmed, by writer.
        self.last: dict[str, int] = {}


class OwnFlushes:
    """What this process has flushed, by organisation."""

    def __init__(self) -> None:
        self._orgs: dict[str, _OrgFlushes] = {}

    def add(self, writer: str, number: int, deltas: Mapping[UsageId, Counted], now: float) -> None:
        """A flush was confirmed. Those of one organisation come in the order of their numbers."""
        for count, delta in deltas.items():
            found = self._orgs.get(count.org_id)
            if found is None:
                found = self._orgs[count.org_id] = _OrgFlushes()
            figures = figures_of(delta)
            if count not in found.counts:
                found.counts[count] = _Count()
            found.counts[count].add(writer, number, figures, now)
            for key in totals_of(count):
                if key in found.totals:
                    found.totals[key].add(writer, number, figures, now)
            found.last[writer] = max(found.last.get(writer, 0), number)

    def above(self, org_id: str, key: TotalKey, seen: Mapping[str, int]) -> Figures:
        """What was flushed to a total after what it has seen."""
        org = self._orgs.get(org_id)
        if org is None:
            return NOTHING
        count = org.totals.get(key)
        if count is None:
            count = org.totals[key] = _followed(org.counts, key)
        return count.above(seen)

    def labels(self, org_id: str, key: TotalKey) -> set[str]:
        """The labels that were flushed to a total."""
        org = self._orgs.get(org_id)
        counts = () if org is None else org.counts
        return {count.label for count in counts if key in totals_of(count)}

    def last(self, org_id: str) -> Mapping[str, int]:
        """By writer: every flush for an organisation up to this one is in the store."""
        org = self._orgs.get(org_id)
        return {} if org is None else dict(org.last)

    def seen(self, org_id: str, key: TotalKey, seen: Mapping[str, int]) -> None:
        """A total has seen so much; no older one will be asked about."""
        org = self._orgs.get(org_id)
        if org is None or key not in org.totals:
            return
        for writer, track in org.totals[key].tracks.items():
            track.forget(seen.get(writer, 0))

    def forget_idle(self, now: float) -> None:
        """Let go of what has not been written to for long."""
        for org_id, org in list(self._orgs.items()):
            _drop_idle(org.counts, now - IDLE_SECS)
            _drop_idle(org.totals, now - IDLE_SECS)
            if not org.counts:
                del self._orgs[org_id]


def _followed(counts: Mapping[UsageId, _Count], key: TotalKey) -> _Count:
    """A total's running sum, made from those of the counts that are in it."""
    flushes: list[tuple[int, str, Figures]] = []
    touched = 0.0
    for each, count in counts.items():
        if key in totals_of(each):
            touched = max(touched, count.touched)
            for writer, track in count.tracks.items():
                flushes += ((number, writer, figures) for number, figures in track.flushes())
    found = _Count()
    for number, writer, figures in sorted(flushes):
        found.add(writer, number, figures, touched)
    return found


def _drop_idle(kept: dict[K, _Count], before: float) -> None:
    for key in [key for key, count in kept.items() if count.touched < before]:
        del kept[key]


@lru_cache(maxsize=8192)
def totals_of(count: UsageId) -> frozenset[TotalKey]:
    """The totals that a count is in: two scopes, its label and all, a day, a week and a month."""
    scopes = (scope_of(count.org_id), scope_of(count.org_id, count.app_id))
    return frozenset(
        TotalKey(scope, label, period)
        for scope in scopes
        for label in (count.label, ALL)
        for period in periods_of(count.day)
    )
