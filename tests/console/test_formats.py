"""Money, numbers and times as people read them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.console import formats


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "$0.00"),
        (1_234_567_890, "$1,234.57"),
        (-2_500_000, "-$2.50"),
        (100_000, "$0.10"),
        (16_500, "$0.016"),
        (12, "$0.000012"),
        (1, "$0.0000010"),
        (None, "–"),
    ],
)
def test_micro_dollars(micros: int | None, text: str) -> None:
    assert formats.usd(micros) == text


def test_pico_dollars_go_down_to_the_last_one() -> None:
    assert formats.usd_picos(1) == "$0.000000000001"
    assert formats.usd_picos(1_500_000_000_000) == "$1.50"


@given(st.integers(min_value=-(10**15), max_value=10**15))
def test_no_amount_is_off_by_more_than_its_last_digit(micros: int) -> None:
    text = formats.usd(micros).replace("$", "").replace(",", "")
    shown = Decimal(text)
    exact = Decimal(micros).scaleb(-6)
    last = Decimal(1).scaleb(int(shown.as_tuple().exponent))
    assert abs(shown - exact) <= last / 2
    assert (shown == 0) == (micros == 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 %"),
        (0.04, "< 0.1 %"),
        (12.34, "12.3 %"),
        (99.97, "> 99.9 %"),
        (100, "100 %"),
        (250.0, "250 %"),
        (None, "–"),
    ],
)
def test_a_little_is_never_nothing_and_almost_all_never_all(value: float | None, text: str) -> None:
    assert formats.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1234567, "1,234,567"), (1.5, "1.5"), (2.0, "2"), (100, "100"), (None, "–")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert formats.number(value) == text


def test_counts_agree_with_their_noun() -> None:
    assert formats.counted(1, "table") == "1 table"
    assert formats.counted(0, "table") == "0 tables"
    assert formats.counted(1200, "entity", "entities") == "1,200 entities"


@pytest.mark.parametrize(
    ("value", "text"), [(999, "999"), (1234, "1.2 k"), (5_600_000, "5.6 M"), (None, "–")]
)
def test_compact_numbers(value: float | None, text: str) -> None:
    assert formats.compact(value) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0 B"), (1536, "1.5 KB"), (2**40, "1 TB")])
def test_bytes(value: int, text: str) -> None:
    assert formats.bytes_(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.25, "250 ms"), (59, "59 s"), (7505, "2 h 5 min"), (90_061, "1 d 1 h")],
)
def test_durations(seconds: float, text: str) -> None:
    assert formats.duration(seconds) == text


def test_moments_are_in_utc() -> None:
    there = datetime(2026, 11, 15, 13, 30, tzinfo=timezone(timedelta(hours=1)))
    assert formats.iso(there) == "2026-11-15T12:30:00Z"
    assert formats.moment(there) == "15 Nov 2026, 12:30 UTC"
    assert formats.moment(there.timestamp()) == formats.moment(there)
    assert formats.moment(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2 Jan 2026, 03:04:05 UTC"


def test_values_of_charts() -> None:
    assert formats.in_unit(12.5, "usd") == "$12.50"
    assert formats.in_unit(12.5, "percent") == "12.5 %"
    assert formats.in_unit(12.5, "count") == "12.5"
    assert formats.in_unit(12500, "INR") == "INR 12,500"
    assert formats.in_unit(None, "usd") == "–"
    assert formats.in_unit(0.126, "index") == "+0.13"
    assert formats.in_unit(-1, "index") == "\N{MINUS SIGN}1.00"


def test_code_between_backticks_is_code_and_the_rest_is_text() -> None:
    assert formats.ticks("`PK` is <b>") == "<code>PK</code> is &lt;b&gt;"
    assert formats.ticks("`<i>`") == "<code>&lt;i&gt;</code>"
    assert formats.ticks("`` a`b ``, `c`") == "<code>a`b</code>, <code>c</code>"
    assert formats.ticks("no code") == "no code"
    assert formats.ticks("`open and ``c``") == "`open and <code>c</code>"
    assert formats.ticks("``a` b") == "``a` b"
    assert formats.ticks("a`b\nc`d `e`") == "a`b\nc<code>d</code>e`"


@pytest.mark.parametrize(
    "text",
    [
        "`" * 200_000,
        "`a``b" * 40_000,
        "` " * 100_001,
        "".join("`" * length + "x" for length in range(1, 700)),
        "`" + "x" * 200_000 + "``" * 20_000,
    ],
)
def test_time_for_many_backticks_is_linear(text: str) -> None:
    started = time.process_time()
    formats.ticks(text)
    assert time.process_time() - started < 1.5


def test_the_place_of_an_error_in_words() -> None:
    assert formats.field_name("body.quotas.premium") == "quotas premium"
    assert formats.field_name("query.limit") == "limit"
    assert formats.field_name("body") == "body"
