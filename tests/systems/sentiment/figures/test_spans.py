"""Spans, buckets and pieces: what may be asked for, and what it is made of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.sentiment.support import NOW

from tablewright.service.problems import Problem
from tablewright.systems.sentiment.rules.figures import (
    Figures,
    figures_of,
    index_change,
    total,
    volume_change,
)
from tablewright.systems.sentiment.rules.pieces import merged, pieces_of
from tablewright.systems.sentiment.rules.series import (
    LENGTHS,
    Interval,
    checked_interval,
    number_of_slots,
    slots_of,
)
from tablewright.systems.sentiment.rules.shares import shares_of
from tablewright.systems.sentiment.rules.spans import (
    MINUTES_THERE,
    Span,
    ceiling,
    compared_spans,
    counted_span,
    floor,
    passed_part,
    span_of,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LATER = NOW + 17 * MINUTE + timedelta(seconds=3)

_STARTS = st.timedeltas(min_value=MINUTE, max_value=70 * HOUR)


def problem(since: datetime | None, until: datetime | None) -> str:
    with pytest.raises(Problem) as caught:
        span_of(since, until, NOW)
    assert caught.value.status == 422
    return caught.value.code


def test_without_ends_it_is_the_last_day() -> None:
    assert span_of(None, None, LATER) == Span(NOW - DAY, LATER)
    assert span_of(NOW - HOUR, None, LATER) == Span(NOW - HOUR, LATER)
    # The end of today is later than now.
    assert span_of(NOW - HOUR, NOW + 12 * HOUR, NOW) == Span(NOW - HOUR, NOW)


def test_zones_are_moved_to_utc() -> None:
    there = timezone(timedelta(hours=5, minutes=30))
    span = span_of((NOW - HOUR).astimezone(there), NOW.astimezone(there), NOW)
    assert (span, span.since.tzinfo) == (Span(NOW - HOUR, NOW), UTC)


@pytest.mark.parametrize(
    ("since", "until"),
    [
        (NOW, NOW),
        (NOW, NOW - HOUR),
        (NOW + MINUTE, None),
        (None, NOW + 2 * DAY),
        (NOW - 401 * DAY, NOW),
        (NOW.replace(tzinfo=None) - HOUR, NOW),
        (NOW - HOUR, NOW.replace(tzinfo=None)),
    ],
)
def test_what_cannot_be_is_refused(since: datetime | None, until: datetime | None) -> None:
    assert problem(since, until) == "BAD_RANGE"


def test_as_it_is_counted() -> None:
    asked = Span(LATER - 5 * HOUR, LATER)
    assert counted_span(asked, LATER) == Span(NOW - 5 * HOUR + 17 * MINUTE, NOW + HOUR)
    assert counted_span(asked, LATER, minutes=False) == Span(NOW - 5 * HOUR, NOW + HOUR)
    past = Span(LATER - 5 * HOUR, LATER - HOUR)
    assert counted_span(past, LATER).until == NOW - HOUR + 18 * MINUTE
    old = Span(LATER - 5 * DAY, LATER - 4 * DAY)
    assert counted_span(old, LATER) == Span(NOW - 5 * DAY, NOW - 4 * DAY + HOUR)


@pytest.mark.parametrize("minutes_ago", [0, 1, 2])
def test_end_at_a_whole_minute_is_used_as_given(minutes_ago: int) -> None:
    until = NOW + (17 - minutes_ago) * MINUTE
    whole = counted_span(Span(NOW - HOUR, until), LATER)
    assert passed_part(whole, LATER) == Span(NOW - HOUR, until)
    assert compared_spans(whole, LATER)[1] == Span(NOW - HOUR, until)


def test_end_within_the_current_minute_includes_that_minute() -> None:
    # Three seconds of the minute have passed; counts are by the minute.
    whole = counted_span(Span(NOW - HOUR, LATER - timedelta(seconds=1)), LATER)
    assert passed_part(whole, LATER) == Span(NOW - HOUR, NOW + 18 * MINUTE)


def test_nothing_lies_ahead() -> None:
    hours = Span(NOW - HOUR, NOW + HOUR)
    assert passed_part(hours, LATER) == Span(NOW - HOUR, NOW + 18 * MINUTE)
    assert passed_part(Span(NOW - HOUR, NOW), LATER) == Span(NOW - HOUR, NOW)


def test_windows_that_are_compared_have_the_same_length() -> None:
    hours = counted_span(span_of(None, None, LATER), LATER)
    before, after = compared_spans(hours, LATER)
    so_far = DAY + 18 * MINUTE
    assert after == Span(NOW - DAY, NOW + 18 * MINUTE)
    assert before == Span(NOW - DAY - so_far, NOW - DAY)
    some = counted_span(Span(LATER - 90 * MINUTE, LATER), LATER)
    before, after = compared_spans(some, LATER)
    assert before.length == after.length == 91 * MINUTE
    assert before.until == after.since


@given(start=_STARTS, length=_STARTS, minutes=st.booleans())
def test_any_two_windows_that_are_compared_are_counted_as_they_are(
    start: timedelta, length: timedelta, minutes: bool
) -> None:
    asked = Span(LATER - start - MINUTE, min(LATER - start + length, LATER))
    whole = counted_span(asked, LATER, minutes=minutes)
    before, after = compared_spans(whole, LATER, minutes=minutes)
    assert (before.length, before.until) == (after.length, after.since)
    assert whole.since <= after.since
    assert after.until <= ceiling(max(after.since, passed_part(whole, LATER).until), HOUR)
    unit = MINUTE if minutes and before.since >= LATER - MINUTES_THERE else HOUR
    assert all(floor(end, unit) == end for end in (before.since, after.since, after.until))


def test_what_has_no_minutes_is_not_compared_within_an_hour() -> None:
    begun = counted_span(Span(NOW, NOW + HOUR), LATER, minutes=False)
    assert compared_spans(begun, LATER, minutes=False) == (Span(NOW, NOW), Span(NOW, NOW))
    assert compared_spans(begun, LATER)[1] == Span(NOW, NOW + 18 * MINUTE)
    # So far back that the minutes before it have gone.
    long = counted_span(Span(LATER - 50 * HOUR, LATER), LATER)
    assert compared_spans(long, LATER)[1] == Span(NOW - 49 * HOUR, NOW + HOUR)


def test_comparison_of_a_day_includes_the_current_hour() -> None:
    day = counted_span(span_of(None, None, LATER), LATER)
    assert compared_spans(day, LATER)[1].until == NOW + 18 * MINUTE
    by_hours = counted_span(span_of(None, None, LATER), LATER, minutes=False)
    before, after = compared_spans(by_hours, LATER, minutes=False)
    assert after == Span(NOW - DAY, NOW + HOUR)
    assert before == Span(NOW - 2 * DAY - HOUR, NOW - DAY)


@given(start=_STARTS, length=_STARTS)
def test_pieces_tile_a_span(start: timedelta, length: timedelta) -> None:
    since = floor(NOW - start, MINUTE)
    span = Span(since, floor(since + length, MINUTE) + MINUTE)
    pieces = pieces_of(span)
    assert (pieces[0].since, pieces[-1].until) == (span.since, span.until)
    assert all(a.until == b.since for a, b in pairwise(pieces))
    assert sum(piece.unit == MINUTE for piece in pieces) <= 2
    minutes = sum((piece.until - piece.since) // MINUTE for piece in pieces if piece.unit == MINUTE)
    assert minutes < 120
    read = merged([*pieces, *pieces_of(Span(span.since - 10 * HOUR, span.since))])
    assert len(read) <= 4


@given(start=_STARTS, length=_STARTS, interval=st.sampled_from(get_args(Interval)))
def test_slots_tile_a_span(start: timedelta, length: timedelta, interval: Interval) -> None:
    since = floor(NOW - start, MINUTE)
    span = Span(since, min(floor(since + length, MINUTE) + MINUTE, NOW))
    slots = slots_of(span, interval, NOW)
    assert (slots[0].span.since, slots[-1].span.until) == (span.since, span.until)
    assert all(a.end == b.start for a, b in pairwise(slots))
    assert all(floor(slot.start, LENGTHS[interval]) == slot.start for slot in slots)
    assert not any(slot.partial for slot in slots[1:-1])
    assert slots[0].partial == (slots[0].span != Span(slots[0].start, slots[0].end))
    assert len(slots) == number_of_slots(span, interval)


def refused(span: Span, interval: Interval, **more: bool) -> Problem:
    with pytest.raises(Problem) as caught:
        checked_interval(span, interval, NOW, **more)
    return caught.value


def test_too_many_buckets_says_what_fits() -> None:
    error = refused(Span(NOW - 2 * DAY, NOW), "1m")
    assert (error.code, error.extra["smallest_interval"]) == ("TOO_MANY_BUCKETS", "15m")
    assert "15m" in error.detail
    error = refused(Span(NOW - 30 * DAY, NOW), "1h")
    assert error.extra["smallest_interval"] == "6h"
    # Minutes would fit, but are not kept so long.
    error = refused(Span(NOW - 20 * DAY, NOW - 20 * DAY + 20 * HOUR), "1m")
    assert error.extra["smallest_interval"] == "1h"


def test_minutes_go_back_two_days() -> None:
    day = Span(NOW - 2 * DAY, NOW - DAY)
    assert checked_interval(day, "5m", NOW) == "5m"
    old = Span(NOW - 3 * DAY, NOW - 3 * DAY + HOUR)
    assert refused(old, "5m").code == "BAD_RANGE"
    assert refused(day, "5m", minutes=False).code == "BAD_RANGE"
    assert checked_interval(old, "1h", NOW, minutes=False) == "1h"


@pytest.mark.parametrize(
    ("length", "expected"),
    [(HOUR, "1m"), (6 * HOUR, "5m"), (DAY, "1h"), (3 * DAY, "1h"), (30 * DAY, "1d")],
)
def test_an_interval_that_looks_well(length: timedelta, expected: Interval) -> None:
    assert checked_interval(Span(NOW - length, NOW), None, NOW) == expected


def test_index_and_change() -> None:
    some = Figures(ingested=12, positive=6, neutral=2, negative=2)
    assert (some.analysed, some.pending, some.index) == (10, 2, 0.4)
    none = Figures(ingested=3)
    assert (none.index, none.pending) == (None, 3)
    assert volume_change(none, some) is None
    assert volume_change(some, none) == -100
    assert index_change(some, none) is None
    worse = Figures(negative=5)
    assert index_change(some, worse) == pytest.approx(-1.4)
    assert total(map(figures_of, ["positive", "negative", "neutral", None])) == Figures(4, 1, 1, 1)


def test_shares_are_of_what_is_said_about_all() -> None:
    found = shares_of([("a", "A", Figures(positive=1)), ("b", "B", Figures(negative=3))])
    assert [(each.key, each.share) for each in found] == [("b", 0.75), ("a", 0.25)]
    assert [each.share for each in shares_of([("a", "A", Figures())])] == [None]
