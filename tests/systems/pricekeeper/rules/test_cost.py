"""Cost is exact: whole picos, rounded once, never guessed."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices
from tablewright.systems.pricekeeper.rules.cost import micros, picos, price_id, price_usage
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.samples import PRICED_FROM, RECORDS, price_of

_REQUEST = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"
_tokens = st.integers(0, 10**9)
_rates = st.integers(0, 10**12)


def _usage(**fields: Any) -> Usage:
    return Usage(_REQUEST, "premium", 1_794_744_000, **fields)


def _price(*rates: int) -> Price:
    names = ("input", "output", "cache_read", "cache_write")
    fields = {
        f"{name}_price_usd_micros_per_1m": rate for name, rate in zip(names, rates, strict=True)
    }
    return price_of("premium", PRICED_FROM).model_copy(update=fields)


@given(st.tuples(_tokens, _tokens, _tokens, _tokens), st.tuples(_rates, _rates, _rates, _rates))
def test_cost_is_the_exact_sum(tokens: tuple[int, ...], rates: tuple[int, ...]) -> None:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    usage = _usage(**dict(zip(names, tokens, strict=True)))
    dollars = sum(
        Decimal(count) * Decimal(rate) / 10**12 for count, rate in zip(tokens, rates, strict=True)
    )
    assert Decimal(picos(usage, _price(*rates))) == dollars * 10**12


@given(st.integers(-(10**24), 10**24))
def test_micros_are_rounded_half_to_even(amount: int) -> None:
    exact = Decimal(amount).scaleb(-6)
    assert micros(amount) == int(exact.to_integral_value(ROUND_HALF_EVEN))


@pytest.mark.parametrize(
    ("amount", "rounded"),
    [(500_000, 0), (1_500_000, 2), (2_500_000, 2), (500_001, 1), (-500_000, 0), (-1_500_000, -2)],
)
def test_halves(amount: int, rounded: int) -> None:
    assert micros(amount) == rounded


def test_scenario_18_a_million_small_calls_sum_up_exactly() -> None:
    (nova,) = (
        price
        for price in bundled_prices()
        if price.bedrock_model_id == "amazon.nova-micro-v1:0"
        and (price.region_class, price.service_tier) == ("region", "standard")
    )
    # 20 tokens in and 5 out: 0.0000014 USD, which is 1.4 micro-USD each.
    cost = picos(_usage(input_tokens=20, output_tokens=5), nova)
    assert cost == 1_400_000
    rows = sum(cost for _ in range(10**6))
    assert micros(rows) == 1_400_000
    # Rounding each row would have lost more than a quarter.
    assert sum(micros(cost) for _ in range(10**6)) == 1_000_000


def test_the_price_decides_and_the_caller_is_checked() -> None:
    price = price_of("premium", PRICED_FROM)
    priced = price_usage(_usage(input_tokens=1000), price)
    assert (priced.cost_picos, priced.source) == (3_000_000_000, "PRICE")
    assert priced.price_id == price_id(price) == "region#standard#2026-11-01T00:00:00Z"
    assert not priced.mismatch
    assert not price_usage(_usage(input_tokens=1000, cost_usd_micros=3000), price).mismatch
    forged = price_usage(_usage(input_tokens=1000, cost_usd_micros=1), price)
    assert (forged.cost_picos, forged.mismatch) == (3_000_000_000, True)


def test_without_a_price_the_caller_is_believed_or_nothing_is_reckoned() -> None:
    said = price_usage(_usage(input_tokens=1000, cost_usd_micros=7), None)
    assert (said.cost_picos, said.source, said.price_id) == (7_000_000, "CLIENT", None)
    unpriced = price_usage(_usage(input_tokens=1000), None)
    assert (unpriced.cost_picos, unpriced.source) == (0, "UNPRICED")


def test_rows_of_the_ledger_can_be_reckoned_again() -> None:
    row = RECORDS[0]
    assert picos(row, price_of(row.label, PRICED_FROM)) == row.cost_usd_picos


# --- the hash of a report ------------------------------------------------------------------------

_MORE: dict[str, Any] = {
    "status": "ERROR",
    "input_tokens": 1,
    "output_tokens": 1,
    "cache_read_tokens": 1,
    "cache_write_tokens": 1,
    "bedrock_model_id": "x",
    "region_class": "geo",
    "service_tier": "batch",
    "cost_usd_micros": 0,
}


def test_the_hash_differs_with_everything_that_was_said_of_the_usage() -> None:
    made = [_usage(), *(_usage(**{name: value}) for name, value in _MORE.items())]
    made += [Usage(_REQUEST, "economy", 1_794_744_000), Usage(_REQUEST, "premium", 1)]
    hashes = {usage.payload_hash() for usage in made}
    assert len(hashes) == len(made)
    assert {len(each) for each in hashes} == {16}


def test_the_hash_says_nothing_of_the_id_and_of_who_pays() -> None:
    other = Usage("0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c56", "premium", 1_794_744_000)
    promised = _usage(reservation_id="1.2.3")
    assert _usage().payload_hash() == other.payload_hash() == promised.payload_hash()


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_text_can_pass_for_two_fields(label: str, model: str) -> None:
    one = Usage(_REQUEST, label, 0, bedrock_model_id=model)
    for cut in range(1, len(model)):
        other = Usage(_REQUEST, label + model[:cut], 0, bedrock_model_id=model[cut:])
        assert one.payload_hash() != other.payload_hash()


def test_the_hash_is_the_same_in_every_process_and_release() -> None:
    # A change of it would make every repeat across an upgrade a conflict.
    usage = _usage(input_tokens=20, output_tokens=5, service_tier="batch")
    assert usage.payload_hash().hex() == "58693d51bd1091ed772676e9ac27d64e"
