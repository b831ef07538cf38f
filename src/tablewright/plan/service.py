"""What requests to DynamoDB would answer and use, worked out on given contents.

Expressions are evaluated with :mod:`tablewright.expressions`, so the items before and after a
write are exact, and with them its units. The requests are those that the model makes, hence
well-formed; :mod:`reading` and :mod:`writing` handle them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.expressions import Scope
from tablewright.model.table import Table
from tablewright.plan.contents import Contents
from tablewright.plan.entries import Sizes, own_size
from tablewright.plan.units import Place, Units
from tablewright.values import Item

Body: TypeAlias = dict[str, Any]
#: The values of a partition key's attributes.
Partition: TypeAlias = tuple[str, ...]


class Refused(Exception):
    """A condition did not hold. What the attempt used has been counted."""


class Service:
    """Contents that requests read and change, and what they have used so far."""

    def __init__(self, contents: Contents, size: Sizes = own_size) -> None:
        self.contents = contents
        self.used = Units()
        self.size = size
        #: The same by partition key, given as the texts of its attributes; none is a scan.
        self.partitions: dict[tuple[Place, Partition], Units] = {}
        #: Of queries and scans: items evaluated, and their bytes.
        self.rows = 0
        self.bytes = 0

    def table(self, name: str) -> Table:
        return self.contents.tables[name]

    def size_of(self, table: str, item: Item | None) -> int:
        """Bytes of an item; 0 if there is none."""
        return 0 if item is None else self.size(self.table(table), item)

    def use_read(self, place: Place, units: float, key: Item | None) -> None:
        """Count a read of the partition that ``key`` is in; of all, if there is none."""
        self._use(place, Units(read={place: units}), key)

    def use_write(self, place: Place, units: float, item: Item) -> None:
        """Count a write of ``item``."""
        self._use(place, Units(write={place: units}), item)

    def _use(self, place: Place, units: Units, key: Item | None) -> None:
        self.used += units
        where = (place, () if key is None else self._partition(place, key))
        self.partitions[where] = self.partitions.get(where, Units()) + units

    def _partition(self, place: Place, key: Item) -> Partition:
        table = self.table(place.table)
        parts = (table.pk,) if place.index is None else table.indexes[place.index].partition
        return tuple(str(key[each.name][each.type]) for each in parts if each.name in key)


def scope_of(body: Body) -> Scope:
    """The placeholders of a request."""
    return Scope(body.get("ExpressionAttributeNames"), body.get("ExpressionAttributeValues"))
