"""Units of a pattern that has no sample call: from what it declares, and typical sizes.

Writes are taken at their usual worst: an update changes the entry in every index that the entity
is in, once; a put replaces nothing. What is not known is not guessed lower.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.model.definition import EntityDef
from tablewright.model.pattern import Pattern
from tablewright.plan.sizes import EntitySize
from tablewright.plan.units import PAGE_BYTES, Place, Units, read_units, write_units

_WRITES = frozenset({"put", "update", "delete"})


def estimated(
    pattern: Pattern[..., Any],
    expect: float | None,
    size: float | None,
    sizes: Mapping[str, EntitySize],
) -> Units:
    """Units of one call."""
    if pattern.members:
        return _members(pattern, expect, size, sizes)
    if pattern.kind == "get":
        return _got(pattern.entities[0], size, sizes, pattern.consistent)
    if pattern.kind == "total":
        return _got(pattern.entities[0], size, sizes, pattern.consistent) * (expect or 1)
    return read_many(pattern, expect or pattern.limit or 1, size, sizes)


def read_many(
    pattern: Pattern[..., Any],
    count: float,
    size: float | None,
    sizes: Mapping[str, EntitySize],
) -> Units:
    """A query or scan over ``count`` items of ``size`` bytes, or of the entities' own sizes."""
    table, index = pattern.tables[0], pattern.index
    place = Place(table.name, None if index is None else index.name)
    each = _mean(pattern, sizes) if size is None else size
    if pattern.limit is not None:
        count = min(count, pattern.limit)
    units = Units(read={place: _paged(count * each, pattern.consistent)})
    if pattern.hydrate:
        whole = [_got(each, None, sizes, pattern.consistent) for each in pattern.entities]
        units += sum(whole, Units()) * (count / len(whole))
    return units


def _paged(size: float, consistent: bool) -> float:
    """Full pages of 1 MB, and the rest."""
    pages, rest = divmod(size, PAGE_BYTES)
    full = pages * read_units(PAGE_BYTES, consistent)
    return full + (read_units(rest, consistent) if rest or not pages else 0.0)


def _mean(pattern: Pattern[..., Any], sizes: Mapping[str, EntitySize]) -> float:
    found: list[float] = []
    for known in pattern.entities:
        size = sizes[known.cls.__name__]
        index = pattern.index
        # No sample may be in a sparse index.
        found.append(size.item if index is None else size.entries.get(index.name, size.item))
    return sum(found) / len(found) if found else 0.0


def _got(
    known: EntityDef[Any], size: float | None, sizes: Mapping[str, EntitySize], consistent: bool
) -> Units:
    bytes_ = sizes[known.cls.__name__].item if size is None else size
    return Units(read={Place(known.table.name): read_units(bytes_, consistent)})


def _members(
    pattern: Pattern[..., Any],
    expect: float | None,
    size: float | None,
    sizes: Mapping[str, EntitySize],
) -> Units:
    """The parts of a write, a transaction or a batch; those of any number share ``expect``."""
    many = sum(member.many for member in pattern.members)
    single = len(pattern.members) - many
    times = max(1.0, ((expect or 0) - single) / many) if many else 1.0
    used = Units()
    for member in pattern.members:
        if member.entity is not None:
            one = _member(member.kind, member.entity, size, sizes, pattern.consistent)
            used += one * (times if member.many else 1)
    locks = any(member.entity is not None and member.entity.uniques for member in pattern.members)
    return used.in_transaction() if pattern.kind == "transaction" or locks else used


def _member(
    kind: str,
    known: EntityDef[Any],
    size: float | None,
    sizes: Mapping[str, EntitySize],
    consistent: bool,
) -> Units:
    if kind == "get":
        return _got(known, size, sizes, consistent)
    own = sizes[known.cls.__name__]
    item = own.item if size is None else size
    used: dict[Place, float] = {Place(known.table.name): write_units(item)}
    if kind in _WRITES:
        for name, entry in own.entries.items():
            # An index of everything grows with the item.
            used[Place(known.table.name, name)] = write_units(max(entry, entry / own.item * item))
        # Each unique value has a lock of its own.
        used[Place(known.table.name)] += len(known.uniques) if kind != "update" else 0
    return Units(write=used)
