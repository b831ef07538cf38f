"""Days and times of the clock at the event's place, whatever that clock does."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tablewright.systems.kurukshetra.fields import Moment

#: A machine's own, and the placeholder of one that has none.
_ELSEWHERE = {"localtime", "Factory"}
#: No clock is further from UTC.
_FURTHEST = timedelta(hours=26)
_SECOND = timedelta(seconds=1)


class BadZone(ValueError):
    """Not the name of a time zone."""


@lru_cache(maxsize=512)
def zone_of(name: str) -> ZoneInfo:
    """The time zone of a name such as ``Asia/Kolkata``."""
    try:
        if name not in _ELSEWHERE:
            return ZoneInfo(name)
    # Names come from people: a path, a folder and a file that is no zone are all none.
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise BadZone(f"{name[:60]!r} is no time zone; one is called like Asia/Kolkata")


def zone_names() -> list[str]:
    """Those that can be chosen."""
    return sorted(available_timezones() - _ELSEWHERE)


def local_day(at: datetime, zone: str) -> date:
    """The date that the clock there shows."""
    return at.astimezone(zone_of(zone)).date()


def moment_of(at: datetime, zone: str) -> Moment:
    """A time with its day there, as transactions want it."""
    return Moment(at.astimezone(UTC).replace(microsecond=0), local_day(at, zone))


def start_of(day: date, zone: str) -> datetime:
    """When a day starts: at midnight, or where the clock leaves that out, when it goes on."""
    midnight = datetime.combine(day, time(), UTC)
    early, late = midnight - _FURTHEST, midnight + _FURTHEST
    while late - early > _SECOND:
        middle = (early + (late - early) / 2).replace(microsecond=0)
        if local_day(middle, zone) < day:
            early = middle
        else:
            late = middle
    return late


def end_of(day: date, zone: str) -> datetime:
    """The last second of a day: 23:59:59 on most."""
    return start_of(day + timedelta(days=1), zone) - _SECOND


def instant(local: datetime, zone: str, *, later: bool = False) -> datetime:
    """The moment at which the clock there shows a time that somebody typed.

    A time that comes twice, when clocks are set back, is the first one, or for the end of something
    (``later``) the second. A time that is left out is when the clock jumps over it.
    """
    if local.tzinfo is not None:
        raise ValueError("a local time is given without an offset")
    place = zone_of(zone)
    # Before a jump the old offset counts, after it the new one; they differ if there is one.
    first = local.replace(tzinfo=place, fold=0).astimezone(UTC)
    second = local.replace(tzinfo=place, fold=1).astimezone(UTC)
    if first > second:
        return _jump(second, first, place)
    return second if later else first


def _jump(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """When the clock jumps, between two moments."""
    offset = before.astimezone(zone).utcoffset()
    while after - before > _SECOND:
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)
