"""Point-in-time recovery: an undo log of every change, and what it can bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.engine.schema import Table
    from tablewright.engine.store import Transaction

SCHEMA = """
CREATE TABLE IF NOT EXISTS recovery_log (number INTEGER NOT NULL, sequence INTEGER NOT NULL,
 moment REAL NOT NULL, pk BLOB NOT NULL, sk BLOB NOT NULL, old BLOB,
 PRIMARY KEY (number, sequence)) WITHOUT ROWID;
"""

_APPEND = (
    "INSERT INTO recovery_log (number, sequence, moment, pk, sk, old) VALUES (?1, "
    "1 + IFNULL((SELECT MAX(sequence) FROM recovery_log WHERE number=?1), 0), ?2, ?3, ?4, ?5)"
)


def append(
    transaction: Transaction, table: Table, key: tuple[bytes, bytes], old_blob: bytes | None
) -> None:
    """Keep what stood under ``key`` before this change; None if nothing did."""
    transaction.changes += 1
    transaction.execute(_APPEND, (table.number, transaction.now, *key, old_blob))
