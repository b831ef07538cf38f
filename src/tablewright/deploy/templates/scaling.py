"""Scaling of provisioned units: what may grow, from where to where.

On-demand tables have nothing to scale. A target follows the load to keep the share of units in use
near :data:`UTILISATION`; it takes minutes, so sudden peaks still need what is provisioned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.model.table import Provisioned, Table

Side: TypeAlias = Literal["Read", "Write"]

UTILISATION = 70
#: Seconds between two changes; units can be lowered only a few times a day.
SCALE_OUT_AFTER = 60
SCALE_IN_AFTER = 300


@dataclass(frozen=True)
class Target:
    """Read or write units of a table, or of one of its indexes."""

    index: str | None
    side: Side
    least: int
    most: int

    @property
    def dimension(self) -> str:
        return f"dynamodb:{'table' if self.index is None else 'index'}:{self.side}CapacityUnits"

    @property
    def metric(self) -> str:
        return f"DynamoDB{self.side}CapacityUtilization"


def scalable(table: Table, scale: int) -> Iterator[Target]:
    """Everything of a table that may grow."""
    if not isinstance(table.billing, Provisioned) or scale <= 1:
        return
    yield from _sides(None, table.billing, scale)
    for index in table.indexes.values():
        own = index.billing or table.billing
        # A local index lives on the table's units.
        if not index.local and isinstance(own, Provisioned):
            yield from _sides(index.name, own, scale)


def _sides(index: str | None, billing: Provisioned, scale: int) -> Iterator[Target]:
    yield Target(index, "Read", billing.read_units, billing.read_units * scale)
    yield Target(index, "Write", billing.write_units, billing.write_units * scale)
