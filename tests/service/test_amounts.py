"""Amounts of money as people write them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.amounts import (
    AmountError,
    accepted_locale,
    format_amount,
    parse_amount,
)


@pytest.mark.parametrize("locale", [None, "en", "en-US", "de", "de-DE", "fr", "hi", "en-IN", "xx"])
@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("20", "20"),
        ("0", "0"),
        ("1,50", "1.5"),
        ("1.50", "1.5"),
        ("1,5", "1.5"),
        (".5", "0.5"),
        (",5", "0.5"),
        ("20.", "20"),
        ("1.000,50", "1000.50"),
        ("1,000.50", "1000.50"),
        ("1.000.000", "1000000"),
        ("1,000,000", "1000000"),
        ("12,34,567.80", "1234567.80"),
        ("1,50,000", "150000"),
        ("1 000 000,25", "1000000.25"),
        ("1\u202f000,25", "1000.25"),
        ("1'000.25", "1000.25"),
        ("$20", "20"),
        ("20 USD", "20"),
        ("USD 1,50", "1.5"),
        ("  7  ", "7"),
        ("१२.५०", "12.50"),
        ("٣٫٥", "3.5"),
        ("1.50\u200b", "1.5"),
        ("+3", "3"),
        ("0,500", "0.5"),
        ("1.2500", "1.25"),
    ],
)
def test_text_with_one_meaning_is_that_amount_in_every_locale(
    locale: str | None, text: str, amount: str
) -> None:
    assert parse_amount(text, locale=locale, currency="USD") == Decimal(amount)


@pytest.mark.parametrize(
    ("locale", "text", "amount"),
    [
        ("en", "1,500", "1500"),
        ("en-IN", "1,500", "1500"),
        ("de", "1.500", "1500"),
        ("de", "1,500", "1.5"),
        ("en", "1.500", "1.5"),
        (None, "1.500", "1.5"),
        ("fr", "1,500", "1.5"),
        ("pt-BR", "1.500", "1500"),
    ],
)
def test_three_digits_after_a_lone_separator_are_read_as_the_locale_says(
    locale: str | None, text: str, amount: str
) -> None:
    assert parse_amount(text, locale=locale, decimals=3) == Decimal(amount)


def test_comma_before_three_digits_without_a_locale_is_refused_with_both_meanings() -> None:
    with pytest.raises(AmountError, match=r"1,500 could mean 1\.5 or 1500"):
        parse_amount("1,500")


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "$", "abc", "1e3", "NaN", "Infinity", "1,2,3", "1.2.3", "1,00.50", "--1", "1-"),
        *("10,00,0", "1 50", "1,,000", "1.,5", "0x10", "1_000", "1/2", "12 EUR", "€12", "½"),
        *("9" * 16, "1" * 200, "1.234567"),
    ],
)
def test_text_without_a_clear_meaning_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(AmountError) as caught:
        parse_amount(text, currency="USD")
    assert str(caught.value).endswith(".")


def test_amount_below_zero_is_accepted_only_when_signed() -> None:
    with pytest.raises(AmountError, match="cannot be negative"):
        parse_amount("-1")
    assert parse_amount("-$1,50", signed=True, currency="USD") == Decimal("-1.5")
    assert parse_amount("\u22122", signed=True) == -2


def test_too_many_decimals_are_refused_and_not_rounded() -> None:
    assert parse_amount("0.000001", decimals=6) == Decimal("0.000001")
    with pytest.raises(AmountError, match="at most 6 decimal places"):
        parse_amount("0.0000001", decimals=6)
    with pytest.raises(AmountError, match="whole number"):
        parse_amount("1.5", decimals=0)


@given(
    st.decimals(min_value=0, max_value=10**12, places=2, allow_nan=False),
    st.sampled_from(["en", "de", "fr", "de_CH", "en_IN", "hi", "es", "sv", "pt_BR", "ja", "ar"]),
)
def test_what_a_locale_formats_is_read_back_in_that_locale(amount: Decimal, locale: str) -> None:
    assert parse_amount(format_decimal(amount, "#,##0.00", locale), locale=locale) == amount
    assert parse_amount(format_amount(amount, locale=locale), locale=locale) == amount


@given(st.text(max_size=30), st.sampled_from([None, "en", "de"]))
def test_any_text_is_an_amount_or_refused(text: str, locale: str | None) -> None:
    try:
        amount = parse_amount(text, locale=locale, signed=True)
    except AmountError:
        return
    assert amount.is_finite()
    assert abs(amount) < 10**15


@pytest.mark.parametrize(
    ("header", "locale"),
    [
        ("de-DE,de;q=0.9,en;q=0.8", "de-DE"),
        ("en;q=0.5, fr", "fr"),
        ("*", None),
        ("", None),
        (None, None),
        ("no-such-thing;q=x,de;q=0", None),
        ("zz-ZZ, hi;q=0.1", "hi"),
    ],
)
def test_locale_of_a_request_is_the_one_with_most_weight(
    header: str | None, locale: str | None
) -> None:
    assert accepted_locale(header) == locale
