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
from tablewright.document.leads import NOWHERE, Leads
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
_WIDTHS = {"code": MONO, "soft": SANS, "warn": SANS, "strong": 7.6}


@dataclass(frozen=True)
class Line:
    """A line of text in a style."""

    words: str
    style: str
    href: str = ""


@dataclass(frozen=True)
class Cell:
    """Lines of text, and chips below them."""

    lines: tuple[Line, ...] = ()
    chips: tuple[Chip, ...] = ()

    @property
    def width(self) -> float:
        texts = [len(line.words) * _WIDTHS[line.style] for line in self.lines]
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


def grid_of(model: Model, table: Table, leads: Leads = NOWHERE) -> Grid:
    """The grid of one table of the model."""
    entities = entities_of(model, table)
    places = [None, *table.indexes]
    rows = [
        [
            _named(entity, leads),
            *(_keys(model, entity, place, leads) for place in places),
            Cell(chips=_writing(model, entity, leads)),
        ]
        for entity in entities
    ]
    heads = [
        Cell((Line("Entity", "strong"),)),
        _head("Table", table.primary()),
        *(_head(each.name, (*each.partition, *each.sort)) for each in table.indexes.values()),
        Cell((Line("Written by", "strong"),)),
    ]
    return Grid(table, heads, rows)


def _head(name: str, attributes: tuple[KeyAttribute, ...]) -> Cell:
    told = ", ".join(each.name for each in attributes)
    return Cell((Line(name, "strong"), Line(told, "soft")))


def _named(entity: EntityDef[Any], leads: Leads) -> Cell:
    name = entity.cls.__name__
    lines = [Line(name, "strong", leads.entity(name))]
    if entity.tag is not None and entity.name != name:
        lines.append(Line(entity.name, "soft"))
    if entity.ttl is not None:
        lines.append(Line(f"ends at {entity.ttl.attribute}", "soft"))
    if about := leads.about_entity(name):
        lines.append(Line(about, "warn"))
    return Cell(tuple(lines))


def _keys(model: Model, entity: EntityDef[Any], place: str | None, leads: Leads) -> Cell:
    lines: list[Line] = []
    for key in entity.keys.values():
        if (None if key.index is None else key.index.name) == place:
            lines += [Line(cut(part.template.text, WIDEST), "code") for part in key.parts]
            lines += [Line(cut(each, WIDEST), "soft") for each in _sparse(key)]
    return Cell(tuple(lines), _reading(model, entity, place, leads))


def _sparse(key: BoundKey) -> list[str]:
    return [
        f"if {name} is {' or '.join(sorted(str(getattr(x, 'value', x)) for x in values))}"
        for name, values in key.when.items()
    ]


def _writing(model: Model, entity: EntityDef[Any], leads: Leads) -> tuple[Chip, ...]:
    return tuple(
        _chip(each, "joint" if each.kind == "transaction" else "write", leads)
        for each in model.patterns.values()
        if any(
            member.entity is entity and member.kind in ("put", "update", "delete")
            for member in each.members
        )
    )


def _reading(
    model: Model, entity: EntityDef[Any], place: str | None, leads: Leads
) -> tuple[Chip, ...]:
    return tuple(
        _chip(each, "read", leads)
        for each in model.patterns.values()
        if not each.writes and entity in each.entities and _place(each) == place
    )


def _chip(pattern: Pattern[..., Any], style: str, leads: Leads) -> Chip:
    name = pattern.name
    return Chip(
        " ".join(filter(None, (name, leads.about_pattern(name)))), style, leads.pattern(name)
    )


def _place(pattern: Pattern[..., Any]) -> str | None:
    return None if pattern.index is None else pattern.index.name
