"""What follows a change of tables: filling a new index, and removing what has been dropped.

Both are done in slices, each its own transaction, so that requests get their turn in between, and
neither keeps a position: what is left to do can be read off the catalog (an index that is
CREATING) and the ``garbage`` table, and is taken up again when the engine is opened.

An index being filled is kept up to date by every write from its first moment on. The filling job
therefore only adds rows that are missing, and may meet an item before or after a write to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tablewright.engine.items.writes import Row, insert_index_row
from tablewright.engine.jobs import SLICE_SECONDS
from tablewright.engine.schema import Body, Index, Key, Table
from tablewright.engine.storage.transaction import Transaction

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


#: Dropped rows removed between two glances at the time.
REMOVED_ROWS = 8

_START: Key = (b"", b"")


def start(engine: Engine) -> None:
    """Take up what was not finished when the engine was last closed."""
    for table in engine.catalog:
        for index in table.indexes.values():
            if index.status == "CREATING":
                fill_index(engine, table.name, index.number)
    clear_garbage(engine)


# --- filling an index --------------------------------------------------------------------


def fill_slice(
    transaction: Transaction, table: Table, index: Index, after: Key = _START
) -> Key | None:
    """Enter items into the index for a short while; where to go on, None at the end."""
    until = time.monotonic() + SLICE_SECONDS
    rows = transaction.execute(
        f"SELECT pk, sk, size, item FROM t{table.number} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk",
        after,
    )
    for pk, sk, size, blob in rows:
        insert_index_row(transaction, index, (pk, sk), Row(size, blob))
        if time.monotonic() > until:
            rows.close()
            return pk, sk
    return None


def fill_index(engine: Engine, name: str, number: int, after: Key = _START) -> None:
    """Have the index with this number filled in the background, with the items after ``after``."""
    engine.jobs.add(f"filling an index of {name}", lambda: _fill(engine, name, number, after))


def _fill(engine: Engine, name: str, number: int, after: Key | None) -> Iterator[object]:
    while after is not None:
        after = engine.store.run(_filler(engine, name, number, after))
        yield None


def _filler(
    engine: Engine, name: str, number: int, after: Key
) -> Callable[[Transaction], Key | None]:
    def work(transaction: Transaction) -> Key | None:
        table = engine.catalog.find(name)
        index = None if table is None else _unfinished(table, number)
        if table is None or index is None:
            return None
        last = fill_slice(transaction, table, index, after)
        if last is None:
            engine.catalog.save(transaction, finished(table.body, index.name))
        return last

    return work


def _unfinished(table: Table, number: int) -> Index | None:
    for index in table.indexes.values():
        if index.number == number and index.status == "CREATING":
            return index
    return None


def finished(body: Body, name: str) -> Body:
    """The body in which the index of that name has been filled."""
    indexes = []
    for index in body["GlobalSecondaryIndexes"]:
        if index["IndexName"] == name:
            index = {key: value for key, value in index.items() if key != "Backfilling"}
            index["IndexStatus"] = "ACTIVE"
        indexes.append(index)
    return {**body, "GlobalSecondaryIndexes": indexes}


# --- removing what has been dropped ------------------------------------------------------


def clear_garbage(engine: Engine) -> None:
    """Have everything that was dropped removed in the background."""
    if engine.store.rows("SELECT 1 FROM garbage LIMIT 1", ()):
        engine.jobs.add("removing dropped rows", lambda: _clear(engine))


def _clear(engine: Engine) -> Iterator[object]:
    for (name,) in engine.store.rows("SELECT name FROM garbage ORDER BY name", ()):
        while not engine.store.run(_remover(engine, name)):
            yield None
        yield None


def _remover(engine: Engine, name: str) -> Callable[[Transaction], bool]:
    def work(transaction: Transaction) -> bool:
        until = time.monotonic() + SLICE_SECONDS
        columns = _key_columns(transaction, name)
        while columns and _remove_rows(transaction, name, columns):
            if time.monotonic() > until:
                return False
        _remove_table(engine, transaction, name)
        return True

    return work


def _key_columns(transaction: Transaction, name: str) -> str:
    rows = transaction.execute(
        "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (name,)
    ).fetchall()
    return ", ".join(str(column) for (column,) in rows)


def _remove_rows(transaction: Transaction, name: str, columns: str) -> bool:
    """Remove a few rows; whether there are more."""
    transaction.changes += 1
    removed = transaction.execute(
        f"DELETE FROM {name} WHERE ({columns}) IN (SELECT {columns} FROM {name} LIMIT ?)"
        " RETURNING 1",
        (REMOVED_ROWS,),
    ).fetchall()
    return len(removed) == REMOVED_ROWS


def _remove_table(engine: Engine, transaction: Transaction, name: str) -> None:
    transaction.changes += 1
    transaction.execute(f"DROP TABLE IF EXISTS {name}")
    transaction.execute("DELETE FROM garbage WHERE name=?", (name,))
    # Only tables (t) and indexes (x) are counted; other storage shares its table's number.
    if name[0] in "tx":
        number = int(name[1:])
        transaction.execute("DELETE FROM counts WHERE number=?", (number,))
        transaction.after_commit(lambda: engine.store.counts.pop(number, None))
