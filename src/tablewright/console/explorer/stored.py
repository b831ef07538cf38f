"""Sample items as DynamoDB stores them, in a table and in each of its indexes.

A :class:`Side` is a table or one of its indexes: what is in it, under which key, and which
attributes it holds. Items are those of the demo, with the lock items that are written with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tablewright.model import put
from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.explain import requests_of
from tablewright.model.model import Model
from tablewright.model.table import Index, KeyAttribute, Table
from tablewright.model.tables import include_of
from tablewright.values import AttributeValue, Item, item_size, key_bytes, normalize_item


@dataclass(frozen=True)
class Side:
    """A table, or one of its indexes."""

    table: Table
    index: Index | None = None

    @property
    def name(self) -> str:
        return self.table.name if self.index is None else self.index.name

    @property
    def partition(self) -> tuple[KeyAttribute, ...]:
        return (self.table.pk,) if self.index is None else self.index.partition

    @property
    def sort(self) -> tuple[KeyAttribute, ...]:
        if self.index is not None:
            return self.index.sort
        return () if self.table.sk is None else (self.table.sk,)

    @cached_property
    def held(self) -> frozenset[str] | None:
        """The attributes that it holds; None is all of them."""
        if self.index is None or self.index.projection == "ALL":
            return None
        keys = (*self.table.primary(), *self.partition, *self.sort)
        named = include_of(self.table, self.index) if self.index.projection == "INCLUDE" else ()
        return frozenset((*(each.name for each in keys), *named))

    def has(self, item: Item) -> bool:
        """Whether an item is in it: with each attribute of the key, of its type."""
        return all(each.type in item.get(each.name, {}) for each in (*self.partition, *self.sort))

    def entry(self, item: Item) -> Item:
        """What of an item it holds."""
        if self.held is None:
            return item
        return {name: value for name, value in item.items() if name in self.held}

    def order(self, item: Item) -> tuple[bytes, ...]:
        """Items of a partition are kept in this order."""
        keys = self.sort if self.index is None else (*self.sort, *self.table.primary())
        return tuple(key_bytes(*_scalar(item[each.name])) for each in keys)


@dataclass(frozen=True)
class Stored:
    """An item of a table."""

    item: Item
    #: None is an item of nobody.
    entity: EntityDef[Entity] | None
    #: The constraint whose lock it is; "" is an entity's own item.
    lock: str = ""

    @property
    def kind(self) -> str:
        """What it is, as people call it."""
        if self.lock:
            return f"lock of {self.lock}"
        return "unknown" if self.entity is None else self.entity.cls.__name__


@dataclass(frozen=True)
class Collection:
    """The items of one partition, in the order of their sort keys."""

    #: The values of the partition key.
    key: tuple[str, ...]
    items: tuple[Stored, ...]
    #: Bytes of what is held of them.
    size: int

    @property
    def name(self) -> str:
        return " / ".join(self.key)


def sides_of(model: Model) -> Iterator[Side]:
    """All tables, each with its indexes behind it."""
    for table in model.tables.values():
        yield Side(table)
        for index in table.indexes.values():
            yield Side(table, index)


def stored_items(table: Table, entities: Iterable[Entity]) -> tuple[Stored, ...]:
    """The items of a table, once each: of two snapshots of one item, the first."""
    found: dict[tuple[str, ...], Stored] = {}
    for entity in entities:
        known = definition(entity)
        if known.table is table:
            for item in _written(entity):
                key = tuple(str(item[part.name]) for part in table.primary())
                found.setdefault(key, _stored(known, item))
    return tuple(found.values())


def _written(entity: Entity) -> Iterator[Item]:
    """What putting a new entity writes: its item, and the locks of its unique values."""
    for _, body in requests_of(put(entity).new()):
        for each in body.get("TransactItems", [{"Put": body}]):
            item, _ = normalize_item(each["Put"]["Item"])
            yield item


def _stored(known: EntityDef[Entity], item: Item) -> Stored:
    if known.owns(item):
        return Stored(item, known)
    return Stored(item, known, next(each.name for each in known.uniques if each.owns(item)))


def collections_of(side: Side, items: Sequence[Stored]) -> tuple[Collection, ...]:
    """The partitions of a side. In which order a table has them, nobody can tell; here by key."""
    together: dict[tuple[bytes, ...], list[Stored]] = {}
    for each in items:
        if side.has(each.item):
            key = tuple(key_bytes(*_scalar(each.item[part.name])) for part in side.partition)
            together.setdefault(key, []).append(each)
    return tuple(_collection(side, together[key]) for key in sorted(together))


def _collection(side: Side, items: list[Stored]) -> Collection:
    ordered = sorted(items, key=lambda each: side.order(each.item))
    first = ordered[0].item
    return Collection(
        tuple(_scalar(first[part.name])[1] for part in side.partition),
        tuple(ordered),
        sum(item_size(side.entry(each.item)) for each in ordered),
    )


def _scalar(value: AttributeValue) -> tuple[str, str]:
    ((kind, content),) = value.items()
    return kind, content
