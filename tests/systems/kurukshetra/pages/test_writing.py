"""Money and times, as people at the event write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tablewright.systems.kurukshetra.pages.writing import local, local_span, money, track_name

START = datetime(2026, 12, 5, 3, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (99900, "INR", "₹999"),
        (12500050, "INR", "₹1,25,000.50"),
        (1_000_000_000, "INR", "₹1,00,00,000"),
        (-99900, "INR", "\N{MINUS SIGN}₹999"),
        (0, "INR", "₹0"),
        (123456, "USD", "$1,234.56"),
        (500, "JPY", "JPY\N{NO-BREAK SPACE}500"),
        (1500, "KWD", "KWD\N{NO-BREAK SPACE}1.500"),
    ],
)
def test_money_is_written_as_its_country_does(amount: int, currency: str, text: str) -> None:
    assert money(amount, currency) == text


def test_times_are_those_of_the_events_clock() -> None:
    end = START.replace(day=6)
    assert local(START, "Asia/Kolkata") == "Sat 5 Dec 2026, 09:00 IST"
    assert local(START, "Asia/Dubai") == "Sat 5 Dec 2026, 07:30 UTC+04"
    span = local_span(START, end, "Asia/Kolkata")
    assert span == "Sat 5 Dec 2026, 09:00 \N{EN DASH} Sun 6 Dec 2026, 09:00 IST"
    short = local_span(START, START.replace(hour=12), "Asia/Kolkata")
    assert short == "Sat 5 Dec 2026, 09:00 \N{EN DASH} 18:00 IST"
    assert track_name("open-innovation") == "Open innovation"
