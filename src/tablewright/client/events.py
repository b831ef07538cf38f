"""The one hook: an event per request, for logs, metrics and the comparison with the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tablewright.values import Item


@dataclass(frozen=True)
class Consumed:
    """Capacity units that a request used in one table or index."""

    table: str
    index: str | None
    read_units: float
    write_units: float


@dataclass(frozen=True)
class RequestEvent:
    """One request, after its last attempt."""

    #: The pattern's name, or "adhoc".
    pattern: str
    component: str | None
    operation: str
    #: The logical name of the table; of the first one, if there are several.
    table: str | None
    index: str | None
    #: From the first attempt to the last, waits included.
    seconds: float
    attempts: int
    #: Bytes of the bodies; 0 in process.
    sent: int
    received: int
    #: AWS's code, or the class of what went wrong; None if nothing did.
    error: str | None
    consumed: tuple[Consumed, ...] = field(default_factory=tuple)
    #: AWS's code of every attempt that failed; the reasons instead, of a cancelled transaction.
    failures: tuple[str, ...] = ()
    #: The keys of items that other transactions were writing at the same time, for each attempt.
    clashes: tuple[Item, ...] = ()

    @property
    def read_units(self) -> float:
        """Of all tables and indexes."""
        return sum(each.read_units for each in self.consumed)

    @property
    def write_units(self) -> float:
        """Of all tables and indexes."""
        return sum(each.write_units for each in self.consumed)


_READS = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"})


def consumed_units(operation: str, body: dict[str, Any]) -> tuple[Consumed, ...]:
    """What the response says was used, table by table and index by index."""
    told = body.get("ConsumedCapacity")
    if told is None:
        return ()
    reports: Iterable[dict[str, Any]] = told if isinstance(told, list) else (told,)
    reads = operation in _READS
    found: list[Consumed] = []
    for report in reports:
        table = report.get("TableName", "")
        parts = [(None, report.get("Table"))]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            parts += (report.get(kind) or {}).items()
        if not any(part for _, part in parts):
            parts = [(None, report)]
        for index, part in parts:
            if part:
                units = float(part.get("CapacityUnits", 0.0))
                found.append(
                    Consumed(table, index, units if reads else 0.0, 0.0 if reads else units)
                )
    return tuple(found)
