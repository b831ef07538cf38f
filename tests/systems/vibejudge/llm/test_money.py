"""Prices, costs and estimates: exact, rounded up, and never without a price."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm.models import BEDROCK
from tablewright.systems.vibejudge.rules.estimates import estimate
from tablewright.systems.vibejudge.rules.rates import (
    BadRates,
    Rate,
    TokenUsage,
    UnknownModel,
    bundled_rates,
    cost_of,
    rates_of,
    read_rates,
    usd,
)

TODAY = date(2026, 11, 15)
COUNTS = st.integers(0, 10_000_000)
USAGES = st.builds(TokenUsage, COUNTS, COUNTS, COUNTS, COUNTS)
RATES = st.sampled_from(bundled_rates().known())
ROW = """
[[rates]]
model_id = "local"
provider = "openai"
effective_from = 2026-01-01
input = "0"
output = "0"
cache_read = "0"
cache_write = "0"
source = "runs here"
"""


@given(USAGES, RATES)
def test_a_cost_is_rounded_up_to_a_billionth(usage: TokenUsage, rate: Rate) -> None:
    exact = (
        Fraction(rate.input) * usage.input
        + Fraction(rate.output) * usage.output
        + Fraction(rate.cache_read) * usage.cache_read
        + Fraction(rate.cache_write) * usage.cache_write
    )
    cost = cost_of(usage, rate)
    assert 0 <= Fraction(cost.total) - exact < Fraction(3, 10**9)
    assert cost.total == cost.input + cost.output + cost.cache
    for part in (cost.input, cost.output, cost.cache, cost.total):
        assert part == part.quantize(Decimal("0.000000001"))


@given(st.decimals(0, 10_000, places=15))
def test_an_amount_is_the_next_billionth(amount: Decimal) -> None:
    rounded = usd(amount)
    assert 0 <= rounded - amount < Decimal("0.000000001")


def test_a_token_costs_a_billionth_at_least() -> None:
    rate = bundled_rates().rate("amazon.nova-micro-v1:0", "standard", TODAY)
    assert cost_of(TokenUsage(cache_read=1), rate).cache == Decimal("0.000000009")  # of 8.75
    assert cost_of(TokenUsage(), rate).total == 0


@given(st.integers(0, 2_000_000), st.integers(1, 5000), RATES, st.integers(0, 100))
def test_an_estimate_is_no_less_than_what_it_may_cost(
    size: int, most: int, rate: Rate, fewer: int
) -> None:
    told = estimate(size, most, rate)
    assert told.usage.input * 3 >= size > (told.usage.input - 1) * 3 or size == 0
    used = TokenUsage(max(0, told.usage.input - fewer), max(0, most - fewer))
    assert cost_of(used, rate).total <= told.amount


# --- the file ------------------------------------------------------------------------------------


def test_every_usual_model_has_a_price() -> None:
    for agent in ALL_AGENTS:
        assert bundled_rates().rate(BEDROCK[agent].model_id, "standard", TODAY).input > 0


def test_prices_are_those_of_the_lists() -> None:
    per_million = {
        (row.model_id, row.service_tier): (row.input * 10**6, row.output * 10**6)
        for row in bundled_rates().known()
    }
    assert per_million["amazon.nova-lite-v1:0", "standard"] == (Decimal("0.06"), Decimal("0.24"))
    sonnet = "us.anthropic.claude-sonnet-4-20250514-v1:0"
    assert per_million[sonnet, "standard"] == (3, 15)


def test_every_price_has_its_source_and_what_is_cached_is_no_dearer_to_read() -> None:
    for row in bundled_rates().known():
        assert row.source.startswith("https://")
        assert 0 < row.cache_read <= row.input <= row.output
        assert row.cache_write >= row.input


def test_a_price_holds_from_its_day_on() -> None:
    later = ROW.replace("2026-01-01", "2026-06-01").replace('input = "0"', 'input = "0.000001"')
    rates = read_rates('dated = "2026-06-01"\n' + ROW + later)
    assert rates.rate("local", "standard", date(2026, 5, 31)).input == 0
    assert rates.rate("local", "standard", date(2026, 6, 1)).input == Decimal("0.000001")
    with pytest.raises(UnknownModel):
        rates.rate("local", "standard", date(2025, 12, 31))


def test_an_operator_adds_prices_of_their_own(tmp_path: Path) -> None:
    own = tmp_path / "rates.toml"
    own.write_text('dated = "2026-11-01"\n' + ROW)
    rates = rates_of(own)
    assert rates.rate("local", "standard", TODAY).input == 0
    assert rates.rate("amazon.nova-lite-v1:0", "standard", TODAY).input == Decimal("0.00000006")
    assert rates.version == f"{bundled_rates().version}+2026-11-01"
    assert rates_of(None) is bundled_rates()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dated", "no TOML"),
        ("rates = []", "dated"),
        ('dated = "2026-11-01"\n' + ROW.replace('input = "0"', 'input = "-1"'), "rates.0.input"),
        ('dated = "2026-11-01"\n' + ROW.replace('input = "0"', 'input = "NaN"'), "rates.0.input"),
        ('dated = "2026-11-01"\n' + ROW.replace('source = "runs here"', ""), "rates.0.source"),
        ('dated = "2026-11-01"\n' + ROW + ROW, "two prices"),
        ('dated = "2026-11-01"\n' + ROW + 'colour = "red"', "rates.0.colour"),
    ],
)
def test_a_bad_file_says_what_is_wrong(text: str, told: str, tmp_path: Path) -> None:
    bad = tmp_path / "rates.toml"
    bad.write_text(text)
    with pytest.raises(BadRates, match=told) as error:
        rates_of(bad)
    assert str(bad) in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadRates, match="cannot be read"):
        rates_of(tmp_path / "nothing.toml")
