"""Point-in-time recovery, the log: what stood where before each change.

A table with point-in-time recovery writes one row per change: the key and the image that was
replaced (NULL if there was none). Changes are numbered per table. A moment is translated into a
number once ("the last change made by then"), so that a clock that was set back cannot tear a state
apart. How the past is read out of the log stands in ``history``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.engine.backups import history

if TYPE_CHECKING:
    from tablewright.engine.schema import Key, Table
    from tablewright.engine.storage.transaction import Transaction

#: ``execute`` of a transaction or of a reading connection.
Execute: TypeAlias = Callable[..., Any]

SCHEMA = """
CREATE TABLE IF NOT EXISTS recovery_log (number INTEGER NOT NULL, sequence INTEGER NOT NULL,
 moment REAL NOT NULL, pk BLOB NOT NULL, sk BLOB NOT NULL, old BLOB,
 PRIMARY KEY (number, sequence)) WITHOUT ROWID;
"""

_APPEND = (
    "INSERT INTO recovery_log (number, sequence, moment, pk, sk, old) VALUES (?1, "
    "1 + IFNULL((SELECT MAX(sequence) FROM recovery_log WHERE number=?1), 0), ?2, ?3, ?4, ?5)"
)


def append(transaction: Transaction, table: Table, key: Key, old_blob: bytes | None) -> None:
    """Keep what stood under ``key`` before this change; None if nothing did."""
    transaction.changes += 1
    transaction.at_once(_APPEND, (table.number, transaction.now, *key, old_blob))


def last_sequence(execute: Execute, number: int) -> int:
    """The number of the table's last change; 0 if none is logged."""
    rows = execute("SELECT MAX(sequence) FROM recovery_log WHERE number=?", (number,)).fetchall()
    last: int = rows[0][0] or 0
    return last


def sequence_at(
    execute: Execute, number: int, first: int, moment: float, *, inclusive: bool = True
) -> int:
    """The number of the last change made by ``moment``, but not before ``first`` - 1.

    What was made at that very moment counts only if it is ``inclusive``.
    """
    rows = execute(
        "SELECT sequence FROM recovery_log WHERE number=? AND sequence>=?"
        f" AND moment{'<=' if inclusive else '<'}? ORDER BY sequence DESC LIMIT 1",
        (number, first, moment),
    ).fetchall()
    found: int = rows[0][0] if rows else first - 1
    return found


# --- retention ---------------------------------------------------------------------------


def logged_tables(execute: Execute) -> list[int]:
    """The numbers of the tables that have rows in the log."""
    found: list[int] = []
    while True:
        rows = execute(
            "SELECT MIN(number) FROM recovery_log WHERE number>?", (found[-1] if found else -1,)
        ).fetchall()
        if rows[0][0] is None:
            return found
        found.append(rows[0][0])


def prune_slice(
    transaction: Transaction, number: int, first: int, horizon: float, limit: int
) -> bool:
    """Remove up to ``limit`` of a table's oldest rows; True if more may be removed.

    Goes what is numbered below ``first`` or was logged before ``horizon``. The last row always
    stays: the numbering goes on from it.
    """
    last = last_sequence(transaction.execute, number)
    rows: list[Any] = transaction.execute(
        "SELECT sequence, moment FROM recovery_log WHERE number=? ORDER BY sequence LIMIT ?",
        (number, limit),
    ).fetchall()
    until = 0
    for sequence, moment in rows:
        if sequence >= last or (sequence >= first and moment >= horizon):
            break
        until = sequence
    if until:
        _remove_until(transaction, number, until)
    return bool(rows) and until == rows[-1][0] and len(rows) == limit


def forget_slice(transaction: Transaction, number: int, limit: int) -> bool:
    """Remove up to ``limit`` rows of a table whose log nobody needs; True if some are left."""
    rows: list[Any] = transaction.execute(
        "SELECT sequence FROM recovery_log WHERE number=? ORDER BY sequence LIMIT ?",
        (number, limit),
    ).fetchall()
    if rows:
        _remove_until(transaction, number, rows[-1][0])
    if len(rows) == limit:
        return True
    # Should it be switched on again, the numbering begins anew.
    history.forget(transaction, number)
    return False


def _remove_until(transaction: Transaction, number: int, sequence: int) -> None:
    transaction.changes += 1
    history.remove_until(transaction, number, sequence)
    transaction.execute(
        "DELETE FROM recovery_log WHERE number=? AND sequence<=?", (number, sequence)
    )
