"""Every operation the engine offers, and what runs in the background.

A module of operations exports ``OPERATIONS``; if it keeps SQL tables of its own, ``SCHEMA``; if
something has to be taken up again when an engine opens, or swept regularly, ``start``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.engine import partiql, verify
from tablewright.engine.backups import (
    continuous,
    export,
    history,
    imports,
    kept,
    recovery,
    requests,
    restores,
    transfers,
)
from tablewright.engine.expiry import sweep
from tablewright.engine.items import batches, plain, single, transactions
from tablewright.engine.queries import pages
from tablewright.engine.queries import plain as plain_queries
from tablewright.engine.streams import listing as stream_listing
from tablewright.engine.streams import reading as stream_reading
from tablewright.engine.streams import recording as stream_recording
from tablewright.engine.tables import (
    backfill,
    create,
    listing,
    policies,
    replicas,
    tags,
    update,
)

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


class Operation(NamedTuple):
    """How one operation is answered: a read answers, a write returns its work.

    Where one operation does both (PartiQL), ``writes`` looks at the request. ``plain`` does what
    ``handler`` does for a request that it recognises, and answers None to all others.
    """

    handler: Callable[[Any, Any, Any], Any]
    writes: bool | Callable[[Any], bool]
    plain: Callable[[Any, Any, Any], Any] | None = None

    def reads(self, request: Any) -> bool:
        """Whether the handler answers this request itself."""
        writes = self.writes
        return not (writes if isinstance(writes, bool) else writes(request))


_MODULES = (
    create,
    update,
    listing,
    tags,
    policies,
    replicas,
    single,
    pages,
    batches,
    transactions,
    partiql,
    stream_listing,
    stream_reading,
    sweep,
    continuous,
    requests,
    export,
    imports,
    verify,
)

_PLAIN: dict[str, Callable[[Any, Any, Any], Any]] = {
    **plain.PLAIN,
    **plain_queries.PLAIN,
    **verify.PLAIN,
}

OPERATIONS: dict[str, Operation] = {
    name: Operation(handler, writes, _PLAIN.get(name))
    for module in _MODULES
    for name, (handler, writes) in module.OPERATIONS.items()
}

#: The SQL tables that the modules above keep their own data in.
SCHEMA = "".join(
    module.SCHEMA for module in (transactions, stream_recording, recovery, history, kept, transfers)
)


def start_background(engine: Engine) -> None:
    """Take up what was left unfinished, and start the regular sweeps."""
    for module in (
        backfill,
        stream_listing,
        sweep,
        continuous,
        requests,
        restores,
        export,
        imports,
        verify,
    ):
        module.start(engine)
