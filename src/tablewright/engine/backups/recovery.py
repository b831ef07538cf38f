"""Point-in-time recovery, the log: what stood where before each change.

A table with point-in-time recovery writes one row per change: the key and the image that was
replaced (NULL if there was none). What stood under a key after change number ``s`` is therefore
the oldest logged image later than ``s``, and if there is none, what stands there now. That answer
never changes, however much is written meanwhile: a restore or an export can read the past slice by
slice, while others write, and be taken up again after a crash.

Changes are numbered per table. A moment is translated into a number once ("the last change made
by then"), so that a clock that was set back cannot tear a state apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from tablewright.engine.schema import Key, Table
    from tablewright.engine.storage.transaction import Transaction

#: ``execute`` of a transaction or of a reading connection.
Execute: TypeAlias = Callable[..., Any]

FIRST: Key = (b"", b"")
#: Items read at a time end here, however few they are.
SLICE_BYTES = 2 * 1024 * 1024

SCHEMA = """
CREATE TABLE IF NOT EXISTS recovery_log (number INTEGER NOT NULL, sequence INTEGER NOT NULL,
 moment REAL NOT NULL, pk BLOB NOT NULL, sk BLOB NOT NULL, old BLOB,
 PRIMARY KEY (number, sequence)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS recovery_log_by_key ON recovery_log (number, pk, sk, sequence);
"""

_APPEND = (
    "INSERT INTO recovery_log (number, sequence, moment, pk, sk, old) VALUES (?1, "
    "1 + IFNULL((SELECT MAX(sequence) FROM recovery_log WHERE number=?1), 0), ?2, ?3, ?4, ?5)"
)
_BY_KEY = "recovery_log INDEXED BY recovery_log_by_key"


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


def state_slice(
    execute: Execute, number: int, sequence: int | None, after: Key, limit: int
) -> tuple[list[tuple[Key, bytes]], Key | None]:
    """Some of the items that stood in table ``number`` after change ``sequence``, in key order.

    Starts behind the key ``after``; returns the items and where to go on (None: nothing is left).
    ``sequence=None`` means the present. All of it must be read in one transaction.
    """
    present, end = _take(
        execute(
            f"SELECT pk, sk, item FROM t{number} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk", after
        ),
        limit,
    )
    if sequence is None:
        return list(present.items()), end
    replaced, cut = _take(_replaced(execute, number, sequence, after, end), limit)
    state: dict[Key, bytes | None] = {**present, **replaced}
    if cut is not None:
        end = cut
    kept = [
        (key, item)
        for key, item in state.items()
        if item is not None and (end is None or key <= end)
    ]
    return sorted(kept), end


def _take(rows: Any, limit: int) -> tuple[dict[Key, Any], Key | None]:
    """The first of some rows (pk, sk, item), not too many and not too large; where it was cut."""
    taken: dict[Key, Any] = {}
    size = 0
    for pk, sk, item, *_ in rows:
        taken[pk, sk] = item
        size += len(item or b"")
        if len(taken) == limit or size > SLICE_BYTES:
            rows.close()
            return taken, (pk, sk)
    return taken, None


def _replaced(execute: Execute, number: int, sequence: int, after: Key, end: Key | None) -> Any:
    """For each key changed after ``sequence``: the first image that was replaced since."""
    until = "" if end is None else " AND (pk, sk) <= (?, ?)"
    return execute(
        f"SELECT pk, sk, old, MIN(sequence) FROM {_BY_KEY} WHERE number=?"
        f" AND (pk, sk) > (?, ?){until} AND sequence>? GROUP BY pk, sk ORDER BY pk, sk",
        (number, *after, *(end or ()), sequence),
    )


def image_at(execute: Execute, number: int, sequence: int, key: Key) -> bytes | None:
    """What stood under one key after change ``sequence``."""
    for (old,) in execute(
        f"SELECT old FROM {_BY_KEY} WHERE number=? AND pk=? AND sk=? AND sequence>?"
        " ORDER BY sequence LIMIT 1",
        (number, *key, sequence),
    ).fetchall():
        replaced: bytes | None = old
        return replaced
    rows = execute(f"SELECT item FROM t{number} WHERE pk=? AND sk=?", key).fetchall()
    return rows[0][0] if rows else None


def changed_slice(
    execute: Execute, number: int, since: int, until: int, after: Key, limit: int
) -> list[tuple[Key, float]]:
    """Keys changed after ``since`` and up to ``until``, with the moment of their last change."""
    rows = execute(
        f"SELECT pk, sk, MAX(sequence), moment FROM {_BY_KEY} WHERE number=?"
        " AND (pk, sk) > (?, ?) AND sequence>? AND sequence<=? GROUP BY pk, sk"
        " ORDER BY pk, sk LIMIT ?",
        (number, *after, since, until, limit),
    ).fetchall()
    return [((pk, sk), moment) for pk, sk, _, moment in rows]


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
    return len(rows) == limit


def _remove_until(transaction: Transaction, number: int, sequence: int) -> None:
    transaction.changes += 1
    transaction.execute(
        "DELETE FROM recovery_log WHERE number=? AND sequence<=?", (number, sequence)
    )
