"""What counters and totals sum up, as plain numbers that are quick to add."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add, attrgetter, sub
from typing import NamedTuple, Protocol

from tablewright.systems.pricekeeper.spend import AMOUNTS


class Figures(NamedTuple):
    """The fields of :class:`~tablewright.systems.pricekeeper.spend.Amounts`, in their order."""

    cost_usd_picos: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    errors: int = 0
    unpriced: int = 0
    rev: int = 0

    def plus(self, other: Figures) -> Figures:
        return Figures._make(map(add, self, other))

    def minus(self, other: Figures) -> Figures:
        return Figures._make(map(sub, self, other))


NOTHING = Figures()


class Counted(Protocol):
    """What has amounts: a counter, a total, sums of ledger rows."""

    @property
    def cost_usd_picos(self) -> int: ...
    @property
    def input_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def cache_read_tokens(self) -> int: ...
    @property
    def cache_write_tokens(self) -> int: ...
    @property
    def requests(self) -> int: ...
    @property
    def errors(self) -> int: ...
    @property
    def unpriced(self) -> int: ...
    @property
    def rev(self) -> int: ...


_fields = attrgetter(*AMOUNTS)


def figures_of(counted: Counted) -> Figures:
    """The amounts of a counter, a total, or sums of ledger rows."""
    return Figures._make(_fields(counted))


def in_all(figures: Iterable[Figures]) -> Figures:
    """The sum."""
    columns = zip(*figures, strict=True)
    return Figures(*map(sum, columns))
