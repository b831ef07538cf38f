"""Every operation the engine offers, and what runs in the background.

A module of operations exports ``OPERATIONS``; if it keeps SQL tables of its own, ``SCHEMA``; if
something has to be taken up again when an engine opens, or swept regularly, ``start``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.engine import partiql
from tablewright.engine.backups import continuous, export, imports, recovery, restores, transfers
from tablewright.engine.backups import kept as backup_store
from tablewright.engine.backups import requests as backups
from tablewright.engine.expiry import sweep as expiry
from tablewright.engine.items import batches, transactions
from tablewright.engine.items import single as items
from tablewright.engine.queries import pages as reads
from tablewright.engine.streams import listing as stream_reads
from tablewright.engine.streams import reading as stream_records
from tablewright.engine.streams import recording as streams
from tablewright.engine.tables import backfill, create, policies, tags, update
from tablewright.engine.tables import listing as tables

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


class Operation(NamedTuple):
    """How one operation is answered: a read answers, a write returns its work.

    Where one operation does both (PartiQL), ``writes`` looks at the request.
    """

    handler: Callable[[Any, Any, Any], Any]
    writes: bool | Callable[[Any], bool]

    def reads(self, request: Any) -> bool:
        """Whether the handler answers this request itself."""
        writes = self.writes
        return not (writes if isinstance(writes, bool) else writes(request))


_MODULES = (
    create,
    update,
    tables,
    tags,
    policies,
    items,
    reads,
    batches,
    transactions,
    partiql,
    stream_reads,
    stream_records,
    expiry,
    continuous,
    backups,
    export,
    imports,
)

OPERATIONS: dict[str, Operation] = {
    name: Operation(handler, writes)
    for module in _MODULES
    for name, (handler, writes) in module.OPERATIONS.items()
}

#: The SQL tables that the modules above keep their own data in.
SCHEMA = "".join(
    module.SCHEMA for module in (transactions, streams, recovery, backup_store, transfers)
)


def start_background(engine: Engine) -> None:
    """Take up what was left unfinished, and start the regular sweeps."""
    for module in (backfill, stream_reads, expiry, continuous, backups, restores, export, imports):
        module.start(engine)
