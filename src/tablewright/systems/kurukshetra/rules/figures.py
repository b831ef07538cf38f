"""Figures of an event, day by day: sums of what the eight parts of a day say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from tablewright.systems.kurukshetra.events import (
    TRACKS,
    Statistics,
    TrackStatistics,
    paid_track,
)

#: What is counted, as statistics call it.
COUNTED = (
    "registrations",
    "teams",
    "joins",
    "checkouts",
    "expired",
    "paid",
    "revenue",
    "refunded",
    "checkins",
)
OTHER = "other"
#: The field of each usual track. What was counted as "other" before own tracks were counted one by
#: one is moved to them by the nightly comparison.
TRACK_FIELDS: Mapping[str, str] = {
    **{each: paid_track(each) for each in TRACKS},
    OTHER: "paid_other",
}


@dataclass(frozen=True)
class Figures:
    """What happened in some time."""

    registrations: int = 0
    teams: int = 0
    joins: int = 0
    checkouts: int = 0
    expired: int = 0
    paid: int = 0
    #: In minor units, as all money.
    revenue: int = 0
    refunded: int = 0
    checkins: int = 0
    #: Payments by track, the event's own tracks included; only tracks that have some.
    paid_by_track: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Day:
    day: date
    figures: Figures


def figures_of(parts: Iterable[Statistics], own: Iterable[TrackStatistics] = ()) -> Figures:
    """Sum the shards of some days; ``own`` are those of the event's own tracks."""
    sums: Counter[str] = Counter()
    for part in parts:
        for name in (*COUNTED, *TRACK_FIELDS.values()):
            sums[name] += getattr(part, name)
    tracks: Counter[str] = Counter({each: sums[name] for each, name in TRACK_FIELDS.items()})
    for count in own:
        tracks[count.track] += count.paid
    by_track = tuple((track, paid) for track, paid in tracks.items() if paid)
    return Figures(**{name: sums[name] for name in COUNTED}, paid_by_track=by_track)


def by_day(
    parts: Iterable[Statistics], own: Iterable[TrackStatistics], since: date, until: date
) -> tuple[Day, ...]:
    """Every day from one to the other, those on which nothing happened too."""
    found: dict[date, list[Statistics]] = {}
    for part in parts:
        found.setdefault(part.day, []).append(part)
    tracks: dict[date, list[TrackStatistics]] = {}
    for count in own:
        tracks.setdefault(count.day, []).append(count)
    days = (since + timedelta(days=number) for number in range((until - since).days + 1))
    return tuple(Day(day, figures_of(found.get(day, ()), tracks.get(day, ()))) for day in days)
