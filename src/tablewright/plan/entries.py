"""What an index holds of an item, and what a write to the item costs the index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from tablewright.model.table import Index, KeyAttribute, Table
from tablewright.model.tables import include_of
from tablewright.plan.units import entry_units
from tablewright.values import Item, item_size, value_size

#: The size that an item counts with: plans may be about larger ones than the samples are.
Sizes: TypeAlias = Callable[[Table, Item], int]

MAX_PARTITION_KEY = 2048
MAX_SORT_KEY = 1024


def own_size(table: Table, item: Item) -> int:
    """The size that the item really has."""
    return item_size(item)


@cache
def projected(table: Table, index: Index) -> frozenset[str] | None:
    """The attributes that an index holds; None is all of them."""
    if index.projection == "ALL":
        return None
    names = {each.name for each in (*table.primary(), *index.partition, *index.sort)}
    if index.projection == "INCLUDE":
        names.update(include_of(table, index))
    return frozenset(names)


def entry_of(table: Table, index: Index, item: Item | None) -> Item | None:
    """The item as the index holds it; None if it is not in the index."""
    if item is None or not _in_index(index, item):
        return None
    wanted = projected(table, index)
    if wanted is None:
        return item
    return {name: value for name, value in item.items() if name in wanted}


def index_units(
    table: Table, index: Index, before: Item | None, after: Item | None, size: Sizes = own_size
) -> int:
    """Write units that one index takes when an item changes."""
    old, new = entry_of(table, index, before), entry_of(table, index, after)
    if old == new:
        return 0
    sizes = [None if each is None else entry_size(table, index, each, size) for each in (old, new)]
    return entry_units(*sizes, moved=_moved(index, old, new))


def entry_size(table: Table, index: Index, entry: Item, size: Sizes = own_size) -> int:
    """Bytes of an entry; one that is the whole item counts as the item does."""
    return size(table, entry) if projected(table, index) is None else item_size(entry)


def _moved(index: Index, old: Item | None, new: Item | None) -> bool:
    if old is None or new is None:
        return False
    return any(old[each.name] != new[each.name] for each in (*index.partition, *index.sort))


def _in_index(index: Index, item: Item) -> bool:
    return all(_usable(each, item, MAX_PARTITION_KEY) for each in index.partition) and all(
        _usable(each, item, MAX_SORT_KEY) for each in index.sort
    )


def _usable(key: KeyAttribute, item: Item, longest: int) -> bool:
    value = item.get(key.name)
    return value is not None and bool(value.get(key.type)) and value_size(value) <= longest
