"""Putting one item's new state in place: the row, its indexes, and everything that follows it.

Every change to an item (put, update, delete, batches, transactions, TTL, imports, restores) ends
in :func:`write`, inside a work that has already decided that the change may happen. It keeps all
derived data in step in the same transaction: secondary indexes, counts, the expiry index, the
item collection's size, the stream, and the recovery log.
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from tablewright.engine.backups import recovery
from tablewright.engine.capacity import Units, write_units
from tablewright.engine.errors import collection_full
from tablewright.engine.expiry import index as ttl
from tablewright.engine.schema import Index, Key, Table
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.streams import recording as streams
from tablewright.values import Item, item_size

loads: Callable[[bytes], Item] = orjson.loads
dumps: Callable[[object], bytes] = orjson.dumps


class Row:
    """A stored item; decoded only when somebody looks inside."""

    __slots__ = ("_item", "blob", "size")

    def __init__(self, size: int, blob: bytes) -> None:
        self.size = size
        self.blob = blob
        self._item: Item | None = None

    @property
    def item(self) -> Item:
        if self._item is None:
            self._item = loads(self.blob)
        return self._item


#: What the items with one partition key may take, local indexes included, if there are any.
MAX_COLLECTION_BYTES = 10 * 1024**3


def read_row(transaction: Transaction, table: Table, key: Key) -> Row | None:
    """The item as the works before this one have left it."""
    rows = transaction.at_once(table.get_sql, key).fetchall()
    return Row(*rows[0]) if rows else None


def collection_size(transaction: Transaction, table: Table, key: Key) -> int:
    """What all items with this partition key take, in a table with local indexes."""
    sql = f"SELECT bytes FROM c{table.number} WHERE pk=?"
    return sum(size for (size,) in transaction.execute(sql, key[:1]))


def _check_collection(transaction: Transaction, table: Table, key: Key, grown: int) -> None:
    if collection_size(transaction, table, key) + grown > MAX_COLLECTION_BYTES:
        raise collection_full()


def write(
    transaction: Transaction,
    table: Table,
    key: Key,
    old: Row | None,
    item: Item | None,
    size: int = 0,
    *,
    by_service: bool = False,
) -> Units:
    """Replace what is stored under ``key`` (``item=None`` removes it); the units it costs.

    ``by_service`` marks a deletion that nobody asked for (TTL) in the stream.
    """
    old_size = old.size if old is not None else 0
    units = Units(float(write_units(max(old_size, size))))
    blob = None if item is None else dumps(item)
    if old is None and blob is None:
        return units
    if old is not None and old.blob == blob:
        return units
    grown = size - old_size
    if table.local and grown > 0:
        _check_collection(transaction, table, key, grown)
    transaction.changes += 1
    if transaction.lag is not None:
        transaction.lag.defer(transaction, table, key, size, blob)
    if blob is None:
        transaction.at_once(table.delete_sql, key)
        transaction.count(table.number, -1, -old_size)
    else:
        transaction.at_once(table.put_sql, (*key, size, blob))
        transaction.count(table.number, 1 if old is None else 0, grown)
    if table.indexes:
        _write_indexes(transaction, table, key, old, item, blob, size, units)
    if table.ttl is not None:
        ttl.reindex(transaction, table, key, None if old is None else old.item, item)
    if table.stream_view is not None:
        before = None if old is None else old.item
        stored = None if blob is None else (size, blob)
        streams.append(transaction, table, key, before, item, stored, by_service)
    if table.recovery:
        recovery.append(transaction, table, key, None if old is None else old.blob)
    return units


def _write_indexes(
    transaction: Transaction,
    table: Table,
    key: Key,
    old: Row | None,
    item: Item | None,
    blob: bytes | None,
    size: int,
    units: Units,
) -> None:
    before = old.item if old is not None else None
    grown = (size if item is not None else 0) - (old.size if old is not None else 0)
    for index in table.indexes.values():
        if (
            index.points
            and before is not None
            and item is not None
            and transaction.lag is None
            and index.same_place(before, item)
        ):
            # The most common case: the item stays where the index points to.
            if index.holds(item):
                growth = size - (old.size if old is not None else 0)
                grown += 0 if index.is_global else growth
                transaction.count(index.number, 0, growth)
                (units.globals if index.is_global else units.local)[index.name] = units.table
            continue
        # With a lag, what can be read of a global index follows later; the units are used now.
        later = transaction.lag is not None and index.is_global and index.status != "CREATING"
        used, index_growth = write_index(
            transaction, index, key, before, old, item, blob, size, later=later
        )
        grown += 0 if index.is_global else index_growth
        if used:
            (units.globals if index.is_global else units.local)[index.name] = float(used)
    if table.local and grown:
        transaction.execute(
            f"INSERT INTO c{table.number} (pk, bytes) VALUES (?, ?)"
            " ON CONFLICT (pk) DO UPDATE SET bytes = bytes + excluded.bytes",
            (key[0], grown),
        )


def write_index(
    transaction: Transaction,
    index: Index,
    key: Key,
    before: Item | None,
    old: Row | None,
    item: Item | None,
    blob: bytes | None,
    size: int,
    *,
    later: bool = False,
) -> tuple[int, int]:
    """Bring one index up to date; units used, and bytes it has grown by.

    ``later`` only counts: somebody else brings it up to date.
    """
    stays = before is not None and item is not None and index.same_place(before, item)
    was = now = None
    if stays:
        assert item is not None
        if not index.holds(item):
            return 0, 0
    else:
        was = index.key_of(before) if before is not None else None
        now = index.key_of(item) if item is not None else None
        if was is None and now is None:
            return 0, 0
    held = written = None
    old_size = new_size = 0
    if before is not None and old is not None and (stays or was is not None):
        held, old_size = _held(index, before, old.blob, old.size)
    if item is not None and (stays or now is not None):
        written, new_size = _held(index, item, blob, size)
    if stays and held == written:
        return 0, 0
    used = write_units(max(old_size, new_size)) if stays else 0
    used += write_units(old_size) if was is not None else 0
    used += write_units(new_size) if now is not None else 0
    growth = new_size - old_size
    if later:
        return used, growth
    if stays and item is not None and (index.projected is not None or index.status == "CREATING"):
        was = now = index.key_of(item)
    row = (None, None) if index.projected is None else (new_size, written)
    if index.status == "CREATING":
        _write_unfilled(transaction, index, key, was, old_size, now, new_size, row)
        return used, growth
    if was is not None and was != now:
        transaction.execute(index.delete_sql, (*was, *key))
    if now is not None:
        transaction.execute(index.put_sql, (*now, *key, *row))
    items = 0 if stays else (now is not None) - (was is not None)
    transaction.count(index.number, items, growth)
    return used, growth


def _write_unfilled(
    transaction: Transaction,
    index: Index,
    key: Key,
    was: Key | None,
    old_size: int,
    now: Key | None,
    new_size: int,
    row: tuple[int | None, bytes | None],
) -> None:
    """Bring an index that is being filled up to date: it may not hold the old row yet."""
    if was is not None:
        gone = transaction.execute(index.delete_sql + " RETURNING 1", (*was, *key)).fetchall()
        if gone:
            transaction.count(index.number, -1, -old_size)
    if now is not None:
        transaction.execute(index.put_sql, (*now, *key, *row))
        transaction.count(index.number, 1, new_size)


def _held(index: Index, item: Item, blob: bytes | None, size: int) -> tuple[bytes | None, int]:
    """What the index shows of an item, and its size."""
    return (blob, size) if index.projected is None else _projected(index, item)


def _projected(index: Index, item: Item) -> tuple[bytes, int]:
    projected = index.project(item)
    return dumps(projected), item_size(projected)


def insert_index_row(transaction: Transaction, index: Index, key: Key, row: Row) -> None:
    """Backfill: add the row of an item that the index does not hold yet."""
    place = index.key_of(row.item)
    if place is None:
        return
    blob, size = _held(index, row.item, row.blob, row.size)
    stored = (None, None) if index.projected is None else (size, blob)
    transaction.changes += 1
    # A write that came in meanwhile has already put its row: then there is nothing to count.
    if transaction.execute(index.insert_sql, (*place, *key, *stored)).fetchall():
        transaction.count(index.number, 1, size)
