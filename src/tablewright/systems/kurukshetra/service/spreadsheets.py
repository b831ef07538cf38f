"""Rows as files that open correctly in spreadsheets: CSV and XLSX, written piece by piece.

No cell is ever a formula. In CSV a text that a spreadsheet would read as one gets an apostrophe
(``service.csv_cells``); in XLSX texts are stored as texts, so they need none. Amounts are
numbers in the major unit of their currency, and times are those of the event's clock.

A workbook is written row by row into a private temporary folder, which is removed with the last
piece: neither format keeps more than one batch of rows in memory.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from tablewright.service.csv_cells import lines

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

#: What a cell may hold; times have a zone, amounts are in the major unit.
Cell: TypeAlias = str | int | Decimal | datetime | bool | None
FileFormat: TypeAlias = Literal["csv", "xlsx"]
MEDIA_TYPES: Final[dict[FileFormat, str]] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
#: Excel reads a file as UTF-8 only if it begins with this.
_BYTE_ORDER_MARK: Final = "\ufeff".encode()
_PIECE_BYTES: Final = 64 * 1024
#: The most characters of a cell, by Excel's rules.
_MOST_CHARACTERS: Final = 32_767
_WIDTHS: Final[dict[str, float]] = {"text": 24, "amount": 14, "time": 18, "number": 10}


@dataclass(frozen=True)
class Column:
    """A column: its name for programs, its heading for people, and what is in it."""

    name: str
    heading: str
    kind: Literal["text", "number", "amount", "time"] = "text"


@dataclass(frozen=True)
class Table:
    """Rows in batches, with their columns and the clock that their times are shown by."""

    title: str
    columns: Sequence[Column]
    batches: AsyncIterator[Sequence[Sequence[Cell]]]
    zone: ZoneInfo


async def write_table(table: Table, file_format: FileFormat) -> AsyncIterator[bytes]:
    """Write a table in a format, in pieces."""
    pieces = _write_csv(table) if file_format == "csv" else _write_xlsx(table)
    async for piece in pieces:
        yield piece


# --- CSV -----------------------------------------------------------------------------------------


async def _write_csv(table: Table) -> AsyncIterator[bytes]:
    yield _BYTE_ORDER_MARK + lines([[each.name for each in table.columns]])
    async for batch in table.batches:
        yield lines([_csv_cell(cell, table.zone) for cell in row] for row in batch)


def _csv_cell(cell: Cell, zone: ZoneInfo) -> object:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, datetime):
        return f"{cell.astimezone(zone):%Y-%m-%d %H:%M:%S}"
    # A Decimal is no text, so a negative amount stays a number.
    return cell


# --- XLSX ----------------------------------------------------------------------------------------


async def _write_xlsx(table: Table) -> AsyncIterator[bytes]:
    from xlsxwriter import Workbook

    with tempfile.TemporaryDirectory(prefix="tablewright-") as folder:
        file = Path(folder) / "export.xlsx"
        options = {
            "constant_memory": True,
            "tmpdir": folder,
            "strings_to_formulas": False,
            "strings_to_numbers": False,
            "strings_to_urls": False,
        }
        workbook = Workbook(str(file), options)
        sheet = workbook.add_worksheet(_sheet_name(table.title))
        bold = workbook.add_format({"bold": True})
        formats = {
            "amount": workbook.add_format({"num_format": "#,##0.00"}),
            "time": workbook.add_format({"num_format": "yyyy-mm-dd hh:mm"}),
            "text": workbook.add_format({"num_format": "@"}),
            "number": workbook.add_format({"num_format": "0"}),
        }
        sheet.freeze_panes(1, 0)
        for place, column in enumerate(table.columns):
            sheet.set_column(place, place, _WIDTHS[column.kind])
            heading = f"{column.heading} ({table.zone.key})"
            text = heading if column.kind == "time" else column.heading
            sheet.write_string(0, place, text, bold)
        number = 1
        async for batch in table.batches:
            for row in batch:
                _write_row(sheet, number, row, table, formats)
                number += 1
        if number > 1:
            sheet.autofilter(0, 0, number - 1, len(table.columns) - 1)
        await asyncio.to_thread(workbook.close)
        with file.open("rb") as made:
            while piece := made.read(_PIECE_BYTES):
                yield piece


def _write_row(
    sheet: Worksheet,
    number: int,
    row: Sequence[Cell],
    table: Table,
    formats: dict[str, Format],
) -> None:
    for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
        shown = formats[column.kind]
        if cell is None or cell == "":
            continue
        if isinstance(cell, bool):
            sheet.write_string(number, place, "Yes" if cell else "No", shown)
        elif isinstance(cell, datetime):
            local = cell.astimezone(table.zone).replace(tzinfo=None)
            sheet.write_datetime(number, place, local, shown)
        elif isinstance(cell, str):
            sheet.write_string(number, place, cell[:_MOST_CHARACTERS], shown)
        else:
            sheet.write_number(number, place, float(cell), shown)


def _sheet_name(title: str) -> str:
    return title.capitalize()[:31]
