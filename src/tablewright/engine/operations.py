"""Every operation the engine offers, and what runs in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.engine import (
    batches,
    create,
    items,
    reads,
    recovery,
    stream_reads,
    streams,
    tables,
    transactions,
)

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


class Operation(NamedTuple):
    """How one operation is answered: a read answers, a write returns its work."""

    handler: Callable[[Any, Any, Any], Any]
    writes: bool


_MODULES = (create, tables, items, reads, batches, transactions, stream_reads)

OPERATIONS: dict[str, Operation] = {
    name: Operation(handler, writes)
    for module in _MODULES
    for name, (handler, writes) in module.OPERATIONS.items()
}

#: The SQL tables that the modules above keep their own data in.
SCHEMA = "".join(module.SCHEMA for module in (transactions, streams, recovery))


def start_background(engine: Engine) -> None:
    """Take up what was left unfinished, and start the regular sweeps."""
