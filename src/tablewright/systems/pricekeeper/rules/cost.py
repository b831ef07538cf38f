"""What usage costs, exactly: whole picos (10^-12 USD) inside, rounded once where people see it.

A price is micro-USD for a million tokens, so a token costs that many picos: the sum of tokens
times prices is a whole number and nothing is ever lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal, Protocol

from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.rules.usage import Usage

PICOS = 1_000_000
"""In a micro-USD."""


class Tokens(Protocol):
    """What has token counts: a report, a row of the ledger, a sum."""

    @property
    def input_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def cache_read_tokens(self) -> int: ...
    @property
    def cache_write_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Priced:
    """What a report costs, and how that is known."""

    cost_picos: int
    source: Literal["PRICE", "CLIENT", "UNPRICED"]
    #: The sort key of the price; None without one.
    price_id: str | None = None
    #: The caller reckoned something else.
    mismatch: bool = False


def picos(tokens: Tokens, price: Price) -> int:
    """The cost of tokens at a price."""
    return (
        tokens.input_tokens * price.input_price_usd_micros_per_1m
        + tokens.output_tokens * price.output_price_usd_micros_per_1m
        + tokens.cache_read_tokens * price.cache_read_price_usd_micros_per_1m
        + tokens.cache_write_tokens * price.cache_write_price_usd_micros_per_1m
    )


def micros(amount: int) -> int:
    """Picos as micro-USD, half to even; round sums, never their parts."""
    whole, rest = divmod(amount, PICOS)
    half = PICOS // 2
    return whole + (rest > half or (rest == half and whole % 2 == 1))


def price_id(price: Price) -> str:
    """The sort key of a price, which names it for good."""
    return f"{price.region_class}#{price.service_tier}#{iso_seconds(price.effective_from)}"


@lru_cache(maxsize=4096)
def iso_seconds(moment: datetime) -> str:
    """``2026-11-01T00:00:00Z`` of a moment in UTC."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def price_usage(usage: Usage, price: Price | None) -> Priced:
    """What a report costs: at the price, else as the caller says, else nothing. Never a guess."""
    claimed = usage.cost_usd_micros
    if price is not None:
        cost = picos(usage, price)
        return Priced(
            cost, "PRICE", price_id(price), claimed is not None and claimed != micros(cost)
        )
    if claimed is not None:
        return Priced(claimed * PICOS, "CLIENT")
    return Priced(0, "UNPRICED")
