"""The prices of a model over time, and how far a new one is from an old one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from tablewright.systems.pricekeeper.config import Price, RegionClass, ServiceTier

#: A price that changes by more than this many percent is looked at by somebody first.
MOST_CHANGE = 50
#: From nothing to something: no percentage says how much that is.
FROM_NOTHING = 1000


class Rates(Protocol):
    """What a million tokens of each kind cost."""

    @property
    def input_price_usd_micros_per_1m(self) -> int: ...
    @property
    def output_price_usd_micros_per_1m(self) -> int: ...
    @property
    def cache_read_price_usd_micros_per_1m(self) -> int: ...
    @property
    def cache_write_price_usd_micros_per_1m(self) -> int: ...


class _Line(NamedTuple):
    """The prices of one class and tier, in the order in which they come into force."""

    moments: list[int]
    prices: list[Price]


class Timeline:
    """All prices of one model; what is true now and what was, at one reading."""

    def __init__(self, prices: Iterable[Price]) -> None:
        self.prices = tuple(sorted(prices, key=lambda price: price.effective_from))
        self._lines: dict[tuple[RegionClass, ServiceTier], _Line] = {}
        for price in self.prices:
            key = (price.region_class, price.service_tier)
            line = self._lines.setdefault(key, _Line([], []))
            line.moments.append(int(price.effective_from.timestamp()))
            line.prices.append(price)

    def __bool__(self) -> bool:
        return bool(self.prices)

    def at(self, region_class: RegionClass, service_tier: ServiceTier, epoch: int) -> Price | None:
        """The price in force at a moment; before the first one there is none."""
        line = self._lines.get((region_class, service_tier))
        place = bisect_right(line.moments, epoch) if line else 0
        return line.prices[place - 1] if line and place else None

    def current(self, epoch: int) -> tuple[Price, ...]:
        """The prices in force at a moment, of every class and tier."""
        lines = (self.at(*key, epoch) for key in self._lines)
        return tuple(price for price in lines if price is not None)

    def exactly(self, price: Price) -> Price | None:
        """The price that has the same place as another one."""
        moment = int(price.effective_from.timestamp())
        found = self.at(price.region_class, price.service_tier, moment)
        return found if found and found.effective_from == price.effective_from else None


def rates_of(priced: Rates) -> tuple[int, int, int, int]:
    return (
        priced.input_price_usd_micros_per_1m,
        priced.output_price_usd_micros_per_1m,
        priced.cache_read_price_usd_micros_per_1m,
        priced.cache_write_price_usd_micros_per_1m,
    )


def change_pct(old: Rates, new: Rates) -> int:
    """By how many percent the rate changes that changes most, rounded up."""
    return max(map(_change, rates_of(old), rates_of(new)))


def _change(old: int, new: int) -> int:
    if old == new:
        return 0
    return -(-abs(new - old) * 100 // old) if old else FROM_NOTHING
