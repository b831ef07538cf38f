"""Units that one call takes: what a pattern costs at the least, by the sizes that are known."""

from __future__ import annotations

from math import ceil

from tablewright.review.design import Design, Entity, Index, Pattern, Table
from tablewright.review.limits import READ_UNIT, WRITE_UNIT
from tablewright.review.reading import written
from tablewright.review.samples import items_of, typical_size
from tablewright.review.templates import fields
from tablewright.values import item_size

#: Bytes of an item of keys alone, at the least, where nothing better is known.
_KEYS = 40


def peak(pattern: Pattern) -> float | None:
    """Calls per second when there are most."""
    return pattern.peak if pattern.peak is not None else pattern.rate


def size_of(design: Design, pattern: Pattern) -> int | None:
    """Bytes of one of its items, if something says so."""
    if pattern.item_size is not None:
        return pattern.item_size
    entity = design.entity(pattern.entity)
    return None if entity is None else typical_size(design, entity)


def read_units(design: Design, pattern: Pattern) -> float | None:
    """Read units of one call; None if it cannot be told."""
    size = size_of(design, pattern)
    if size is None:
        return None
    each = 1.0 if pattern.consistent else 0.5
    if pattern.kind == "get":
        return each * ceil(size / READ_UNIT)
    if pattern.expect is None:
        return None
    if pattern.kind == "batch_get":
        return each * pattern.expect * ceil(size / READ_UNIT)
    table = design.table_of(pattern)
    index = None if table is None else table.index(pattern.index)
    if table is not None and index is not None and index.projection == "KEYS_ONLY":
        size = min(size, _keys_size(design, pattern, table, index))
    read = pattern.expect / (pattern.filter_keeps or 1)
    return each * max(1, ceil(read * size / READ_UNIT))


def write_units(design: Design, pattern: Pattern) -> float | None:
    """Write units of one call at the least, its indexes and transactions included."""
    if pattern.members:
        parts = [write_units(design, member) for member in pattern.members]
        if any(part is None for part in parts):
            return None
        double = 2 if pattern.kind == "transaction" else 1
        return double * sum(part for part in parts if part is not None)
    entity = design.entity(pattern.entity)
    size = size_of(design, pattern)
    if entity is None or size is None:
        return None
    table = design.table(entity.table)
    units = float(ceil(size / WRITE_UNIT))
    for index in () if table is None else table.indexes:
        units += index_units(entity, index, pattern, size)
    return units * (pattern.many or 1)


def index_units(entity: Entity, index: Index, pattern: Pattern, size: int) -> float:
    """Write units that one write takes in one index."""
    key = entity.key_on(index.name)
    if key is None or key.when:
        return 0
    changed = written(pattern)
    parts = {name for template in (*key.partition, *key.sort) for name in fields(template)}
    names = {each.name for each in (*index.partition, *index.sort)}
    moved = pattern.kind == "update" and bool(changed & (parts | names))
    if pattern.kind == "update" and not moved and not _holds(index, changed):
        return 0
    held = size if index.projection == "ALL" else _KEYS
    # A changed key is a delete and a put; what may not have been there before, only a put.
    known = [each for name in parts if (each := entity.attribute(name)) is not None]
    twice = moved and all(each.required for each in known)
    return ceil(held / WRITE_UNIT) * (2 if twice else 1)


def _holds(index: Index, changed: frozenset[str]) -> bool:
    """Whether the index has to be written for a change of these attributes."""
    if index.projection == "ALL":
        return True
    return index.projection != "KEYS_ONLY" and not changed.isdisjoint(index.projection)


def _keys_size(design: Design, pattern: Pattern, table: Table, index: Index) -> int:
    """Bytes of the keys alone, as the samples have them."""
    entity = design.entity(pattern.entity)
    names = [e.name for e in (*table.partition, *table.sort, *index.partition, *index.sort)]
    sizes = [
        item_size({name: item[name] for name in dict.fromkeys(names)})
        for item in (() if entity is None else items_of(design, entity))
        if all(name in item for name in names)
    ]
    return max(sizes, default=_KEYS)


def partition_of(table: Table, index: str | None) -> tuple[str, ...]:
    """The partition key attributes of a table or of one of its indexes."""
    found = table.index(index)
    side = table.partition if found is None else found.partition
    return tuple(each.name for each in side)
