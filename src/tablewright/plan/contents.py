"""Tables with items in them, as far as counting units needs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import md5
from typing import TypeAlias

from tablewright.model.table import Index, KeyAttribute, Table
from tablewright.plan.entries import entry_of
from tablewright.values import Item, joined_key_bytes, key_bytes, normalize_item

#: Where an item stands in its table, or an entry in its index.
Position: TypeAlias = tuple[bytes, ...]


@dataclass(frozen=True)
class Row:
    """An item or index entry with its place in the order."""

    position: Position
    held: Item
    #: The whole item, where ``held`` is an entry.
    item: Item


class Contents:
    """Items by table and key. :meth:`copy` is cheap, and changes to a copy stay in it."""

    def __init__(
        self, tables: Mapping[str, Table], items: Mapping[str, Iterable[Item]] | None = None
    ) -> None:
        self.tables = dict(tables)
        self._items: dict[str, dict[Position, Item]] = {name: {} for name in tables}
        for name, stored in (items or {}).items():
            for item in stored:
                self.put(name, normalize_item(item)[0])

    def copy(self) -> Contents:
        other = Contents(self.tables)
        other._items = {name: dict(stored) for name, stored in self._items.items()}
        return other

    def get(self, table: str, key: Item) -> Item | None:
        return self._items[table].get(_position(self.tables[table], key))

    def put(self, table: str, item: Item) -> None:
        self._items[table][_position(self.tables[table], item)] = item

    def delete(self, table: str, key: Item) -> None:
        self._items[table].pop(_position(self.tables[table], key), None)

    def items(self, table: str) -> Iterator[Item]:
        return iter(self._items[table].values())

    def rows(self, table: str, index: str | None) -> list[Row]:
        """All items of a table, or entries of an index, in the order of a scan."""
        known = self.tables[table]
        own = None if index is None else known.indexes[index]
        found: list[Row] = []
        for position, item in self._items[table].items():
            held = item if own is None else entry_of(known, own, item)
            if held is not None:
                where = position if own is None else (*_index_position(own, item), *position)
                found.append(Row(where, held, item))
        return sorted(found, key=lambda row: row.position)

    def position(self, table: str, index: str | None, start: Item) -> Position:
        """Where the key that a page ended with stands."""
        known = self.tables[table]
        base = _position(known, start)
        return base if index is None else (*_index_position(known.indexes[index], start), *base)


def _position(table: Table, item: Item) -> Position:
    pk = _hashed(_code((table.pk,), item))
    return (pk,) if table.sk is None else (pk, _code((table.sk,), item))


def _index_position(index: Index, item: Item) -> Position:
    return _hashed(_code(index.partition, item)), _code(index.sort, item)


def _code(parts: tuple[KeyAttribute, ...], item: Item) -> bytes:
    if not parts:
        return b""
    values = [(each.type, item[each.name][each.type]) for each in parts]
    return key_bytes(*values[0]) if len(values) == 1 else joined_key_bytes(values)


def _hashed(code: bytes) -> bytes:
    # Scans meet partitions in the order of a hash: of this one, locally. It decides where pages
    # end, and so how often sizes are rounded.
    return md5(b"Outliers" + code, usedforsecurity=False).digest()[:8] + code
