"""What a work sees of the database while it has its turn.

A *work* is a function of a :class:`Transaction`: it reads, decides, raises (before it has changed
anything) or changes. ``commits`` runs works in groups, and runs them again if their group fails: a
work must not change anything but the database, except by :meth:`Transaction.after_commit`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.engine.errors import AwsError
from tablewright.expressions import ExpressionError
from tablewright.values import InvalidValue

if TYPE_CHECKING:
    import apsw

    from tablewright.engine.realism.lag import Lag

#: Errors that are answers: the caller did something the service refuses.
ANSWERS = (AwsError, ExpressionError, InvalidValue)


class Transaction:
    """The writing side of one group; works change the database only through it."""

    __slots__ = ("after", "at_once", "changes", "counts", "execute", "lag", "now")

    def __init__(
        self,
        connection: apsw.Connection,
        now: float,
        lag: Lag | None = None,
        cursor: apsw.Cursor | None = None,
    ) -> None:
        self.execute: Callable[..., Any] = connection.execute
        #: the same, cheaper, for a statement whose rows are taken before the next one is run:
        #: all of these share one cursor
        self.at_once: Callable[..., Any] = (cursor or connection).execute
        #: what keeps stale copies for some readers, if that is asked for
        self.lag = lag
        #: the moment this group is written, in seconds since the epoch
        self.now = now
        #: how often something was changed; a work that raises must not have changed anything
        self.changes = 0
        #: physical table or index number -> [items, bytes] to add to its counts
        self.counts: dict[int, list[int]] = {}
        #: what is to be done after the commit
        self.after: list[Callable[[], object]] = []

    def after_commit(self, action: Callable[[], object]) -> None:
        """Run ``action`` once this is durable, before any later work; ends the group."""
        self.after.append(action)

    def count(self, number: int, items: int, size: int) -> None:
        """Add to the item count and byte size of a table or index."""
        if not items and not size:
            return
        entry = self.counts.get(number)
        if entry is None:
            self.counts[number] = [items, size]
        else:
            entry[0] += items
            entry[1] += size


Work: TypeAlias = Callable[[Transaction], Any]
