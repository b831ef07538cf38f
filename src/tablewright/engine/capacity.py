"""Capacity units, counted as AWS counts them.

A write costs one unit for each KB begun of the larger of the old and the new item, an index
write likewise for what the index holds; a changed index key is a removal and an insertion. A
read costs half a unit for each 4 KB begun, a whole one if consistent. Transactions cost double in
the table, and not in its indexes (measured against AWS by others).
"""

from __future__ import annotations

from typing import Any

from tablewright.engine.schema import Table

KB = 1024


def write_units(size: int) -> int:
    """Units to write ``size`` bytes; at least one."""
    return 1 if size <= KB else -(-size // KB)


def read_units(size: int, consistent: bool) -> float:
    """Units to read ``size`` bytes in one go; at least the smallest read."""
    blocks = 1 if size <= 4 * KB else -(-size // (4 * KB))
    return float(blocks) if consistent else blocks / 2


class Units:
    """What one request used of a table and of its indexes."""

    __slots__ = ("globals", "local", "table")

    def __init__(
        self,
        table: float = 0.0,
        local: dict[str, float] | None = None,
        globals_: dict[str, float] | None = None,
    ) -> None:
        self.table = table
        self.local: dict[str, float] = {} if local is None else local
        self.globals: dict[str, float] = {} if globals_ is None else globals_

    @property
    def total(self) -> float:
        return self.table + sum(self.local.values()) + sum(self.globals.values())

    def add(self, other: Units) -> None:
        self.table += other.table
        for mine, theirs in ((self.local, other.local), (self.globals, other.globals)):
            for name, units in theirs.items():
                mine[name] = mine.get(name, 0.0) + units

    def add_doubled(self, other: Units) -> None:
        """Add what a member of a transaction used."""
        if other.local or other.globals:
            self.add(other.doubled())
        else:
            self.table += other.table * 2

    def doubled(self) -> Units:
        """The same within a transaction: indexes cost there what they cost elsewhere."""
        return Units(self.table * 2, self.local, self.globals)


def wants_capacity(request: dict[str, Any]) -> bool:
    return bool(request.get("ReturnConsumedCapacity", "NONE") != "NONE")


def report(
    request: dict[str, Any], table: Table, units: Units, kind: str | None = None
) -> dict[str, object]:
    """The ConsumedCapacity entry for one table.

    ``kind`` ("Read" or "Write") adds the split figures that transactional APIs report.
    """
    entry = {"TableName": table.name, **_figures(units.total, kind)}
    if request.get("ReturnConsumedCapacity") == "INDEXES":
        entry["Table"] = _figures(units.table, kind)
        if units.local:
            entry["LocalSecondaryIndexes"] = _each(units.local, kind)
        if units.globals:
            entry["GlobalSecondaryIndexes"] = _each(units.globals, kind)
    return entry


def _each(units: dict[str, float], kind: str | None) -> dict[str, Any]:
    return {name: _figures(value, kind) for name, value in units.items()}


def _figures(units: float, kind: str | None) -> dict[str, Any]:
    figures: dict[str, Any] = {"CapacityUnits": float(units)}
    if kind is not None:
        figures[f"{kind}CapacityUnits"] = float(units)
    return figures
