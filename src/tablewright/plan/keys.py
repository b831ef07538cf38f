"""How calls spread over partition keys: how many keys there are, and how uneven they are.

Popularity follows Zipf's law: the key of rank r gets a share in proportion to 1 / r**exponent.
Exponent 0 is even. ``hottest``, the share of the first key, is another way to say the exponent.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import exp, log
from typing import Any, Literal, get_args, get_origin

from tablewright.model.fields import FieldDef
from tablewright.model.keys.parts import KeyPart

#: Keys that are looked at one by one; the others are a mass.
SINGLE = 10_000
#: Where nothing is said about a key whose components may be anything.
MANY = 1_000_000


@dataclass(frozen=True)
class KeySpread:
    """The partition keys of one template, and how the calls spread over them."""

    count: float = MANY
    zipf: float | None = None
    #: The share of the calls that go to the hottest key.
    hottest: float | None = None

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"there is at least one key, not {self.count}")
        if self.hottest is not None and not 0 < self.hottest <= 1:
            raise ValueError(f"hottest is a share between 0 and 1, not {self.hottest}")

    @property
    def exponent(self) -> float:
        if self.zipf is not None:
            return self.zipf
        if self.hottest is None or self.hottest * self.count <= 1:
            return 0.0
        return _exponent(self.hottest, self.count)

    def shares(self, ranks: int = SINGLE) -> list[float]:
        """The shares of the first keys, the hottest first."""
        number = int(min(ranks, self.count))
        if self.exponent == 0:
            return [1 / self.count] * number
        whole = harmonic(self.count, self.exponent)
        return [exp(-self.exponent * log(rank)) / whole for rank in range(1, number + 1)]

    @property
    def first(self) -> float:
        """The share of the hottest key."""
        return 1 / self.count if self.exponent == 0 else 1 / harmonic(self.count, self.exponent)


@lru_cache(4096)
def harmonic(count: float, exponent: float) -> float:
    """The sum of 1 / r**exponent: term by term at the start, where it bends, then as an area."""
    start = int(min(count, 1000))
    total: float = sum(float(rank) ** -exponent for rank in range(1, start + 1))
    if count <= start:
        return total
    low, high = start + 0.5, count + 0.5
    if abs(exponent - 1) < 1e-9:
        return total + log(high / low)
    power = 1 - exponent
    return float(total + (high**power - low**power) / power)


@lru_cache(4096)
def _exponent(hottest: float, count: float) -> float:
    """The exponent with which the first key has this share, by halving."""
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        if 1 / harmonic(count, middle) < hottest:
            low = middle
        else:
            high = middle
    return high


def key_count(parts: tuple[KeyPart, ...], fields: dict[str, FieldDef] | Any) -> float | None:
    """How many partition keys a template can have; None if its components may be anything."""
    count = 1.0
    for name in dict.fromkeys(name for part in parts for name in part.fields):
        values = _values(fields[name])
        if values is None:
            return None
        count *= values
    return count


def _values(field: FieldDef) -> int | None:
    annotation = field.annotation
    if get_origin(annotation) is Literal:
        return len(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return len(annotation)
    if annotation is bool:
        return 2
    if annotation is int:
        return _whole_numbers(field)
    return None


def _whole_numbers(field: FieldDef) -> int | None:
    low = high = None
    for mark in field.metadata:
        low = getattr(mark, "ge", low)
        high = getattr(mark, "le", high)
    return int(high - low) + 1 if low is not None and high is not None else None
