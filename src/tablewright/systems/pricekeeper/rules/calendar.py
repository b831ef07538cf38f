"""Days, weeks and months of an organisation, in its own time zone.

A day starts at the earliest instant whose local date is that day or a later one, and it lasts
until the next one starts. So days tile time, whatever clocks do:

- a midnight that is skipped (Cairo, Beirut, Havana, Santiago): the day starts when the clock jumps;
- a midnight that comes twice (St John's, 2010): it starts at the first, and what is shown as
  yesterday after that still is today;
- a date that is skipped (Apia, 2011): that day starts with the next one and is empty;
- another time zone: the same rule over the new clock. To the west a day gets longer, to the east
  shorter, and no date is ever used twice.

Weeks (ISO) and months are made of such days.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from tablewright.systems.pricekeeper.config import Org, ZoneChange
from tablewright.systems.pricekeeper.rules.offsets import Piece, pieces

_DAY = 86_400
#: No clock is further from UTC: a day starts at most this far from its midnight in UTC.
_FURTHEST = 26 * 3600
#: Days that a calendar remembers.
_KNOWN = 1024
_ORDINAL_OF_1970 = date(1970, 1, 1).toordinal()


class Periods(NamedTuple):
    """The day, week and month that a day lies in, as keys name them."""

    day: str
    week: str
    month: str

    def of(self, window: str) -> str:
        """The one of a window: DAY, WEEK or MONTH."""
        return self[_WINDOWS.index(window)]


_WINDOWS = ("DAY", "WEEK", "MONTH")


class Zone(NamedTuple):
    """A time zone, and since when it counts."""

    since: int
    name: str


class _Span(NamedTuple):
    start: int
    end: int
    day: str


class Calendar:
    """The calendar of one time zone, or of several, one after the other.

    ``zones`` are in order of time; the first one counts for all that was before it too.
    """

    def __init__(self, zones: Sequence[Zone]) -> None:
        self.zones = tuple(zones)
        self._last = _Span(0, 0, "")
        #: By the day in UTC, the days of ours that were met in it.
        self._spans: dict[int, tuple[_Span, ...]] = {}
        self._start_of: dict[int, int] = {}

    # --- days ------------------------------------------------------------------------------------

    def day(self, epoch: float) -> str:
        """The day of a moment, as ``yyyymmdd``."""
        last = self._last
        if last.start <= epoch < last.end:
            return last.day
        self._last = found = self._known(epoch) or self._found(int(epoch // 1))
        return found.day

    def start(self, day: str) -> int:
        """When a day starts."""
        return self._start(_number(day))

    def end(self, day: str) -> int:
        """When a day ends: when the next one starts."""
        return self._start(_number(day) + 1)

    def next(self, day: str) -> str:
        """The day after; it may be an empty one."""
        return _text(_number(day) + 1)

    # --- weeks and months ------------------------------------------------------------------------

    def periods(self, day: str) -> Periods:
        """The periods that a day lies in."""
        return periods_of(day)

    def days(self, period: str) -> list[str]:
        """The days of a period, in order."""
        first, after = _bounds(period)
        return [_text(number) for number in range(first, after)]

    def starts(self, period: str) -> int:
        """When a period starts."""
        return self._start(_bounds(period)[0])

    def ends(self, period: str) -> int:
        """When a period ends: when the next one starts."""
        return self._start(_bounds(period)[1])

    # --- how -------------------------------------------------------------------------------------

    def next_midnight(self, epoch: int, ahead: int = 0) -> int:
        """When the first day starts that is at least ``ahead`` seconds away."""
        number = _number(self.day(epoch + ahead - 1))
        while (start := self._start(number)) < epoch + ahead:
            number += 1
        return start

    def zone_at(self, epoch: int) -> str:
        """The time zone that counts at a moment."""
        place = bisect_right(self.zones, epoch, key=lambda zone: zone.since)
        return self.zones[max(place - 1, 0)].name

    def _known(self, epoch: float) -> _Span | None:
        for span in self._spans.get(int(epoch // _DAY), ()):
            if span.start <= epoch < span.end:
                return span
        return None

    def _found(self, epoch: int) -> _Span:
        number = (epoch + self._offset(epoch)) // _DAY
        # Clocks may have been further ahead before: the day is the greatest that has started.
        while self._start(number + 1) <= epoch:
            number += 1
        span = _Span(self._start(number), self._start(number + 1), _text(number))
        if len(self._spans) >= _KNOWN:
            self._spans = {}
        self._spans[epoch // _DAY] = (*self._spans.get(epoch // _DAY, ()), span)
        return span

    def _start(self, number: int) -> int:
        found = self._start_of.get(number)
        if found is None:
            if len(self._start_of) >= _KNOWN:
                self._start_of = {}
            found = self._start_of[number] = self._search(number * _DAY)
        return found

    def _search(self, midnight: int) -> int:
        """The earliest instant at which the local clock shows ``midnight`` or later."""
        end = midnight + _FURTHEST
        line = self._pieces(midnight - _FURTHEST, end)
        for place, (start, offset) in enumerate(line):
            ends = line[place + 1].start if place + 1 < len(line) else end
            reached = max(start, midnight - offset)
            if reached < ends:
                return reached
        raise AssertionError("no clock is a day behind")

    def _offset(self, epoch: int) -> int:
        return self._pieces(epoch, epoch + 1)[0].offset

    def _pieces(self, start: int, end: int) -> list[Piece]:
        """The offsets of the zones that count, from ``start`` to ``end``."""
        found: list[Piece] = []
        for place, zone in enumerate(self.zones):
            since = max(start, zone.since) if place else start
            last = place + 1 == len(self.zones)
            until = end if last else min(end, self.zones[place + 1].since)
            if since < until:
                found += pieces(zone.name, since, until)
        return found


# --- calendars -----------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def calendar(zones: tuple[Zone, ...]) -> Calendar:
    """The calendar of some zones: the same object for the same zones."""
    return Calendar(zones)


def calendar_of(org: Org) -> Calendar:
    """The calendar of an organisation."""
    return calendar(zones_of(org.timezone, org.zone_history))


def zones_of(timezone: str, history: Sequence[ZoneChange] = ()) -> tuple[Zone, ...]:
    """The zones that were in use; a history, where there is one, holds all of them."""
    if not history:
        return (Zone(0, timezone),)
    return tuple(Zone(int(each.from_epoch.timestamp()), each.timezone) for each in history)


@lru_cache(maxsize=4096)
def periods_of(day: str) -> Periods:
    """The periods that a day lies in."""
    year, week, _ = date_of(day).isocalendar()
    return Periods(f"DAY#{day}", f"WEEK#{year:04d}-W{week:02d}", f"MONTH#{day[:6]}")


@lru_cache(maxsize=4096)
def _bounds(period: str) -> tuple[int, int]:
    """The numbers of a period's first day, and of the day after its last."""
    window, _, text = period.partition("#")
    if window == "DAY":
        return _number(text), _number(text) + 1
    if window == "WEEK":
        monday = date.fromisocalendar(int(text[:4]), int(text[6:]), 1)
        return _number_of(monday), _number_of(monday) + 7
    first = date(int(text[:4]), int(text[4:]), 1)
    return _number_of(first), _number_of((first + timedelta(days=31)).replace(day=1))


def is_day(text: str) -> bool:
    """Whether it is a day of the calendar, as ``yyyymmdd``."""
    try:
        return len(text) == 8 and text.isascii() and text.isdigit() and date_of(text).year >= 1970
    except ValueError:
        return False


def date_of(day: str) -> date:
    """``20261115`` as a date."""
    return date(int(day[:4]), int(day[4:6]), int(day[6:]))


def _number_of(day: date) -> int:
    return day.toordinal() - _ORDINAL_OF_1970


@lru_cache(maxsize=4096)
def _number(day: str) -> int:
    """Days since 1970."""
    return _number_of(date_of(day))


@lru_cache(maxsize=4096)
def _text(number: int) -> str:
    return date.fromordinal(number + _ORDINAL_OF_1970).strftime("%Y%m%d")
