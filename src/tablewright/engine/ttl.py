"""Time to live: items that expire are found by an index over their expiry moments."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.engine.schema import Table
    from tablewright.engine.store import Transaction

#: Moments beyond this are not dates; an index over 64-bit integers could not hold them all.
_LAST_MOMENT = 1 << 53


def reindex(
    transaction: Transaction,
    table: Table,
    key: tuple[bytes, bytes],
    old: Item | None,
    new: Item | None,
) -> None:
    """Keep the expiry index in step with one change of an item."""
    was = expiry(old, table.ttl)
    now = expiry(new, table.ttl)
    if was == now:
        return
    transaction.changes += 1
    if was is not None:
        transaction.execute(
            f"DELETE FROM e{table.number} WHERE expires=? AND pk=? AND sk=?", (was, *key)
        )
    if now is not None:
        transaction.execute(
            f"INSERT OR IGNORE INTO e{table.number} (expires, pk, sk) VALUES (?, ?, ?)",
            (now, *key),
        )


def expiry(item: Item | None, attribute: str | None) -> int | None:
    """The second at which ``item`` expires; None if it never does."""
    if item is None or attribute is None:
        return None
    text = item.get(attribute, {}).get("N")
    if text is None:
        return None
    moment = Decimal(text)
    return int(moment) if 0 < moment < _LAST_MOMENT else None
