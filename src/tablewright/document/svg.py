"""The model as a picture: one card for each table, with entities, keys, indexes and patterns."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.document.drawing import (
    CHIP,
    GAP,
    LINE,
    SANS,
    Chip,
    box,
    chip,
    linked,
    picture,
    rule,
    text,
    within_page,
    wrapped,
)
from tablewright.document.grid import PAD, Cell, Grid, grid_of
from tablewright.document.leads import NOWHERE, Leads
from tablewright.document.tables import billing_text
from tablewright.model.model import Model
from tablewright.model.table import Table

MARGIN = 28
HEAD = 44
LEGEND = (
    (Chip("read", "read"), "a pattern that reads the entity by the key above it"),
    (Chip("write", "write"), "writes the entity beside it"),
    (Chip("transaction", "joint"), "writes it together with others"),
)


def svg(model: Model) -> str:
    """The drawing, as a file of its own."""
    heading = [
        text(MARGIN, 46, model.name, "title"),
        text(MARGIN, 68, _size(model), "soft"),
    ]
    width, height, parts = _cards(model, NOWHERE, MARGIN, 92)
    return picture(width, height + 40, f"The data model of {model.name}", [*heading, *parts])


def svg_within(model: Model, leads: Leads) -> str:
    """The drawing as a part of a page, which has the heading, too; see ``within_page``."""
    width, height, parts = _cards(model, leads, 1, 1)
    return within_page(width, height + 20, f"The data model of {model.name}", parts)


def _cards(model: Model, leads: Leads, margin: float, top: float) -> tuple[float, float, list[str]]:
    """All tables and the legend: how wide it is, where it ends, and its parts."""
    grids = [grid_of(model, table, leads) for table in model.tables.values()]
    width = max([_legend_width(), *(grid.width for grid in grids)]) + 2 * margin
    parts: list[str] = []
    for grid in grids:
        parts += _card(grid, margin, top, width - 2 * margin)
        top += HEAD + grid.height + 24
    return width, top, [*parts, *_legend(margin, top)]


def _size(model: Model) -> str:
    counts = {
        "tables": len(model.tables),
        "entities": len(model.entities),
        "access patterns": len(model.patterns),
    }
    return " · ".join(f"{what}: {count}" for what, count in counts.items())


# --- one table -----------------------------------------------------------------------------------


def _card(grid: Grid, x: float, y: float, width: float) -> Iterator[str]:
    yield box(x, y, width, HEAD + grid.height, "sheet", 12)
    yield text(x + PAD, y + 27, grid.table.name, "name")
    yield text(x + width - PAD, y + 27, _settings(grid.table), "soft", right=True)
    top = y + HEAD
    yield box(x + 0.5, top, width - 1, grid.heights[0] + PAD, "head")
    rows = [grid.heads, *grid.rows]
    for row, height in zip(rows, grid.heights, strict=True):
        if row is not grid.heads:
            yield rule(x, top, x + width, top)
        yield from _row(grid, row, x, top + PAD / 2)
        top += height + PAD


def _row(grid: Grid, row: list[Cell], x: float, y: float) -> Iterator[str]:
    left = x + PAD
    for cell, width in zip(row, grid.widths, strict=True):
        yield from _cell(cell, left, y, width)
        left += width + 2 * PAD


def _cell(cell: Cell, x: float, y: float, width: float) -> Iterator[str]:
    for number, line in enumerate(cell.lines):
        yield linked(text(x, y + 12 + number * LINE, line.words, line.style), line.href)
    if cell.lines:
        y += len(cell.lines) * LINE + 4
    for number, chips in enumerate(wrapped(cell.chips, width)):
        left = x
        for each in chips:
            yield chip(left, y + number * CHIP, each)
            left += each.width + GAP


def _settings(table: Table) -> str:
    facts = [
        billing_text(table.billing),
        "" if table.ttl is None else f"time to live: {table.ttl}",
        "" if table.stream is None else "stream",
        "" if not table.pitr else "point-in-time recovery",
        "deletion protection" if table.deletion_protection else "",
    ]
    return " · ".join(fact for fact in facts if fact)


# --- the legend ----------------------------------------------------------------------------------


def _legend(x: float, y: float) -> Iterator[str]:
    for sample, told in LEGEND:
        yield chip(x, y, sample)
        yield text(x + sample.width + GAP, y + 12, told, "soft")
        x += sample.width + len(told) * SANS + 4 * GAP


def _legend_width() -> float:
    return sum(sample.width + len(told) * SANS + 4 * GAP for sample, told in LEGEND)
