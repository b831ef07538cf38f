"""Checks that everything the engine derives from items agrees with the items.

Indexes, expiry indexes, item collection sizes and counts are kept in step by every write; here
they are worked out again from the rows and compared. Used by tests, after crashes and fuzzing, and
by whoever wants to know. Memory use does not depend on the size of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablewright.engine.expiry import index as ttl
from tablewright.engine.items.writes import dumps, loads
from tablewright.engine.schema import Index, Key, Table
from tablewright.values import Item, item_size

if TYPE_CHECKING:
    import apsw

    from tablewright.engine.engine import Engine


def problems(engine: Engine) -> list[str]:
    """What does not agree, in words; empty if all is well."""
    found: list[str] = []
    with engine.store.snapshot() as connection:
        for (text,) in connection.execute("PRAGMA quick_check"):
            if text != "ok":
                found.append(f"database: {text}")
        for table in engine.catalog:
            found.extend(f"{table.name}: {text}" for text in _table(engine, connection, table))
    return found


def _table(engine: Engine, connection: apsw.Connection, table: Table) -> Iterator[str]:
    items = size_sum = expiring = 0
    held = {index.name: [0, 0] for index in table.indexes.values()}
    rows = connection.execute(f"SELECT pk, sk, size, item FROM t{table.number}")
    for pk, sk, size, blob in rows:
        item: Item = loads(blob)
        items += 1
        size_sum += size
        key = table.key_from(item)
        if table.key_of(item) != (pk, sk):
            yield f"item {key} is stored under another key"
        if item_size(item) != size:
            yield f"item {key} has {item_size(item)} bytes, its row says {size}"
        for index in table.indexes.values():
            if index.status == "ACTIVE" and index.key_of(item) is not None:
                held[index.name][0] += 1
                held[index.name][1] += item_size(index.project(item))
                yield from _index_row(connection, index, (pk, sk), item)
        expiring += ttl.expires(item, table.ttl) is not None
    yield from _compare("items", connection, table.number, items, size_sum)
    for index in table.indexes.values():
        if index.status == "ACTIVE":
            yield from _index_totals(engine, connection, index, *held[index.name])
    if table.ttl is not None:
        ((count,),) = connection.execute(f"SELECT count(*) FROM e{table.number}").fetchall()
        if count != expiring:
            yield f"the expiry index has {count} rows for {expiring} expiring items"


def _index_row(connection: apsw.Connection, index: Index, key: Key, item: Item) -> Iterator[str]:
    place = index.key_of(item)
    assert place is not None
    rows: list[Any] = connection.execute(
        f"SELECT size, item FROM x{index.number} WHERE pk=? AND sk=? AND base_pk=? AND base_sk=?",
        (*place, *key),
    ).fetchall()
    projected = index.project(item)
    if not rows:
        yield f"index {index.name} lacks {projected}"
    elif index.projected is None:
        if rows[0] != (None, None):
            yield f"index {index.name} holds a copy where it should only point at the item"
    elif rows[0][0] != item_size(projected) or loads(rows[0][1]) != projected:
        yield f"index {index.name} holds {dumps(loads(rows[0][1])).decode()} for {projected}"


def _index_totals(
    engine: Engine, connection: apsw.Connection, index: Index, items: int, size: int
) -> Iterator[str]:
    totals: list[Any] = connection.execute(f"SELECT count(*) FROM x{index.number}").fetchall()
    if totals[0][0] != items:
        yield f"index {index.name} has {totals[0][0]} rows, the table has {items} items for it"
    yield from _compare(f"index {index.name}", connection, index.number, items, size)


def _compare(
    what: str, connection: apsw.Connection, number: int, items: int, size: int
) -> Iterator[str]:
    # Of the same moment as the rows: others may write meanwhile, and what has expired is removed.
    rows = connection.execute(
        "SELECT items, bytes FROM counts WHERE number=?", (number,)
    ).fetchall()
    counted = list(rows[0]) if rows else [0, 0]
    if counted != [items, size]:
        yield f"{what}: counted {counted}, found {[items, size]}"
