"""Effects that happen exactly once, although changes may be delivered more than once.

The effect and a mark that says "done for this change" are one transaction. If the change comes
again, the mark is there, the transaction is refused, and nothing happens a second time. This holds
for effects that are writes to the same database; an e-mail or a call to another service cannot be
taken back and is at least once: write it to an outbox here, and give it its own id there.
"""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, overload

from tablewright.client.context import Context
from tablewright.client.db import AsyncDb, Db
from tablewright.client.feed.change import Change
from tablewright.client.feed.entities import feed_entities
from tablewright.client.flows import flow_of
from tablewright.client.steps import Flow
from tablewright.model.errors import (
    AlreadyExists,
    ModelError,
    RequestError,
    TransactionCancelled,
)
from tablewright.model.making import put
from tablewright.model.ops import InTransaction, Transaction
from tablewright.model.table import Table

#: How long a mark is kept. A stream delivers a change for at most 24 hours.
KEEP = timedelta(days=2)


def once(
    consumer: str,
    change: Change,
    *ops: InTransaction[Any],
    marks: Table,
    keep: timedelta = KEEP,
) -> Transaction[tuple[object, ...]]:
    """The effect of a change as one transaction that can only succeed once.

    ``marks`` is a table with texts as keys and a time to live; the mark is the last member. A
    transaction holds 100 items, the mark among them.
    """
    done = feed_entities(marks).done
    if done is None:
        raise ModelError(f"table {marks.name} cannot hold marks: they need its ttl= to end")
    if keep <= timedelta(days=1):
        raise RequestError(f"a mark that is kept for {keep} may end before its change is forgotten")
    mark = done(consumer=consumer, event_id=change.event_id, expires_at=change.at + keep)
    return Transaction((*ops, put(mark).new()), pattern="feed_once")


@overload
def apply_once(
    db: Db,
    consumer: str,
    change: Change,
    *ops: InTransaction[Any],
    marks: Table,
    keep: timedelta = ...,
) -> bool: ...
@overload
def apply_once(
    db: AsyncDb,
    consumer: str,
    change: Change,
    *ops: InTransaction[Any],
    marks: Table,
    keep: timedelta = ...,
) -> Coroutine[Any, Any, bool]: ...
def apply_once(
    db: Db | AsyncDb,
    consumer: str,
    change: Change,
    *ops: InTransaction[Any],
    marks: Table,
    keep: timedelta = KEEP,
) -> bool | Coroutine[Any, Any, bool]:
    """Apply the effect of a change, unless that was done before: False then.

    Any other refusal is raised: a condition of the effect itself, for instance.
    """
    effect = once(consumer, change, *ops, marks=marks, keep=keep)
    return db.drive(applied(db.context, effect))


def applied(context: Context, effect: Transaction[tuple[object, ...]]) -> Flow[bool]:
    """Run what :func:`once` made; False if its mark was there already."""
    try:
        yield from flow_of(context, effect)
    except TransactionCancelled as cancelled:
        mark = len(effect.members) - 1
        # With the mark there, other members may well fail too: their effect is there as well.
        for each in cancelled.failures:
            if each.position == mark and isinstance(each.error, AlreadyExists):
                return False
        raise
    return True
