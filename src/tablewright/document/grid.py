"""The grid of one table: a row for each entity, a column for the table and for each index.

A cell shows the templates of the entity's key there, and the patterns that read it by that key;
beside each row stand those that write the entity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablewright.document.drawing import CHIP, LINE, MONO, SANS, Chip, wrapped
from tablewright.document.entities import entities_of
from tablewright.document.expressions import cut
from tablewright.model.definition import EntityDef
from tablewright.model.keys import BoundKey
from tablewright.model.model import Model
from tablewright.model.pattern import Pattern
from tablewright.model.table import KeyAttribute, Table

PAD = 14
#: Characters of a template, before it is cut.
WIDEST = 46
#: Columns of chips alone are so wide, unless a chip is wider.
CHIPS = 230
_WIDTHS = {"code": MONO, "soft": SANS, "strong": 7.6}


@dataclass(frozen=True)
class Cell:
    """Lines of text, and chips below them."""

    lines: tuple[tuple[str, str], ...] = ()
    chips: tuple[Chip, ...] = ()

    @property
    def width(self) -> float:
        texts = [len(words) * _WIDTHS[style] for words, style in self.lines]
        return max([*texts, *(each.width for each in self.chips)], default=0)

    def height(self, width: float) -> float:
        between = 4 if self.lines and self.chips else 0
        return len(self.lines) * LINE + between + len(wrapped(self.chips, width)) * CHIP


@dataclass
class Grid:
    """All cells of a table, with the sizes of their columns and rows."""

    table: Table
    heads: list[Cell]
    rows: list[list[Cell]]
    widths: list[float] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        columns = list(zip(self.heads, *self.rows, strict=True))
        self.widths = [_column_width(cells) for cells in columns]
        self.heights = [
            max(cell.height(width) for cell, width in zip(row, self.widths, strict=True))
            for row in (self.heads, *self.rows)
        ]

    @property
    def width(self) -> float:
        return sum(self.widths) + 2 * PAD * len(self.widths)

    @property
    def height(self) -> float:
        return sum(self.heights) + PAD * len(self.heights)


def _column_width(cells: tuple[Cell, ...]) -> float:
    words = max(cell.width for cell in cells)
    several = any(len(cell.chips) > 1 for cell in cells)
    return max(words, CHIPS) if several else words


def grid_of(model: Model, table: Table) -> Grid:
    """The grid of one table of the model."""
    entities = entities_of(model, table)
    places = [None, *table.indexes]
    rows = [
        [
            _named(entity),
            *(_keys(model, entity, place) for place in places),
            Cell(chips=_writing(model, entity)),
        ]
        for entity in entities
    ]
    heads = [
        Cell((("Entity", "strong"),)),
        _head("Table", table.primary()),
        *(_head(each.name, (*each.partition, *each.sort)) for each in table.indexes.values()),
        Cell((("Written by", "strong"),)),
    ]
    return Grid(table, heads, rows)


def _head(name: str, attributes: tuple[KeyAttribute, ...]) -> Cell:
    return Cell(((name, "strong"), (", ".join(each.name for each in attributes), "soft")))


def _named(entity: EntityDef[Any]) -> Cell:
    lines = [(entity.cls.__name__, "strong")]
    if entity.tag is not None and entity.name != entity.cls.__name__:
        lines.append((entity.name, "soft"))
    if entity.ttl is not None:
        lines.append((f"ends at {entity.ttl.attribute}", "soft"))
    return Cell(tuple(lines))


def _keys(model: Model, entity: EntityDef[Any], place: str | None) -> Cell:
    lines: list[tuple[str, str]] = []
    for key in entity.keys.values():
        if (None if key.index is None else key.index.name) == place:
            lines += [(cut(part.template.text, WIDEST), "code") for part in key.parts]
            lines += [(cut(each, WIDEST), "soft") for each in _sparse(key)]
    return Cell(tuple(lines), _reading(model, entity, place))


def _sparse(key: BoundKey) -> list[str]:
    return [
        f"if {name} is {' or '.join(sorted(str(getattr(x, 'value', x)) for x in values))}"
        for name, values in key.when.items()
    ]


def _writing(model: Model, entity: EntityDef[Any]) -> tuple[Chip, ...]:
    return tuple(
        Chip(each.name, "joint" if each.kind == "transaction" else "write")
        for each in model.patterns.values()
        if any(
            member.entity is entity and member.kind in ("put", "update", "delete")
            for member in each.members
        )
    )


def _reading(model: Model, entity: EntityDef[Any], place: str | None) -> tuple[Chip, ...]:
    return tuple(
        Chip(each.name, "read")
        for each in model.patterns.values()
        if not each.writes and entity in each.entities and _place(each) == place
    )


def _place(pattern: Pattern[..., Any]) -> str | None:
    return None if pattern.index is None else pattern.index.name
