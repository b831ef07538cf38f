"""Items laid out by partition: the partition key once, its items below each other, cells in rows.

Items of one entity have the same attributes, so that their names stand above them once, and again
where another entity begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from tablewright.console.explorer.stored import Collection, Side, Stored
from tablewright.document.samples import plain_value
from tablewright.values import AttributeValue, item_size

#: Partitions on one page, and items of a partition that is not alone on it.
PARTITIONS = 25
ITEMS = 25
#: Items of a partition that is looked at alone.
ALONE = 100
#: There are so many colours for entities; who comes later shares one.
HUES = 12
_LONGEST = 64
#: What an eventually consistent read unit reaches: two times 4 KB.
_HALF_UNIT = 4096


@dataclass(frozen=True)
class Column:
    """One attribute of an entity's items."""

    name: str
    type: str
    #: The indexes that hold it, of those that hold some attributes only.
    indexes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Head:
    """What stands above the items of one entity."""

    kind: str
    hue: int
    columns: tuple[Column, ...]
    #: Attributes that stay in the table.
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One item."""

    #: None: what is above the item before it holds for this one.
    head: Head | None
    kind: str
    hue: int
    sort: str
    #: In the order of the columns; None is an attribute that it has not.
    cells: tuple[str | None, ...]
    size: int


@dataclass(frozen=True)
class PartitionView:
    """A partition, as far as it is shown."""

    name: str
    #: Attribute and value.
    key: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    count: int
    size: int

    @property
    def lines(self) -> int:
        """Rows and heads."""
        return len(self.rows) + sum(row.head is not None for row in self.rows)

    @property
    def more(self) -> int:
        return self.count - len(self.rows)

    @property
    def units(self) -> float:
        """Read units of a query for all of it, eventually consistent."""
        return ceil(self.size / _HALF_UNIT) / 2


def hues_of(side: Side) -> Mapping[str, int]:
    """A colour for each entity of the table, the same on all its sides."""
    names = (known.cls.__name__ for known in side.table.entities.values())
    return {name: number % HUES + 1 for number, name in enumerate(names)}


def lay_out(
    side: Side, collections: Sequence[Collection], *, first: int = 0, most: int = ITEMS
) -> tuple[PartitionView, ...]:
    """The partitions; of each the items from ``first`` on, ``most`` of them."""
    shown = [each.items[first : first + most] for each in collections]
    heads = _heads(side, [item for items in shown for item in items])
    last = ""
    views: list[PartitionView] = []
    for each, items in zip(collections, shown, strict=True):
        rows = tuple(_rows(side, items, heads, last))
        last = rows[-1].kind if rows else last
        key = tuple(zip((part.name for part in side.partition), each.key, strict=True))
        views.append(PartitionView(each.name, key, rows, len(each.items), each.size))
    return tuple(views)


def _rows(
    side: Side, items: Iterable[Stored], heads: Mapping[str, Head], last: str
) -> Iterator[Row]:
    for each in items:
        head, entry = heads[each.kind], side.entry(each.item)
        yield Row(
            head=head if each.kind != last else None,
            kind=each.kind,
            hue=head.hue,
            sort=" / ".join(key_text(each.item[part.name]) for part in side.sort),
            cells=tuple(
                value_text(entry[column.name]) if column.name in entry else None
                for column in head.columns
            ),
            size=item_size(entry),
        )
        last = each.kind


# --- the attributes of an entity ------------------------------------------------------------


def _heads(side: Side, items: Iterable[Stored]) -> Mapping[str, Head]:
    """For each kind of item, the attributes that any of them has."""
    several: dict[str, list[Stored]] = {}
    for each in items:
        several.setdefault(each.kind, []).append(each)
    hues = hues_of(side)
    return {kind: _head(side, kind, hues, found) for kind, found in several.items()}


def _head(side: Side, kind: str, hues: Mapping[str, int], items: Sequence[Stored]) -> Head:
    types = {name: next(iter(value)) for each in items for name, value in each.item.items()}
    shown = {part.name for part in (*side.partition, *side.sort)}
    ordered = [name for name in _declared(items[0]) if name in types]
    ordered += [name for name in types if name not in ordered]
    held = [name for name in ordered if side.held is None or name in side.held]
    columns = (Column(name, types[name], _indexes(side, name, items)) for name in held)
    return Head(
        kind,
        hues.get(kind, 0),
        tuple(each for each in columns if each.name not in shown),
        tuple(name for name in ordered if name not in held),
    )


def _declared(stored: Stored) -> list[str]:
    """Its fields as they are declared, then what tells entities apart; keys come last."""
    if stored.entity is None:
        return []
    names = [field.attribute for field in stored.entity.fields.values()]
    return [*names, stored.entity.table.discriminator or ""]


def _indexes(side: Side, name: str, items: Sequence[Stored]) -> tuple[str, ...]:
    """Where else it is held: told for indexes that hold some attributes and not all."""
    if side.index is not None:
        return ()
    others = (Side(side.table, index) for index in side.table.indexes.values())
    return tuple(
        other.name
        for other in others
        if other.held is not None
        and name in other.held
        and any(other.has(each.item) for each in items)
    )


# --- values ---------------------------------------------------------------------------------


def key_text(value: AttributeValue) -> str:
    """A value of a key, whole: it is what people look for."""
    (content,) = value.values()
    return str(content)


def value_text(value: AttributeValue) -> str:
    """A stored value on one line; long ones are cut."""
    ((kind, content),) = value.items()
    if kind in ("S", "B", "N"):
        text = content if content else '""'
    else:
        text = json.dumps(plain_value(value), ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
