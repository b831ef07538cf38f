"""The page of sample items: which partitions of which side it shows, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from tablewright.console.explorer.layout import (
    ALONE,
    PARTITIONS,
    PartitionView,
    hues_of,
    lay_out,
)
from tablewright.console.explorer.stored import (
    Collection,
    Side,
    Stored,
    collections_of,
    stored_items,
)
from tablewright.document.tables import attribute_text, projection_text
from tablewright.model.demo import Demo
from tablewright.model.model import Model
from tablewright.service.problems import FieldError, invalid, not_found
from tablewright.values import item_size


@dataclass(frozen=True)
class Asked:
    """What to show; all of it is in the address."""

    table: str = ""
    index: str = ""
    #: Only partitions with an item of it.
    entity: str = ""
    #: Only partitions whose key has this in it.
    find: str = ""
    #: One partition alone.
    partition: str = ""
    page: int = 1

    def path(self, **other: object) -> str:
        """The query of another view, which begins at its first page."""
        wanted = {**vars(self), "page": 1, **other}
        told = {name: value for name, value in wanted.items() if value not in ("", 1)}
        return f"?{urlencode(told)}"


@dataclass(frozen=True)
class Legend:
    """An entity with its colour."""

    entity: str
    hue: int
    items: int


@dataclass(frozen=True)
class Figures:
    """Sizes are in bytes."""

    items: int
    partitions: int
    size: int
    largest_item: int
    largest_partition: int


@dataclass(frozen=True)
class ItemsView:
    """One page."""

    table: str
    index: str
    #: The table's indexes.
    indexes: tuple[str, ...]
    partition_key: tuple[str, ...]
    sort_key: tuple[str, ...]
    #: Which attributes it holds.
    holds: str
    legend: tuple[Legend, ...]
    figures: Figures
    partitions: tuple[PartitionView, ...]
    #: Partitions that meet what was asked for, on all pages.
    found: int
    pages: int

    @property
    def columns(self) -> int:
        """Of attributes; there is always one."""
        return (
            max((len(row.cells) for each in self.partitions for row in each.rows), default=0) or 1
        )


class SampleItems:
    """The demo's items in all tables of a model."""

    def __init__(self, model: Model, demo: Demo | None = None) -> None:
        self._model = model
        self._demo = demo

    @cached_property
    def stored(self) -> Mapping[str, tuple[Stored, ...]]:
        """By table."""
        items = () if self._demo is None else self._demo.items
        return {name: stored_items(table, items) for name, table in self._model.tables.items()}

    def view(self, asked: Asked) -> ItemsView:
        """A page of them; raises a problem for what is not there."""
        side = self._side(asked)
        every = collections_of(side, self.stored[side.table.name])
        found = [each for each in every if _meets(each, asked)]
        shown, pages = _page(side, found, asked)
        index = side.index
        return ItemsView(
            table=side.table.name,
            index="" if index is None else index.name,
            indexes=tuple(side.table.indexes),
            partition_key=tuple(map(attribute_text, side.partition)),
            sort_key=tuple(map(attribute_text, side.sort)),
            holds="everything" if index is None else projection_text(side.table, index),
            legend=_legend(side, every),
            figures=_figures(side, every),
            partitions=shown,
            found=len(found),
            pages=pages,
        )

    def _side(self, asked: Asked) -> Side:
        tables = self._model.tables
        table = tables.get(asked.table or next(iter(tables), ""))
        if table is None:
            raise not_found("table")
        index = table.indexes.get(asked.index)
        if index is None and asked.index:
            raise not_found("index")
        if asked.entity and asked.entity not in hues_of(Side(table)):
            raise invalid(FieldError("query.entity", f"Table {table.name} has no such entity."))
        return Side(table, index)


def _meets(collection: Collection, asked: Asked) -> bool:
    if asked.partition:
        return collection.name == asked.partition
    if asked.find.lower() not in collection.name.lower():
        return False
    return not asked.entity or asked.entity in map(_entity, collection.items)


def _entity(stored: Stored) -> str:
    """Whose it is: a lock is its owner's."""
    return "" if stored.entity is None else stored.entity.cls.__name__


def _page(
    side: Side, found: Sequence[Collection], asked: Asked
) -> tuple[tuple[PartitionView, ...], int]:
    """The partitions of a page, and how many pages there are."""
    if asked.partition and not found:
        raise not_found("partition")
    size = ALONE if asked.partition else PARTITIONS
    pages = max(1, -(-len(found[0].items if asked.partition else found) // size))
    if asked.page > pages:
        raise not_found("page")
    start = (asked.page - 1) * size
    if asked.partition:
        return lay_out(side, found, first=start, most=ALONE), pages
    return lay_out(side, found[start : start + PARTITIONS]), pages


def _legend(side: Side, every: Sequence[Collection]) -> tuple[Legend, ...]:
    """The entities that have items there."""
    kinds = [_entity(each) for one in every for each in one.items]
    return tuple(
        Legend(name, hue, kinds.count(name)) for name, hue in hues_of(side).items() if name in kinds
    )


def _figures(side: Side, every: Sequence[Collection]) -> Figures:
    items = [item_size(side.entry(each.item)) for one in every for each in one.items]
    return Figures(
        len(items),
        len(every),
        sum(items),
        max(items, default=0),
        max((one.size for one in every), default=0),
    )
