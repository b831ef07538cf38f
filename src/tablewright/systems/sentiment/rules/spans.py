"""Spans of time: from ``since``, included, to ``until``, excluded, in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tablewright.service.problems import Problem

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
MOST_DAYS = 400
#: What can be reckoned with, in any zone.
_YEARS = range(1971, 9999)
#: What people ask for by "until today" may end later than now.
AHEAD = DAY
#: As far back as charts go by minutes.
MINUTES_BACK = timedelta(hours=48)
#: As far back as the counts of minutes are all there; they last 72 hours.
MINUTES_THERE = timedelta(hours=71)


@dataclass(frozen=True, slots=True)
class Span:
    """A time, ends apart."""

    since: datetime
    until: datetime

    @property
    def length(self) -> timedelta:
        return self.until - self.since


def floor(moment: datetime, unit: timedelta) -> datetime:
    """The last whole minute, hour, … of UTC."""
    epoch = datetime.fromtimestamp(0, UTC)
    return moment - (moment - epoch) % unit


def ceiling(moment: datetime, unit: timedelta) -> datetime:
    """The next whole minute, hour, … of UTC; a whole one is its own."""
    down = floor(moment, unit)
    return down if down == moment else down + unit


def bad_range(detail: str) -> Problem:
    return Problem(422, "BAD_RANGE", detail)


def span_of(since: datetime | None, until: datetime | None, now: datetime) -> Span:
    """What is asked for; without ends, the last 24 hours and what there is of this one."""
    for name, moment in (("from", since), ("to", until)):
        if moment is not None and moment.tzinfo is None:
            raise bad_range(f"{name} needs a zone: 2026-11-15T12:00:00Z, or +01:00 for the Z.")
        if moment is not None and moment.year not in _YEARS:
            raise bad_range(f"{name} lies outside the years {_YEARS[0]} to {_YEARS[-1]}.")
    end = now if until is None else until.astimezone(UTC)
    if end > now + AHEAD:
        raise bad_range("to lies in the future.")
    end = min(end, now)
    begin = floor(end - DAY, HOUR) if since is None else since.astimezone(UTC)
    if begin >= end:
        raise bad_range("from has to be before to, and before now.")
    if end - begin > timedelta(days=MOST_DAYS):
        raise bad_range(f"from is up to {MOST_DAYS} days before to.")
    return Span(begin, end)


def counted_span(span: Span, now: datetime, *, minutes: bool = True) -> Span:
    """The span as counts know it: whole minutes, or hours where there are no minutes.

    It begins and ends with what its ends lie in. What ends now, or in this minute, ends with the
    hour: nothing is counted after now, and the hour is one count instead of sixty. An end at a
    whole minute that has passed is used as given, even if that minute was the last one.
    """
    oldest = now - MINUTES_THERE
    fine = minutes and span.since >= oldest
    since = floor(span.since, MINUTE if fine else HOUR)
    fine = minutes and span.until >= oldest
    until = ceiling(span.until, MINUTE if fine else HOUR)
    return Span(since, ceiling(until, HOUR) if until >= now else until)


def passed_part(span: Span, now: datetime) -> Span:
    """The span as people read it: nothing of it lies ahead, but for the rest of this minute."""
    return Span(span.since, min(span.until, ceiling(now, MINUTE)))


#: From so many whole hours on, an hour that has only begun hardly weighs among them.
_ENOUGH_HOURS = 24


def compared_spans(span: Span, now: datetime, *, minutes: bool = True) -> tuple[Span, Span]:
    """Return two adjacent windows of equal length; the later one is the span up to now.

    The later window ends with the current minute, so the current hour is part of the comparison.
    Where counts by the minute are missing (publishers, or an earlier window more than three days
    ago), both windows have whole hours: the later one includes the current hour if it has at least
    24 of them, and stops before it otherwise. If no whole hour has passed, both windows are empty.
    """
    passed = min(span.until, now)
    since, end = span.since, ceiling(passed, MINUTE)
    fine = minutes and since - (end - since) >= now - MINUTES_THERE
    if not fine:
        since, end = ceiling(since, HOUR), ceiling(passed, HOUR)
        if end > now and end - since < _ENOUGH_HOURS * HOUR:
            end = max(since, floor(passed, HOUR))
    return Span(since - (end - since), since), Span(since, end)
