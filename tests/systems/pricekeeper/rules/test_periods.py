"""Days, weeks and months as people write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.pricekeeper.rules.calendar import periods_of
from tablewright.systems.pricekeeper.rules.periods import (
    period_text,
    periods_between,
    read_day,
    read_period,
)

DAYS = st.dates(min_value=date(1971, 1, 1)).map(lambda day: f"{day:%Y%m%d}".zfill(8))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("2026-11-15", "DAY#20261115"),
        ("20261115", "DAY#20261115"),
        ("2026-W47", "WEEK#2026-W47"),
        ("2026-11", "MONTH#202611"),
        ("2020-W53", "WEEK#2020-W53"),
        ("2026-W53", "WEEK#2026-W53"),
    ],
)
def test_what_is_a_period(text: str, period: str) -> None:
    assert read_period(text) == period


@pytest.mark.parametrize(
    "text",
    ["", "today", "2026-13", "2026-02-29", "2025-W53", "2026-W00", "1969-12-31", "２０２６-11-15"],
)
def test_what_is_none(text: str) -> None:
    assert read_period(text) is None
    assert read_day(text) is None


@given(DAYS)
def test_they_are_read_as_they_are_written(day: str) -> None:
    for period in periods_of(day):
        assert read_period(period_text(period)) == period


@given(DAYS, DAYS, st.sampled_from(["DAY", "WEEK", "MONTH"]))
def test_what_lies_between(first: str, last: str, window: str) -> None:
    found = periods_between(first, last, window, 20)
    assert len(found) <= 20
    assert len(set(found)) == len(found)
    if first > last:
        assert found == []
    else:
        assert found[0] == periods_of(first).of(window)
        if len(found) < 20:
            assert found[-1] == periods_of(last).of(window)
