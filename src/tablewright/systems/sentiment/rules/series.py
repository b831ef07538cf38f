"""Series: a span in buckets of the same length, which begin at whole minutes, hours, … of UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, get_args

from tablewright.service.problems import Problem
from tablewright.systems.sentiment.rules.figures import Figures
from tablewright.systems.sentiment.rules.spans import (
    DAY,
    HOUR,
    MINUTE,
    MINUTES_BACK,
    Span,
    bad_range,
    ceiling,
    floor,
)

Interval: TypeAlias = Literal["1m", "5m", "15m", "1h", "6h", "1d"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
LENGTHS: dict[Interval, timedelta] = {
    "1m": MINUTE,
    "5m": 5 * MINUTE,
    "15m": 15 * MINUTE,
    "1h": HOUR,
    "6h": 6 * HOUR,
    "1d": DAY,
}
MOST_BUCKETS = 400
#: As many as a chart shows well, for who does not say how long they should be.
_GOOD = 100
#: Up to this length by minutes: there are sixty times as many counts of them to read.
_FINE = 6 * HOUR


@dataclass(frozen=True, slots=True)
class Slot:
    """One bucket of a series, and the part of it that lies in the span."""

    start: datetime
    end: datetime
    span: Span
    #: The span begins or ends in it, or it is not over yet.
    partial: bool


@dataclass(frozen=True, slots=True)
class Point:
    """One bucket, and what is counted in it."""

    slot: Slot
    #: None if articles in this bucket were not read: nothing is known about it.
    figures: Figures | None


def number_of_slots(span: Span, interval: Interval) -> int:
    length = LENGTHS[interval]
    return (ceiling(span.until, length) - floor(span.since, length)) // length


def checked_interval(
    span: Span, interval: Interval | None, now: datetime, *, minutes: bool = True
) -> Interval:
    """The interval that was asked for, if there can be one of it; else one that looks well."""
    usable = [each for each in INTERVALS if _usable(each, span, now, minutes)]
    fitting = [each for each in usable if number_of_slots(span, each) <= MOST_BUCKETS]
    if interval is None:
        if not fitting:
            raise _too_many(span, "1d", None)
        good = (each for each in fitting if number_of_slots(span, each) <= _GOOD)
        fine = span.length <= _FINE
        return next((each for each in good if fine or LENGTHS[each] >= HOUR), fitting[-1])
    if number_of_slots(span, interval) > MOST_BUCKETS:
        raise _too_many(span, interval, fitting[0] if fitting else None)
    if interval not in usable:
        raise _too_fine(interval, minutes)
    return interval


def _usable(interval: Interval, span: Span, now: datetime, minutes: bool) -> bool:
    if LENGTHS[interval] >= HOUR:
        return True
    return minutes and span.since >= floor(now - MINUTES_BACK, MINUTE)


def _too_many(span: Span, interval: Interval, fits: Interval | None) -> Problem:
    count = number_of_slots(span, interval)
    advice = f"The smallest interval that fits is {fits}." if fits else "Ask for a shorter time."
    return Problem(
        422,
        "TOO_MANY_BUCKETS",
        f"That would be {count} buckets of {interval}; there are at most {MOST_BUCKETS}. {advice}",
        extra={"smallest_interval": fits},
    )


def _too_fine(interval: Interval, minutes: bool) -> Problem:
    if not minutes:
        return bad_range(f"Publishers are counted by the hour: ask for 1h or more, not {interval}.")
    hours = MINUTES_BACK // HOUR
    return bad_range(
        f"Minutes are kept for {hours} hours: ask for 1h or more, or begin later, for {interval}."
    )


def slots_of(span: Span, interval: Interval, now: datetime) -> list[Slot]:
    """All buckets that the span touches; the first and the last may be cut by it."""
    length = LENGTHS[interval]
    found: list[Slot] = []
    start = floor(span.since, length)
    while start < span.until and start <= now:
        end = start + length
        inside = Span(max(start, span.since), min(end, span.until))
        partial = inside != Span(start, end) or end > now
        found.append(Slot(start, end, inside, partial))
        start = end
    return found
