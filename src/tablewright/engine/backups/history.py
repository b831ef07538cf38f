"""Point-in-time recovery, the past: what stood in a table after one of its changes.

What stood under a key after change number ``s`` is the oldest image in the recovery log later than
``s``, and if there is none, what stands there now. That answer never changes, however much is
written meanwhile: a restore or an export can read the past slice by slice, while others write, and
be taken up again after a crash.

To find the changes of a key, the log needs an index by key. Every write would pay for it with a
page somewhere in the middle of a large tree, and the past is read very rarely. So the index is
made when somebody looks: :func:`_read` brings it up to date, and each look adds what came since.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tablewright.engine.jobs import PAUSE_SECONDS

if TYPE_CHECKING:
    from tablewright.engine.schema import Key
    from tablewright.engine.storage.store import Store
    from tablewright.engine.storage.transaction import Transaction

T = TypeVar("T")

FIRST: Key = (b"", b"")
#: Items read at a time end here, however few they are.
SLICE_BYTES = 2 * 1024 * 1024
#: How many changes are indexed at a time, while writers wait.
INDEX_ROWS = 1000

#: ``recovery_indexed``: the last change of each table that is in ``recovery_keys``.
SCHEMA = """
DROP INDEX IF EXISTS recovery_log_by_key;
CREATE TABLE IF NOT EXISTS recovery_keys (number INTEGER NOT NULL, pk BLOB NOT NULL,
 sk BLOB NOT NULL, sequence INTEGER NOT NULL,
 PRIMARY KEY (number, pk, sk, sequence)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recovery_indexed (number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);
"""


# --- the index ---------------------------------------------------------------------------


def _read(store: Store, number: int, look: Callable[[Transaction], T]) -> T:
    """What ``look`` finds in the past of table ``number``, at a moment when all is indexed."""
    while store.run(lambda transaction: _index_slice(transaction, number)):
        time.sleep(PAUSE_SECONDS)

    def work(transaction: Transaction) -> T:
        while _index_slice(transaction, number):
            pass  # only what was written since
        return look(transaction)

    found: T = store.run(work)
    return found


def _index_slice(transaction: Transaction, number: int) -> bool:
    """Index some of the changes that are not indexed yet; True if more may be left."""
    rows: list[Any] = transaction.execute(
        "SELECT pk, sk, sequence FROM recovery_log WHERE number=? AND sequence>? "
        "ORDER BY sequence LIMIT ?",
        (number, _indexed(transaction, number), INDEX_ROWS),
    ).fetchall()
    if not rows:
        return False
    transaction.changes += 1
    for row in sorted(rows):
        transaction.at_once(
            "INSERT INTO recovery_keys (number, pk, sk, sequence) VALUES (?, ?, ?, ?)",
            (number, *row),
        )
    transaction.execute(
        "REPLACE INTO recovery_indexed (number, sequence) VALUES (?, ?)", (number, rows[-1][2])
    )
    return len(rows) == INDEX_ROWS


def _indexed(transaction: Transaction, number: int) -> int:
    sql = "SELECT sequence FROM recovery_indexed WHERE number=?"
    return sum(sequence for (sequence,) in transaction.execute(sql, (number,)))


def remove_until(transaction: Transaction, number: int, sequence: int) -> None:
    """The changes up to ``sequence`` are about to leave the log."""
    rows: list[Any] = transaction.execute(
        "SELECT pk, sk, sequence FROM recovery_log WHERE number=? AND sequence<=?",
        (number, min(sequence, _indexed(transaction, number))),
    ).fetchall()
    for row in rows:
        transaction.at_once(
            "DELETE FROM recovery_keys WHERE number=? AND pk=? AND sk=? AND sequence=?",
            (number, *row),
        )


def forget(transaction: Transaction, number: int) -> None:
    """The log of a table is empty, and its numbering begins anew."""
    transaction.changes += 1
    transaction.execute("DELETE FROM recovery_indexed WHERE number=?", (number,))


# --- looking -----------------------------------------------------------------------------


def slices(
    store: Store, number: int, sequence: int | None, limit: int
) -> Iterator[list[tuple[Key, bytes]]]:
    """All that stood in table ``number`` after change ``sequence``, in key order; None: that does.

    Each slice may be read at another moment, and writers get their turn in between.
    """
    after: Key | None = FIRST
    while after is not None:
        if sequence is None:
            with store.snapshot() as connection:
                present, after = _take(_present(connection.execute, number, after), limit)
            yield list(present.items())
        else:
            look = partial(_state_slice, number=number, sequence=sequence, after=after, limit=limit)
            rows, after = _read(store, number, look)
            yield rows


def _state_slice(
    transaction: Transaction, number: int, sequence: int, after: Key, limit: int
) -> tuple[list[tuple[Key, bytes]], Key | None]:
    """Some of these items, behind the key ``after``, and where to go on (None: nothing is left)."""
    present, end = _take(_present(transaction.execute, number, after), limit)
    replaced, cut = _take(_replaced(transaction, number, sequence, after, end), limit)
    state: dict[Key, bytes | None] = {**present, **replaced}
    if cut is not None:
        end = cut
    kept = [
        (key, item)
        for key, item in state.items()
        if item is not None and (end is None or key <= end)
    ]
    return sorted(kept), end


def _present(execute: Callable[..., Any], number: int, after: Key) -> Any:
    return execute(
        f"SELECT pk, sk, item FROM t{number} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk", after
    )


def _take(rows: Any, limit: int) -> tuple[dict[Key, Any], Key | None]:
    """The first of some rows (pk, sk, item), not too many and not too large; where it was cut."""
    taken: dict[Key, Any] = {}
    size = 0
    for pk, sk, item in rows:
        taken[pk, sk] = item
        size += len(item or b"")
        if len(taken) == limit or size > SLICE_BYTES:
            rows.close()
            return taken, (pk, sk)
    return taken, None


def _replaced(
    transaction: Transaction, number: int, sequence: int, after: Key, end: Key | None
) -> Iterator[tuple[bytes, bytes, bytes | None]]:
    """For each key changed after ``sequence``: the first image that was replaced since."""
    until = "" if end is None else " AND (pk, sk) <= (?, ?)"
    keys = transaction.execute(
        "SELECT pk, sk, MIN(sequence) FROM recovery_keys WHERE number=?"
        f" AND (pk, sk) > (?, ?){until} AND sequence>? GROUP BY pk, sk ORDER BY pk, sk",
        (number, *after, *(end or ()), sequence),
    )
    try:
        for pk, sk, first in keys:
            yield pk, sk, _logged(transaction, "old", number, first)
    finally:
        keys.close()


class Change(NamedTuple):
    """What became of one item between two changes of its table, and when it was changed last."""

    moment: float
    old: bytes | None
    new: bytes | None


def changes(
    store: Store, number: int, since: int, until: int, limit: int
) -> Iterator[list[Change]]:
    """What was changed in table ``number`` after change ``since`` and up to ``until``."""
    after: Key | None = FIRST
    while after is not None:
        look = partial(
            _changed_slice, number=number, since=since, until=until, after=after, limit=limit
        )
        found, after = _read(store, number, look)
        yield found


def _changed_slice(
    transaction: Transaction, number: int, since: int, until: int, after: Key, limit: int
) -> tuple[list[Change], Key | None]:
    rows = transaction.execute(
        "SELECT pk, sk, MAX(sequence) FROM recovery_keys WHERE number=?"
        " AND (pk, sk) > (?, ?) AND sequence>? AND sequence<=? GROUP BY pk, sk"
        " ORDER BY pk, sk LIMIT ?",
        (number, *after, since, until, limit),
    ).fetchall()
    found = [
        Change(
            _logged(transaction, "moment", number, last),
            _image_at(transaction, number, since, (pk, sk)),
            _image_at(transaction, number, until, (pk, sk)),
        )
        for pk, sk, last in rows
    ]
    return found, rows[-1][:2] if len(rows) == limit else None


def _image_at(transaction: Transaction, number: int, sequence: int, key: Key) -> bytes | None:
    """What stood under one key after change ``sequence``."""
    for (first,) in transaction.execute(
        "SELECT sequence FROM recovery_keys WHERE number=? AND pk=? AND sk=? AND sequence>?"
        " ORDER BY sequence LIMIT 1",
        (number, *key, sequence),
    ).fetchall():
        replaced: bytes | None = _logged(transaction, "old", number, first)
        return replaced
    rows = transaction.execute(f"SELECT item FROM t{number} WHERE pk=? AND sk=?", key).fetchall()
    return rows[0][0] if rows else None


def _logged(transaction: Transaction, column: str, number: int, sequence: int) -> Any:
    sql = f"SELECT {column} FROM recovery_log WHERE number=? AND sequence=?"
    ((value,),) = transaction.execute(sql, (number, sequence)).fetchall()
    return value
