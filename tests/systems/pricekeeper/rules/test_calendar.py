"""Days tile time in every time zone, whatever clocks do, and across a change of the zone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.sampling import ALL, many

from tablewright.systems.pricekeeper.rules.calendar import (
    Calendar,
    Zone,
    calendar,
    calendar_of,
    is_day,
)
from tablewright.systems.pricekeeper.rules.offsets import pieces, zone_names
from tablewright.systems.pricekeeper.samples import TODAY, organisation

_FIRST, _LAST = date(2000, 1, 1), date(2037, 12, 31)
_HOUR, _DAY = 3600, 86_400


def _of(*names: str) -> Calendar:
    return Calendar([Zone(0, names[0])])


def _epoch(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def _shown(zone: ZoneInfo, epoch: int) -> str:
    """What a wall calendar shows: the oracle, by the standard library alone."""
    shown = datetime.fromtimestamp(epoch, zone)
    return f"{shown.year}{shown.month:02d}{shown.day:02d}"


@cache
def _distinct() -> list[str]:
    """The time zones without those that are another's copy."""
    found: dict[bytes, str] = {}
    for name in sorted(zone_names()):
        found.setdefault(_rules(name), name)
    return list(found.values())


def _rules(name: str) -> bytes:
    for folder in TZPATH:
        if (path := Path(folder, name)).is_file():
            return path.read_bytes()
    return files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


def _days(first: date = _FIRST, last: date = _LAST) -> Iterator[str]:
    for number in range(first.toordinal(), last.toordinal() + 1):
        yield date.fromordinal(number).strftime("%Y%m%d")


def _restless_days(zone: ZoneInfo) -> Iterator[str]:
    """The days of each week in which the clock is set, and one before."""
    before = None
    for number in range(_FIRST.toordinal(), _LAST.toordinal() + 1, 7):
        monday = datetime.combine(date.fromordinal(number), datetime.min.time(), UTC)
        if (offset := monday.astimezone(zone).utcoffset()) != before:
            yield from _days(date.fromordinal(number - 8), date.fromordinal(number))
        before = offset


def _check(days: Calendar, zone: ZoneInfo, day: str) -> None:
    start, end = days.start(day), days.end(day)
    assert _shown(zone, start) >= day, (zone, day)
    assert _shown(zone, start - 1) < day, (zone, day)
    assert start <= end == days.start(days.next(day))
    if start < end:
        assert days.day(start) == days.day(end - 1) == day
    assert days.day(end) > day > days.day(start - 1)


# --- all zones -----------------------------------------------------------------------------------


def test_scenario_08_days_tile_in_all_zones_where_clocks_are_set() -> None:
    assert len(_distinct()) > 300
    for name in _distinct() if ALL else _distinct()[::3]:
        days, zone = _of(name), ZoneInfo(name)
        for day in _restless_days(zone):
            _check(days, zone, day)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_scenario_08_days_tile_in_all_zones_on_all_days(part: int) -> None:
    for name in _distinct()[part::8]:
        days, zone = _of(name), ZoneInfo(name)
        for day in _days():
            _check(days, zone, day)


def test_a_length_that_is_not_24_hours_comes_from_a_clock_that_was_set() -> None:
    for name in _distinct()[::7]:
        days = _of(name)
        for day in _days(date(2010, 1, 1), date(2014, 12, 31)):
            start, end = days.start(day), days.end(day)
            offsets = {piece.offset for piece in pieces(name, start - _DAY, end + _DAY)}
            assert end - start == _DAY or len(offsets) > 1, (name, day)


def test_no_zone_sets_its_clock_back_and_forth_between_two_samples() -> None:
    # What `pieces` rests on. Ten minutes are less than any clock was ever left wrong for.
    for name in ("Africa/Cairo", "Africa/Casablanca", "Antarctica/Troll", "Asia/Gaza"):
        zone = ZoneInfo(name)
        found = pieces(name, _epoch("2009-01-01T00:00Z"), _epoch("2015-01-01T00:00Z"))
        gaps = [later.start - one.start for one, later in pairwise(found[1:])]
        assert min(gaps) > 3 * _DAY
        for epoch in range(found[0].start, found[-1].start, 600):
            if epoch % (600 * 97) == 0:
                offset = datetime.fromtimestamp(epoch, zone).utcoffset()
                known = [piece for piece in found if piece.start <= epoch][-1]
                assert timedelta(seconds=known.offset) == offset


# --- known days ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "day", "hours", "starts"),
    [
        ("America/New_York", "20260308", 23, "2026-03-08T00:00-05:00"),
        ("America/New_York", "20261101", 25, "2026-11-01T00:00-04:00"),
        ("Australia/Lord_Howe", "20260405", 24.5, "2026-04-05T00:00+11:00"),
        ("UTC", "20160229", 24, "2016-02-29T00:00Z"),
        # No midnight: the day starts at one.
        ("Africa/Cairo", "20240426", 23, "2024-04-26T01:00+03:00"),
        ("Asia/Beirut", "20240331", 23, "2024-03-31T01:00+03:00"),
        ("America/Havana", "20240310", 23, "2024-03-10T01:00-04:00"),
        ("America/Santiago", "20240908", 23, "2024-09-08T01:00-03:00"),
        # Back from midnight to eleven: the evening before is shown twice, and belongs to its day.
        ("America/Santiago", "20240406", 25, "2024-04-06T00:00-03:00"),
        ("America/Havana", "20241103", 25, "2024-11-03T00:00-04:00"),
        # One minute past midnight back to 23:01: the day had begun.
        ("America/St_Johns", "20101106", 24, "2010-11-06T00:00-02:30"),
        ("America/St_Johns", "20101107", 25, "2010-11-07T00:00-02:30"),
        # A date that never was.
        ("Pacific/Apia", "20111229", 24, "2011-12-29T00:00-10:00"),
        ("Pacific/Apia", "20111230", 0, "2011-12-31T00:00+14:00"),
        ("Pacific/Apia", "20111231", 24, "2011-12-31T00:00+14:00"),
        ("Pacific/Fakaofo", "20111230", 0, "2011-12-31T00:00+13:00"),
    ],
)
def test_scenario_08_a_day_that_clocks_made_strange(
    zone: str, day: str, hours: float, starts: str
) -> None:
    days = _of(zone)
    assert days.start(day) == _epoch(starts)
    assert days.end(day) - days.start(day) == hours * _HOUR


def test_what_is_shown_as_yesterday_after_a_clock_fell_back_is_today() -> None:
    days, zone = _of("America/St_Johns"), ZoneInfo("America/St_Johns")
    fell_back = _epoch("2010-11-07T00:01-02:30")
    assert _shown(zone, fell_back) == "20101106"
    assert days.day(fell_back - 1) == days.day(fell_back) == "20101107"
    assert days.day(_epoch("2010-11-06T23:59:59-02:30")) == "20101106"


def test_nothing_happens_on_an_empty_day() -> None:
    days = _of("Pacific/Apia")
    skipped = _epoch("2011-12-31T00:00+14:00")
    assert (days.day(skipped - 1), days.day(skipped)) == ("20111229", "20111231")
    assert days.next("20111229") == "20111230"


# --- weeks and months ----------------------------------------------------------------------------


@given(st.dates(date(1971, 1, 1), date(2199, 12, 31)))
@example(date(2020, 12, 31))
@example(date(2024, 2, 29))
@example(date(2027, 1, 3))
def test_periods_hold_their_days_and_tile_too(day: date) -> None:
    days, text = _of("America/New_York"), day.strftime("%Y%m%d")
    for period in days.periods(text):
        members = days.days(period)
        assert text in members
        assert [days.periods(each) for each in members].count(days.periods(text)) >= 1
        assert all(period in days.periods(each) for each in members)
        assert days.starts(period) == days.start(members[0])
        assert days.ends(period) == days.end(members[-1])
        assert period not in days.periods(days.next(members[-1]))
    assert len(days.days(days.periods(text).week)) == 7
    assert days.days(days.periods(text).day) == [text]


def test_periods_have_the_names_that_keys_have() -> None:
    days = _of("Europe/Oslo")
    assert days.periods("20261120") == ("DAY#20261120", "WEEK#2026-W47", "MONTH#202611")
    # The last days of December may belong to the first week of the year after.
    assert days.periods("20241230").week == "WEEK#2025-W01"
    assert days.periods("20261120").of("WEEK") == "WEEK#2026-W47"


@pytest.mark.parametrize(
    "text", ["20260230", "2026120", "20261320", "19691231", "２０２６1120", ""]
)
def test_what_is_no_day(text: str) -> None:
    assert not is_day(text)
    assert is_day("20261120")


# --- another zone --------------------------------------------------------------------------------

_moments = st.integers(_epoch("2000-01-03T00:00Z"), _epoch("2037-12-01T00:00Z"))
_zones = st.sampled_from(sorted(zone_names()))


@given(zone=_zones, epoch=_moments)
def test_a_moment_lies_in_its_day(zone: str, epoch: int) -> None:
    days = _of(zone)
    day = days.day(epoch)
    assert days.start(day) <= epoch < days.end(day)


@settings(max_examples=many(100), deadline=None)
@given(first=_zones, second=_zones, change=_moments)
@example(first="Pacific/Auckland", second="America/Los_Angeles", change=_epoch("2026-06-01T12:00Z"))
@example(first="America/Los_Angeles", second="Pacific/Auckland", change=_epoch("2026-06-01T07:00Z"))
@example(first="Pacific/Pago_Pago", second="Pacific/Kiritimati", change=_epoch("2026-06-01T11:00Z"))
@example(first="Pacific/Kiritimati", second="Pacific/Pago_Pago", change=_epoch("2026-06-01T10:00Z"))
def test_scenario_08_days_are_the_running_maximum_of_what_two_clocks_show(
    first: str, second: str, change: int
) -> None:
    days = Calendar([Zone(0, first), Zone(change, second)])
    clocks = (ZoneInfo(first), ZoneInfo(second))
    greatest = ""
    # Every minute, and the last moment of the first clock: no date is shown for less.
    before, after = range(-50 * _HOUR - 1, 0, 60), range(0, 50 * _HOUR, 60)
    for epoch in (change + seconds for seconds in (*before, *after)):
        greatest = max(greatest, _shown(clocks[epoch >= change], epoch))
        if epoch >= change - 20 * _HOUR:
            assert days.day(epoch) == greatest
            assert days.start(greatest) <= epoch < days.end(greatest)


def test_to_the_west_a_day_gets_longer_and_to_the_east_shorter() -> None:
    midnight = _epoch("2026-06-02T00:00+12:00")
    west = Calendar([Zone(0, "Pacific/Auckland"), Zone(midnight, "America/Los_Angeles")])
    assert west.day(midnight) == west.day(midnight - 1) == "20260601"
    assert west.end("20260601") - west.start("20260601") == (24 + 19) * _HOUR
    midnight = _epoch("2026-06-02T00:00-07:00")
    east = Calendar([Zone(0, "America/Los_Angeles"), Zone(midnight, "Pacific/Auckland")])
    assert (east.day(midnight - 1), east.day(midnight)) == ("20260601", "20260602")
    assert east.end("20260602") - east.start("20260602") == 5 * _HOUR


# --- how it is used ------------------------------------------------------------------------------


def test_an_organisations_calendar_is_made_once() -> None:
    days = calendar_of(organisation())
    assert days is calendar_of(organisation(version=7)) is calendar(days.zones)
    assert days.day(_epoch("2026-11-20T12:00Z")) == TODAY


def test_many_days_are_known_and_none_too_many() -> None:
    days = _of("Europe/Oslo")
    first = _epoch("2000-01-01T12:00+01:00")
    for number in range(3000):
        assert days.day(first + number * _DAY) == (_FIRST + timedelta(number)).strftime("%Y%m%d")
    assert len(days._spans) <= 1024
    assert len(days._start_of) <= 1024


def test_a_known_day_is_found_in_no_time() -> None:
    days, epoch = _of("America/New_York"), _epoch("2026-11-20T12:00Z")
    days.day(epoch), days.day(epoch - _DAY)
    best = min(_seconds_of(days, epoch) for _ in range(5))
    # 0.2 us here; the target is one, and this machine may be busy.
    assert best < 3e-6


def _seconds_of(days: Calendar, epoch: int) -> float:
    began = time.perf_counter()
    for _ in range(10_000):
        days.day(epoch)
        days.day(epoch - _DAY)
    return (time.perf_counter() - began) / 20_000
