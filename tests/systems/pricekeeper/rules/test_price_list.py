"""Prices: over time, of the table that ships, and as AWS's list tells them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.pricekeeper.settings.price_list import SINCE, Book

from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices, model_names
from tablewright.systems.pricekeeper.rules.price_list import (
    OFFERS,
    Listed,
    PriceListError,
    read_offers,
    use_of,
)
from tablewright.systems.pricekeeper.rules.timeline import (
    FROM_NOTHING,
    Timeline,
    change_pct,
    rates_of,
)
from tablewright.systems.pricekeeper.samples import NOW, PRICED_FROM, price_of

_HOUR = timedelta(hours=1)


# --- over time -----------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 100), unique=True), st.integers(-5, 105))
def test_the_price_is_the_newest_one_in_force(hours: list[int], at: int) -> None:
    prices = [price_of("premium", NOW + _HOUR * hour, percent=100 + hour) for hour in hours]
    found = Timeline(prices).at("region", "standard", int((NOW + _HOUR * at).timestamp()))
    before = [hour for hour in hours if hour <= at]
    assert found == (prices[hours.index(max(before))] if before else None)


def test_other_classes_and_tiers_have_prices_of_their_own() -> None:
    price = price_of("premium", PRICED_FROM)
    line = Timeline([price, price.model_copy(update={"region_class": "geo"})])
    now = int(NOW.timestamp())
    assert line.at("region", "batch", now) is None
    assert line.at("global", "standard", now) is None
    assert {each.region_class for each in line.current(now)} == {"region", "geo"}
    assert line.exactly(price) is price
    assert line.exactly(price_of("premium", PRICED_FROM + _HOUR)) is None
    assert not Timeline([])


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [(100, 100, 0), (100, 150, 50), (100, 151, 51), (100, 49, 51), (1000, 1001, 1), (3, 4, 34)],
)
def test_how_far_a_price_is_from_another(old: int, new: int, change: int) -> None:
    made = [price_of("premium", NOW).model_copy(update={_INPUT: each}) for each in (old, new)]
    assert change_pct(*made) == change


_INPUT = "input_price_usd_micros_per_1m"


def test_from_nothing_to_something_is_far() -> None:
    free = price_of("premium", NOW).model_copy(update={"cache_write_price_usd_micros_per_1m": 0})
    paid = free.model_copy(update={"cache_write_price_usd_micros_per_1m": 1})
    assert change_pct(free, paid) == FROM_NOTHING
    assert change_pct(paid, free) == 100


# --- the table that ships ------------------------------------------------------------------------


def test_the_table_names_every_price_once_and_where_it_comes_from() -> None:
    rows = bundled_prices()
    keys = {(r.bedrock_model_id, r.region_class, r.service_tier, r.effective_from) for r in rows}
    assert len(keys) == len(rows) > 30
    assert len({row.family for row in rows}) >= 3
    for row in rows:
        assert row.source == "BUNDLED"
        assert "https://" in row.description
        assert row.effective_from <= row.fetched_at_epoch
        assert 0 < row.input_price_usd_micros_per_1m <= row.output_price_usd_micros_per_1m
        assert row.cache_read_price_usd_micros_per_1m < row.input_price_usd_micros_per_1m


def test_a_batch_costs_half_and_a_region_a_tenth_more_where_requests_may_travel() -> None:
    line = Timeline([r for r in bundled_prices() if "sonnet-4-5" in r.bedrock_model_id])
    now = int(NOW.timestamp())
    world, region, batch = (
        next(p for p in line.current(now) if (p.region_class, p.service_tier) == key)
        for key in (("global", "standard"), ("region", "standard"), ("region", "batch"))
    )
    assert rates_of(world) == (3_000_000, 15_000_000, 300_000, 3_750_000)
    assert [10 * each for each in rates_of(region)] == [11 * each for each in rates_of(world)]
    assert 2 * batch.output_price_usd_micros_per_1m == region.output_price_usd_micros_per_1m


# --- what AWS's list says ------------------------------------------------------------------------


def full_book() -> Book:
    """Two models as the list has them, and much that is not to be taken for their prices."""
    book = Book()
    name, usage = "Nova Lite", "NovaLite"
    book.own(name, f"{usage}-input-tokens", "Input tokens", "0.0000600000")
    book.own(name, f"{usage}-output-tokens", "Output tokens", "0.0002400000")
    book.own(name, f"{usage}-cache-read-input-token-count", "Input tokens", "0.0000150000")
    book.own(name, f"{usage}-cache-write-input-token-count", "Input tokens", "0.0000000000")
    book.own(name, f"{usage}-input-tokens-batch", "Input tokens", "0.0000300000")
    book.own(name, f"{usage}-output-tokens-batch", "Output tokens", "0.0001200000")
    book.own(name, f"{usage}-input-tokens-flex", "Input tokens flex", "0.0000300000")
    book.own(name, f"{usage}-output-tokens-flex", "Output tokens flex", "0.0001200000")
    book.own(name, f"{usage}-input-tokens-custom-model", "Input tokens", "0.9")
    book.own(name, f"{usage}-Customization", "Input tokens", "0.9", feature="Model Customization")
    book.own(name, f"{usage}-ProvisionedThroughput-ModelUnits", "", "0.9", feature="Provisioned")
    book.own(name, f"{usage}-latency-optimized-input-tokens", "Input tokens", "0.9")
    book.own("Nova Canvas", "NovaCanvas-T2I-1024-Standard", "T2I 1024 Standard", "0.04")
    book.own("Nova Future", "NovaFuture-input-tokens", "Input tokens", "0.0001")
    name = "Claude Sonnet 4.5"
    for tail, times in (("", 11), ("_Global", 10)):
        book.marketplace(name, f"InputTokenCount{tail}", f"{0.3 * times:.10f}")
        book.marketplace(name, f"OutputTokenCount{tail}", f"{1.5 * times:.10f}")
        book.marketplace(name, f"CacheReadInputTokenCount{tail}", f"{0.03 * times:.10f}", "Units")
        book.marketplace(name, f"CacheWriteInputTokenCount{tail}", f"{0.375 * times:.10f}")
        book.marketplace(name, f"CacheWrite1hInputTokenCount{tail}", "9.9")
        book.marketplace(name, f"InputTokenCount{tail}_Batch", f"{0.15 * times:.10f}")
        book.marketplace(name, f"OutputTokenCount{tail}_Batch", f"{0.75 * times:.10f}")
        book.marketplace(name, f"InputTokenCount_LCtx{tail}", "9.9")
    book.marketplace(name, "Reserved_1Month_InputTPM_Geo", "9.9")
    book.marketplace(name, "ProvisionedThroughput_NoCommit_ModelUnits", "9.9")
    return book


def listed(book: Book) -> Listed:
    return read_offers(book.documents, model_names(), book.region, NOW)


def by_key(found: Listed) -> dict[tuple[str, str, str], Price]:
    return {(p.bedrock_model_id, p.region_class, p.service_tier): p for p in found.prices}


def test_the_list_says_what_the_bundled_table_says() -> None:
    found = listed(full_book())
    assert found.skipped == []
    bundled = {
        (p.bedrock_model_id, p.region_class, p.service_tier): rates_of(p) for p in bundled_prices()
    }
    rates = {key: rates_of(price) for key, price in by_key(found).items()}
    nova, sonnet = "amazon.nova-lite-v1:0", "anthropic.claude-sonnet-4-5-20250929-v1:0"
    assert {key for key in rates if key[2] == "flex"} == {
        (nova, "geo", "flex"),
        (nova, "region", "flex"),
    }
    for key in bundled:
        if key[0] in (nova, sonnet):
            assert rates[key] == bundled[key], key
    assert len(rates) == 4 + 2 + 6
    for price in found.prices:
        assert price.source == "PRICE_LIST"
        assert (price.effective_from, price.fetched_at_epoch) == (
            datetime.fromisoformat(SINCE),
            NOW,
        )


def test_usage_types_of_later_models_are_understood() -> None:
    said = {"servicename": "Claude X (Amazon Bedrock Edition)"}
    for text, use in (
        ("input_tokens_standard", (("geo", "region"), "standard", "input")),
        ("output_tokens_global_standard", (("global",), "standard", "output")),
        ("cache_read_tokens_global_batch", (("global",), "batch", "cache_read")),
        ("cache_write_tokens_standard", (("geo", "region"), "standard", "cache_write")),
        ("cache_write_tokens_1h_standard", None),
        ("MillionBatchInputTokens", (("geo", "region"), "batch", "input")),
        ("output_tokens_priority", (("geo", "region"), "priority", "output")),
        ("created_image", None),
        ("search_units", None),
    ):
        assert use_of({**said, "usagetype": f"USE1-MP:USE1_{text}-Units"}) == use, text


def _told(found: Listed) -> str:
    (text,) = found.skipped[-1:]
    return text


def test_a_price_that_is_not_complete_or_not_clear_is_left_and_told() -> None:
    book = Book()
    book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", "0.0008")
    assert listed(book).prices == []
    assert "no output rate" in _told(listed(book))
    book.own("Nova Pro", "NovaPro-output-tokens", "Output tokens", "0.0032")
    assert len(listed(book).prices) == 2
    book.own("Nova Pro", "NovaPro-output-tokens", "Output tokens", "0.0032")
    assert len(listed(book).prices) == 2
    book.own("Nova Pro", "NovaPro-output-tokens", "Output tokens", "0.0033")
    assert listed(book).prices == []
    assert "two output rates" in _told(listed(book))


@pytest.mark.parametrize("dollars", ["0.00000000012345", "-1", "NaN", "free", "Infinity"])
def test_a_rate_that_cannot_be_exact_is_left(dollars: str) -> None:
    book = Book()
    book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", dollars)
    book.own("Nova Pro", "NovaPro-output-tokens", "Output tokens", "0.0032")
    assert listed(book).prices == []
    assert "cannot be read exactly" in _told(listed(book))


def test_rates_by_quantity_and_in_other_units_are_left() -> None:
    for change in ({"unit": "hour"}, {"unit": "Units"}):
        book = Book()
        book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", "0.0008")
        _dimension(book).update(change)
        assert "input rate cannot" in _told(listed(book))
    book = Book()
    book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", "0.0008")
    (term,) = _terms(book)
    term["priceDimensions"]["more"] = _dimension(book)
    assert "input rate cannot" in _told(listed(book))


def _terms(book: Book) -> list[dict[str, Any]]:
    on_demand = book.documents["AmazonBedrock"]["terms"]["OnDemand"]
    return [term for terms in on_demand.values() for term in terms.values()]


def _dimension(book: Book) -> dict[str, Any]:
    (found,) = _terms(book)[0]["priceDimensions"].values()
    dimension: dict[str, Any] = found
    return dimension


def test_prices_of_another_region_are_not_ours() -> None:
    book = Book("eu-north-1")
    book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", "0.0008")
    assert read_offers(book.documents, model_names(), "us-east-1", NOW) == Listed([], [])


def test_a_document_of_another_form_is_an_error() -> None:
    for document in ({}, {"products": {}}, {"products": {"a": {}}, "terms": {}}, {"products": 1}):
        with pytest.raises(PriceListError):
            read_offers({OFFERS[0]: document}, model_names(), "us-east-1", NOW)
    broken = full_book()
    _terms(broken)[0].pop("effectiveDate")
    with pytest.raises(PriceListError):
        listed(broken)


def test_every_name_of_the_list_leads_to_one_model() -> None:
    assert len({row["bedrock_model_id"] for row in model_names().values()}) == len(model_names())
    assert datetime(2020, 1, 1, tzinfo=UTC) < bundled_prices()[0].fetched_at_epoch
