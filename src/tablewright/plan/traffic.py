"""Which partition keys the patterns go to: streams of calls, by place and key template.

A sample call shows which keys a pattern touches and with how many units; the templates of the
model say which of them are of one kind. How many keys of a kind there are, and how popular the
first of them is, comes from the scenario, from the template itself (``JOBS`` is one key,
``STATUS#{status}`` has as many as there are statuses) or from ``hottest``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from tablewright.model.keys import BoundKey
from tablewright.model.keys.templates import Slot
from tablewright.model.model import Model
from tablewright.model.pattern import Pattern
from tablewright.model.table import Table
from tablewright.model.types import UlidMark
from tablewright.plan.keys import MANY, KeySpread, key_count
from tablewright.plan.loads import Load
from tablewright.plan.service import Partition
from tablewright.plan.units import Place, Units


@dataclass(frozen=True)
class Stream:
    """Calls of one pattern to the keys of one template."""

    pattern: str
    place: Place
    template: str
    spread: KeySpread
    #: Calls a second.
    rate: float
    #: Units that one call takes of one key.
    read: float = 0.0
    write: float = 0.0
    #: Why one key's items cannot be spread over several partitions; "" if they can.
    bound: str = ""
    #: The spread is a guess: nobody has said how many keys there are.
    guessed: bool = False


@dataclass(frozen=True)
class _Kind:
    """The keys of one template on one place."""

    text: str
    count: float | None
    bound: str


def streams_of(model: Model, loads: Iterable[Load], keys: Mapping[str, KeySpread]) -> list[Stream]:
    """All streams of the patterns that have a rate, at their peak."""
    found: list[Stream] = []
    for load in loads:
        if load.peak:
            pattern = model.patterns[load.pattern]
            for (place, kind), units in _touched(model, pattern, load).items():
                found.append(_stream(pattern, load, place, kind, units, keys))
    return found


def template_of(table: Table, index: str | None, partition: Partition) -> str:
    """The template that a partition key was made from; "?" if none of the model's fits."""
    return _kind_of(table, Place(table.name, index), partition).text


def _stream(
    pattern: Pattern[..., Any],
    load: Load,
    place: Place,
    kind: _Kind,
    units: Units,
    keys: Mapping[str, KeySpread],
) -> Stream:
    known = keys.get(kind.text)
    spread = known or KeySpread(count=kind.count or MANY, hottest=pattern.hottest)
    return Stream(
        pattern=load.pattern,
        place=place,
        template=kind.text,
        spread=spread,
        rate=load.peak,
        read=units.reads,
        write=units.writes,
        bound=kind.bound,
        guessed=known is None and kind.count is None and pattern.hottest is None,
    )


def _touched(
    model: Model, pattern: Pattern[..., Any], load: Load
) -> dict[tuple[Place, _Kind], Units]:
    """Units of one call by place and kind of key; a scan reads every partition a little."""
    if not load.partitions:
        return _declared(pattern, load)
    sums: dict[tuple[Place, _Kind], list[Units]] = {}
    for (place, partition), units in load.partitions.items():
        kind = _kind_of(model.tables[place.table], place, partition)
        sums.setdefault((place, kind), []).append(units)
    raised = _raised(load)
    return {where: sum(each, Units()) * raised for where, each in sums.items()}


def _raised(load: Load) -> float:
    """By how much the sample was scaled to what is expected."""
    sampled = sum(each.reads + each.writes for each in load.partitions.values())
    return (load.units.reads + load.units.writes) / sampled if sampled else 1.0


def _declared(pattern: Pattern[..., Any], load: Load) -> dict[tuple[Place, _Kind], Units]:
    found: dict[tuple[Place, _Kind], Units] = {}
    for place in load.units.places:
        units = Units(
            {place: load.units.read.get(place, 0.0)}, {place: load.units.write.get(place, 0.0)}
        )
        bound = [pattern.key] if pattern.key is not None else []
        bound += [key for known in pattern.entities for key in known.keys.values()]
        table = next(each for each in pattern.tables if each.name == place.table)
        fitting = [key for key in bound if _name(key) == place.index]
        kind = _kind(table, fitting[0]) if fitting else _Kind("?", None, "")
        found[place, kind] = units
    return found


def _name(key: BoundKey) -> str | None:
    return None if key.index is None else key.index.name


# A plan is made again and again for the same samples.
@lru_cache(16_384)
def _kind_of(table: Table, place: Place, partition: Partition) -> _Kind:
    """The template that made a partition key: the one with most literal text that fits."""
    if not partition:
        return _Kind("(all partitions)", MANY, "")
    bound: list[BoundKey] = []
    for known in table.entities.values():
        bound += [key for key in known.keys.values() if _name(key) == place.index]
        bound += [each.key for each in known.uniques if place.index is None]
    fitting = [key for key in bound if _fits(key, partition)]
    if not fitting:
        return _Kind("?", None, "")
    return _kind(table, max(fitting, key=_literal))


def _fits(key: BoundKey, partition: Partition) -> bool:
    return all(
        part.fits({part.attribute.type: value})
        for part, value in zip(key.partition, partition, strict=False)
    )


def _literal(key: BoundKey) -> int:
    pieces = [piece for part in key.partition for piece in part.template.pieces]
    return sum(len(piece) for piece in pieces if isinstance(piece, str))


def _kind(table: Table, key: BoundKey) -> _Kind:
    text = ", ".join(part.template.text for part in key.partition)
    owner = next(
        (each for each in table.entities.values() if key in each.keys.values()),
        None,
    )
    count = 1.0 if not any(part.fields for part in key.partition) else None
    if owner is not None and count is None:
        count = key_count(key.partition, dict(owner.fields))
    return _Kind(text, count, _bound(table, key, owner))


def _bound(table: Table, key: BoundKey, owner: Any) -> str:
    """Why the items of one key stay together in one partition."""
    if key.index is None and any(index.local for index in table.indexes.values()):
        return "the table has a local index"
    slots = [
        piece for part in key.sort for piece in part.template.pieces if isinstance(piece, Slot)
    ]
    if not slots:
        # On an index many items may share a key; in a table such a key is one item.
        return "it is one item" if key.index is None else "its items have one sort key"
    if owner is not None and _increases(owner.fields[slots[0].field]):
        return f"its sort key grows with time ({slots[0].field})"
    return ""


def _increases(field: Any) -> bool:
    annotation = field.annotation
    if any(isinstance(mark, UlidMark) for mark in field.metadata):
        return True
    return isinstance(annotation, type) and issubclass(annotation, date)
