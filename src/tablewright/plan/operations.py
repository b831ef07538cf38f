"""Operations that only a document describes: their units, from sizes and counts alone.

The same rules as for a model's calls (:mod:`units`), without items: what a document's capacity
section gives is a kind of request, a size, and how often it happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tablewright.plan.units import (
    TRANSACTION,
    Place,
    Units,
    batch_get_units,
    entry_units,
    page_units,
    read_units,
    write_units,
)

Kind = Literal["get", "batch_get", "query", "scan", "put", "update", "delete", "check"]
#: What a write does to an index's entry.
Change = Literal["none", "put", "change", "move", "delete"]

READS = frozenset({"get", "batch_get", "query", "scan"})
WRITES = frozenset({"put", "update", "delete", "check"})
CHANGES = frozenset({"none", "put", "change", "move", "delete"})


@dataclass(frozen=True)
class Entry:
    """One index, and what happens to the entry of the item in it."""

    change: Change
    size: float


@dataclass(frozen=True)
class Operation:
    """A request of a document, and how often it is made."""

    name: str
    kind: Kind
    table: str
    #: Calls in a month.
    calls: float
    #: Of one item: after the write, or as it is read.
    size: float
    #: Before the write; the same unless it is said.
    old_size: float | None = None
    #: Items that one call reads or writes.
    items: int = 1
    index: str | None = None
    consistent: bool = False
    transaction: bool = False
    #: The condition does not hold: paid for by the item that is there.
    refused: bool = False
    #: The item grows with each call by so many bytes, this often, and then starts anew.
    element_size: float = 0
    elements: int = 0
    indexes: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def units(self) -> Units:
        """Of one call; of the average call, if the item grows."""
        if self.kind in READS:
            return Units(read={Place(self.table, self.index): self._reads()})
        if not self.elements:
            return self._written(self.size)
        total = Units()
        for number in range(1, self.elements + 1):
            total += self._written(self.size + number * self.element_size)
        return total * (1 / self.elements)

    def _reads(self) -> float:
        sizes = [self.size] * self.items
        if self.transaction:
            return TRANSACTION * batch_get_units(sizes, consistent=True)
        if self.kind == "get":
            return self.items * read_units(self.size, self.consistent)
        if self.kind == "batch_get":
            return batch_get_units(sizes, self.consistent)
        return page_units(sizes, self.consistent)

    def _written(self, size: float) -> Units:
        factor = self.items * (TRANSACTION if self.transaction else 1)
        # A growing item was smaller before; any other had the size it has.
        old = size - self.element_size if self.old_size is None else self.old_size
        if self.refused or self.kind == "check":
            return Units(write={Place(self.table): factor * write_units(old)})
        used: dict[Place, float] = {Place(self.table): factor * write_units(max(size, old))}
        for name, entry in self.indexes.items():
            used[Place(self.table, name)] = self.items * _entry_units(entry)
        return Units(write=used)


def _entry_units(entry: Entry) -> int:
    if entry.change == "none":
        return 0
    before = None if entry.change == "put" else entry.size
    after = None if entry.change == "delete" else entry.size
    return entry_units(before, after, moved=entry.change == "move")
