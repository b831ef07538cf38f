"""Windows and days by the clock at the event's place, through every change of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.systems.kurukshetra import demo_items
from tablewright.systems.kurukshetra.rules import retention, windows
from tablewright.systems.kurukshetra.rules.local_time import (
    BadZone,
    end_of,
    instant,
    local_day,
    moment_of,
    start_of,
    zone_names,
    zone_of,
)

IST = "Asia/Kolkata"
SECOND = timedelta(seconds=1)
# With summer time, without, by half an hour, by three quarters, at midnight, over the date line.
ZONES = [
    *(IST, "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"),
    *("America/Santiago", "Africa/Cairo", "Asia/Beirut", "Pacific/Apia", "Pacific/Kiritimati"),
]
zones = st.sampled_from(ZONES)
moments = st.datetimes(datetime(2000, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# --- days ------------------------------------------------------------------------------------


def test_the_day_ends_at_midnight_in_india_not_in_greenwich() -> None:
    assert end_of(date(2026, 11, 30), IST) == utc("2026-11-30T18:29:59")
    assert instant(datetime(2026, 11, 30, 23, 59, 59), IST) == utc("2026-11-30T18:29:59")
    assert local_day(utc("2026-11-30T18:29:59"), IST) == date(2026, 11, 30)
    assert local_day(utc("2026-11-30T18:30:00"), IST) == date(2026, 12, 1)


@settings(max_examples=60)
@given(moments, zones)
def test_a_day_holds_its_moments_and_no_others(at: datetime, zone: str) -> None:
    day = local_day(at, zone)
    assert start_of(day, zone) <= at < end_of(day, zone) + SECOND
    assert local_day(start_of(day, zone) - SECOND, zone) < day
    assert local_day(end_of(day, zone) + SECOND, zone) > day


@pytest.mark.parametrize(
    ("day", "zone", "hours"),
    [
        (date(2026, 3, 29), "Europe/Berlin", 23),
        (date(2026, 10, 25), "Europe/Berlin", 25),
        (date(2026, 10, 4), "Australia/Lord_Howe", 23.5),
        (date(2026, 6, 1), IST, 24),
        (date(2026, 9, 6), "America/Santiago", 23),
        (date(2011, 12, 30), "Pacific/Apia", 0),
    ],
)
def test_days_are_as_long_as_the_clock_makes_them(day: date, zone: str, hours: float) -> None:
    assert end_of(day, zone) + SECOND - start_of(day, zone) == timedelta(hours=hours)


def test_a_moment_has_its_day_and_no_fractions() -> None:
    found = moment_of(utc("2026-11-30T20:00:00.9"), IST)
    assert (found.at, found.day) == (utc("2026-11-30T20:00:00"), date(2026, 12, 1))


# --- times that somebody typed ---------------------------------------------------------------


@settings(max_examples=60)
@given(moments, zones, st.booleans())
def test_a_time_is_found_again(at: datetime, zone: str, later: bool) -> None:
    at = at.replace(microsecond=0)
    local = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    found = instant(local, zone, later=later)
    assert found.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0) == local.replace(fold=0)


def test_a_time_that_comes_twice() -> None:
    local = datetime(2026, 10, 25, 2, 30)
    assert instant(local, "Europe/Berlin") == utc("2026-10-25T00:30:00")
    assert instant(local, "Europe/Berlin", later=True) == utc("2026-10-25T01:30:00")


@pytest.mark.parametrize("later", [False, True])
def test_a_time_that_is_left_out(later: bool) -> None:
    found = instant(datetime(2026, 3, 29, 2, 30), "Europe/Berlin", later=later)
    assert found == utc("2026-03-29T01:00:00")


def test_a_time_with_an_offset_is_not_local() -> None:
    with pytest.raises(ValueError, match="offset"):
        instant(utc("2026-11-30T20:00:00"), IST)


@pytest.mark.parametrize(
    "name", ["", "India", "../etc/passwd", "/etc/passwd", "Asia", "a\0b", "x" * 999]
)
def test_other_names_are_no_zones(name: str) -> None:
    with pytest.raises(BadZone):
        zone_of(name)


def test_every_zone_that_can_be_chosen_is_one() -> None:
    assert IST in zone_names()
    assert all(zone_of(name).key == name for name in zone_names())


# --- windows ---------------------------------------------------------------------------------

CONFIG = demo_items.config(demo_items.MAIN, 500).model_copy(
    update={
        "registration_open": True,
        "registration_start": utc("2026-11-01T04:30:00"),
        "registration_end": end_of(date(2026, 11, 30), IST),
        "roster_lock_at": utc("2026-12-01T00:00:00"),
    }
)


@pytest.mark.parametrize(
    ("at", "phase"),
    [
        ("2026-11-01T04:29:59.999", "not_yet"),
        ("2026-11-01T04:30:00", "open"),
        ("2026-11-30T18:29:59", "open"),
        ("2026-11-30T18:29:59.999", "open"),
        ("2026-11-30T18:30:00", "over"),
    ],
)
def test_registration_is_open_through_its_last_second(at: str, phase: str) -> None:
    assert windows.phase(CONFIG, utc(at)) == phase
    assert windows.is_open(CONFIG, utc(at)) == (phase == "open")


def test_somebody_closes_it_before_its_end() -> None:
    shut = CONFIG.model_copy(update={"registration_open": False})
    assert windows.phase(shut, utc("2026-11-02T00:00:00")) == "closed"
    assert windows.phase(shut, utc("2026-12-02T00:00:00")) == "over"


def test_rosters_lock_at_their_second() -> None:
    assert windows.roster_open(CONFIG, CONFIG.roster_lock_at - SECOND)
    assert not windows.roster_open(CONFIG, CONFIG.roster_lock_at)


@given(moments, st.integers(-3000, 3000))
def test_a_hold_is_in_time_or_over_and_never_both(at: datetime, offset: int) -> None:
    until = windows.hold_until(CONFIG, at)
    cut = windows.cut(CONFIG, at + timedelta(seconds=offset))
    in_time, over = until > cut, until <= cut
    assert in_time != over
    held = timedelta(minutes=CONFIG.hold_minutes + CONFIG.grace_minutes)
    assert over == (at.replace(microsecond=0) + held <= cut + timedelta(minutes=5))


def test_an_offer_is_not_cut_short_by_its_checkout() -> None:
    at = utc("2026-11-15T06:30:00")
    offered = windows.offer_until(CONFIG, at)
    assert offered == at + timedelta(hours=24)
    assert windows.hold_until(CONFIG, at, offered) == offered
    late = offered - timedelta(minutes=1)
    assert windows.hold_until(CONFIG, late, offered) == late + timedelta(minutes=20)


# --- how long things are kept ----------------------------------------------------------------


def test_people_are_forgotten_a_year_after_the_event() -> None:
    due = CONFIG.event_end + timedelta(days=365)
    assert retention.people_until(CONFIG) == due
    assert not retention.people_due(CONFIG, due - SECOND)
    assert retention.people_due(CONFIG, due)


@given(st.dates(date(2000, 1, 1), date(2100, 12, 31)))
def test_books_are_kept_for_eight_years_at_least(day: date) -> None:
    month, number = (3, 1) if (day.month, day.day) == (2, 29) else (day.month, day.day)
    assert day + retention.BOOKS >= date(day.year + 8, month, number)


def test_what_ends_by_itself_ends_on_a_second() -> None:
    assert retention.ends(utc("2026-11-15T06:30:00.5"), retention.DRAFT) == utc(
        "2026-12-15T06:30:00"
    )
