"""The price table that ships with the program: list prices, dated, each with its source."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TypedDict

import orjson

from tablewright.systems.pricekeeper.config import Price, RegionClass, ServiceTier


class Row(TypedDict):
    """A row of the table."""

    bedrock_model_id: str
    region_class: RegionClass
    service_tier: ServiceTier
    effective_from: str
    input: int
    output: int
    cache_read: int
    cache_write: int
    family: str
    #: What the price list calls the model.
    name: str
    #: Where the figures were read.
    source: str


class _Table(TypedDict):
    dated: str
    prices: list[Row]


@cache
def _table() -> _Table:
    text = files("tablewright.systems.pricekeeper.rules").joinpath("prices.json").read_bytes()
    table: _Table = orjson.loads(text)
    return table


def bundled_date() -> datetime:
    """Return the day as of which the table was compiled."""
    return datetime.fromisoformat(_table()["dated"]).replace(tzinfo=UTC)


@cache
def bundled_prices() -> tuple[Price, ...]:
    """All rows, as they are stored. The same in every process: storing them twice is harmless."""
    dated = bundled_date()
    return tuple(_price(row, dated) for row in _table()["prices"])


@cache
def model_names() -> dict[str, Row]:
    """A row of each model by what the price list calls it, in small letters."""
    return {row["name"].lower(): row for row in _table()["prices"]}


def _price(row: Row, dated: datetime) -> Price:
    return Price(
        bedrock_model_id=row["bedrock_model_id"],
        region_class=row["region_class"],
        service_tier=row["service_tier"],
        effective_from=datetime.fromisoformat(row["effective_from"]),
        input_price_usd_micros_per_1m=row["input"],
        output_price_usd_micros_per_1m=row["output"],
        cache_read_price_usd_micros_per_1m=row["cache_read"],
        cache_write_price_usd_micros_per_1m=row["cache_write"],
        source="BUNDLED",
        family=row["family"],
        description=f"{row['name']}, {row['source']} as of {dated:%Y-%m-%d}",
        fetched_at_epoch=dated,
    )
