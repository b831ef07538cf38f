"""Capacity units: AWS's rules as pure functions, and what a request uses table by table.

A write takes one unit for each KB begun of the larger of the old and the new item. A read takes
one unit for each 4 KB begun, half of it if it is only eventually consistent. Both take at least
one of their smallest steps. Transactions take twice as much of tables, and not of indexes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from types import MappingProxyType

KB = 1024
READ_BLOCK = 4 * KB
PAGE_BYTES = 1024 * KB
#: A transaction reads and writes tables at this many times the units; indexes it writes as usual.
TRANSACTION = 2


@dataclass(frozen=True)
class Place:
    """A table, or one of its indexes."""

    table: str
    index: str | None = None

    def __str__(self) -> str:
        return self.table if self.index is None else f"{self.table}/{self.index}"


def write_units(size: float) -> int:
    """Units to write one item of ``size`` bytes; to delete one that is not there: size 0."""
    return max(1, ceil(size / KB))


def read_units(size: float, consistent: bool = False) -> float:
    """Units to read ``size`` bytes in one go: one item, or one page of a query."""
    blocks = max(1, ceil(size / READ_BLOCK))
    return float(blocks) if consistent else blocks / 2


def page_units(sizes: Iterable[float], consistent: bool = False) -> float:
    """Units of a query or scan: sizes are summed, and rounded once for each page of 1 MB."""
    total, page = 0.0, 0.0
    full = False
    for size in sizes:
        page += size
        full = page >= PAGE_BYTES
        if full:
            total, page = total + read_units(page, consistent), 0.0
    # Also after a full page: only the next, empty one says that the end is reached.
    return total + read_units(page, consistent)


def batch_get_units(sizes: Iterable[float], consistent: bool = False) -> float:
    """Units of BatchGetItem: each item is rounded by itself."""
    return sum(read_units(size, consistent) for size in sizes)


def entry_units(before: float | None, after: float | None, *, moved: bool = False) -> int:
    """Units an index takes when its entry goes from one size to another; None is no entry.

    ``moved`` is another index key: the old entry is deleted and the new one put.
    """
    if before is None and after is None:
        return 0
    if moved and before is not None and after is not None:
        return write_units(before) + write_units(after)
    return write_units(max(before or 0, after or 0))


def _frozen(units: Mapping[Place, float]) -> Mapping[Place, float]:
    return MappingProxyType({place: used for place, used in units.items() if used})


@dataclass(frozen=True)
class Units:
    """What something uses, by table and index; places that are not used are left out."""

    read: Mapping[Place, float] = field(default_factory=dict)
    write: Mapping[Place, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", _frozen(self.read))
        object.__setattr__(self, "write", _frozen(self.write))

    def __add__(self, other: Units) -> Units:
        return Units(_sum(self.read, other.read), _sum(self.write, other.write))

    def __mul__(self, factor: float) -> Units:
        return Units(
            {place: used * factor for place, used in self.read.items()},
            {place: used * factor for place, used in self.write.items()},
        )

    def in_transaction(self) -> Units:
        """The same as part of a transaction."""
        return Units(
            {place: used * TRANSACTION for place, used in self.read.items()},
            {
                place: used * (TRANSACTION if place.index is None else 1)
                for place, used in self.write.items()
            },
        )

    @property
    def reads(self) -> float:
        return sum(self.read.values())

    @property
    def writes(self) -> float:
        return sum(self.write.values())

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(dict.fromkeys((*self.read, *self.write)))


def _sum(left: Mapping[Place, float], right: Mapping[Place, float]) -> dict[Place, float]:
    found = dict(left)
    for place, used in right.items():
        found[place] = found.get(place, 0.0) + used
    return found
