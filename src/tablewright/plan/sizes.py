"""How large items are: measured on samples, or guessed from the fields where there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from tablewright.model.definition import EntityDef, definition
from tablewright.model.model import Model
from tablewright.model.table import Index, Table
from tablewright.plan.entries import entry_of, entry_size, projected
from tablewright.values import Item, item_size, text_size

#: Bytes that a value of each kind may take, if nothing is known of it.
TYPICAL = {"S": 24, "N": 6, "B": 24, "BOOL": 1, "M": 120, "L": 120, "SS": 60, "NS": 30, "BS": 60}
COMPONENT = 20


@dataclass(frozen=True)
class EntitySize:
    """The mean size of an entity's items, and of their entries in each index."""

    item: float
    #: By index; an index that the entity is not in is left out.
    entries: Mapping[str, float]
    measured: bool
    #: The share of the items that are in an index, where it is not all of them.
    present: Mapping[str, float] = field(default_factory=dict)


def entity_sizes(model: Model, samples: Iterable[Any]) -> dict[str, EntitySize]:
    """The size of every entity of the model, by the name of its class."""
    items: dict[str, list[Item]] = {}
    for entity in samples:
        known = definition(entity)
        items.setdefault(known.cls.__name__, []).append(known.encode(entity))
    return {
        name: _measured(known.table, items[name]) if name in items else _guessed(known)
        for name, known in model.entities.items()
    }


def resized(sizes: Mapping[str, EntitySize], told: Mapping[str, float]) -> dict[str, EntitySize]:
    """Sizes of which some are given; the entries of indexes grow in proportion."""
    found = dict(sizes)
    for name, size in told.items():
        own = sizes[name]
        entries = {index: entry * size / own.item for index, entry in own.entries.items()}
        found[name] = replace(own, item=size, entries=entries)
    return found


def _measured(table: Table, items: list[Item]) -> EntitySize:
    entries: dict[str, float] = {}
    present: dict[str, float] = {}
    for index in table.indexes.values():
        found = [entry_of(table, index, item) for item in items]
        sizes = [entry_size(table, index, entry) for entry in found if entry is not None]
        if sizes:
            entries[index.name] = fmean(sizes)
            present[index.name] = len(sizes) / len(items)
    mean = fmean(item_size(item) for item in items)
    return EntitySize(mean, entries, measured=True, present=present)


def _guessed(known: EntityDef[Any]) -> EntitySize:
    attributes = {
        each.attribute: float(TYPICAL.get(each.storage.kind or "", 24))
        for each in known.fields.values()
    }
    for key in known.keys.values():
        for part in key.parts:
            literal = text_size(part.template.text)
            attributes.setdefault(part.attribute.name, literal + COMPONENT)
    if known.table.discriminator is not None:
        attributes[known.table.discriminator] = text_size(known.name)
    sizes = {name: text_size(name) + size for name, size in attributes.items()}
    indexes = [key.index for key in known.keys.values() if key.index is not None]
    entries = {index.name: _held(known.table, index, sizes) for index in indexes}
    return EntitySize(sum(sizes.values()), entries, measured=False)


def _held(table: Table, index: Index, sizes: Mapping[str, float]) -> float:
    wanted = projected(table, index)
    return sum(size for name, size in sizes.items() if wanted is None or name in wanted)
