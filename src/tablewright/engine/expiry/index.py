"""Time to live, the writing side: an index over the moments at which items expire.

A table with TTL has a SQL table ``e<number>`` of (expires, pk, sk), kept in step by every write,
so that finding what is due costs what is due and never a scan. ``sweep`` offers the operations
and removes what has expired.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.engine.schema import Key, Table
    from tablewright.engine.storage.transaction import Transaction

#: Numbers beyond this are not moments, and would not fit the index.
_LAST_MOMENT = 1 << 53
#: Digits of a number that is surely below that.
_SHORT = 16


def reindex(
    transaction: Transaction,
    table: Table,
    key: Key,
    old: Item | None,
    new: Item | None,
) -> None:
    """Keep the expiry index in step with one change of an item."""
    was = expires(old, table.ttl)
    now = expires(new, table.ttl)
    if was == now:
        # Not yet indexed rows (TTL was switched on a moment ago) are found by the backfill.
        return
    transaction.changes += 1
    if was is not None:
        transaction.at_once(
            f"DELETE FROM e{table.number} WHERE expires=? AND pk=? AND sk=?", (was, *key)
        )
    if now is not None:
        add(transaction, table, key, now)


def add(transaction: Transaction, table: Table, key: Key, moment: int) -> None:
    """Enter one item; does nothing if it is there already."""
    transaction.changes += 1
    transaction.at_once(
        f"INSERT OR IGNORE INTO e{table.number} (expires, pk, sk) VALUES (?, ?, ?)", (moment, *key)
    )


def expires(item: Item | None, attribute: str | None) -> int | None:
    """The second at which ``item`` expires; None if it never does."""
    if item is None or attribute is None:
        return None
    text = item.get(attribute, {}).get("N")
    if text is None:
        return None
    # Most are whole seconds, of this century.
    moment = int(text) if text.isdigit() and len(text) < _SHORT else Decimal(text)
    return int(moment) if 0 < moment < _LAST_MOMENT else None


def create_storage(transaction: Transaction, number: int) -> None:
    transaction.changes += 1
    transaction.execute(
        f"CREATE TABLE e{number} (expires INTEGER, pk BLOB, sk BLOB,"
        " PRIMARY KEY (expires, pk, sk)) WITHOUT ROWID"
    )
