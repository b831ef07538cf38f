"""Fees and vouchers: whole minor units, nothing below what the gateway takes, never negative."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.kurukshetra.payments import Voucher
from tablewright.systems.kurukshetra.rules.fees import LEAST, fee_of, voucher_fault, written

FROM = datetime(2026, 11, 1, tzinfo=UTC)
UNTIL = datetime(2026, 11, 30, 18, 29, 59, tzinfo=UTC)
amounts = st.integers(0, 10**9)


def voucher(percent: int | None = None, fixed: int | None = None, remaining: int = 1) -> Voucher:
    return Voucher(
        event_id="e",
        code="EARLY",
        percent=percent,
        fixed=fixed,
        remaining=remaining,
        valid_from=FROM,
        valid_until=UNTIL,
        created_at=FROM,
        updated_at=FROM,
    )


vouchers = st.none() | st.builds(voucher, percent=st.integers(1, 100))
vouchers |= st.builds(lambda fixed: voucher(fixed=fixed), amounts)


@given(amounts, vouchers)
def test_what_is_paid_and_what_is_taken_off_are_the_fee(full: int, used: Voucher | None) -> None:
    fee = fee_of(full, used)
    assert fee.net + fee.discount == fee.full == full
    assert fee.net == 0 or LEAST <= fee.net <= full
    assert fee.free == (fee.net == 0)


@given(st.integers(LEAST * 100, 10**9), st.integers(1, 99))
def test_a_percentage_is_off_by_half_a_unit_at_most(full: int, percent: int) -> None:
    exact = Fraction(full * (100 - percent), 100)
    assert abs(fee_of(full, voucher(percent=percent)).net - exact) <= Fraction(1, 2)


@given(amounts, amounts, amounts)
def test_a_larger_voucher_never_costs_more(full: int, one: int, more: int) -> None:
    assert fee_of(full, voucher(fixed=one + more)).net <= fee_of(full, voucher(fixed=one)).net


@pytest.mark.parametrize(
    ("full", "used", "net"),
    [
        (99900, None, 99900),
        (99900, voucher(percent=10), 89910),
        (99901, voucher(percent=50), 49950),
        (99900, voucher(fixed=99800), 100),
        (99900, voucher(fixed=99801), 0),
        (99900, voucher(fixed=200000), 0),
        (99900, voucher(percent=100), 0),
        (99, None, 0),
        (100, None, 100),
        (0, None, 0),
    ],
)
def test_fees(full: int, used: Voucher | None, net: int) -> None:
    assert fee_of(full, used).net == net


@pytest.mark.parametrize(
    ("at", "remaining", "fault"),
    [
        (FROM - timedelta(seconds=1), 1, "not_yet"),
        (FROM, 1, None),
        (UNTIL, 1, None),
        (UNTIL.replace(microsecond=999_999), 1, None),
        (UNTIL + timedelta(seconds=1), 1, "over"),
        (FROM, 0, "used_up"),
    ],
)
def test_when_a_voucher_is_taken(at: datetime, remaining: int, fault: str | None) -> None:
    assert voucher_fault(voucher(percent=10, remaining=remaining), at) == fault


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (99900, "INR", "INR 999.00"),
        (123456789, "INR", "INR 1,234,567.89"),
        (5, "INR", "INR 0.05"),
        (-150, "USD", "USD -1.50"),
        (5000, "JPY", "JPY 5,000"),
        (1234567, "KWD", "KWD 1,234.567"),
    ],
)
def test_amounts_are_written_in_whole_units(amount: int, currency: str, text: str) -> None:
    assert written(amount, currency) == text
