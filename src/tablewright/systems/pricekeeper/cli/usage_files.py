"""Files of usage, row by row.

A row that cannot be read is given too, with what is wrong with it: one bad line does not stop a
file of a million. What is wrong with all rows (a column that nobody knows) does.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import orjson

from tablewright.service.row_files import BOM, Form, RowFile
from tablewright.systems.pricekeeper.bodies import CostIn

#: A row may also say which app it is of.
APP = "app_id"
COLUMNS = (*CostIn.model_fields, APP)
NEEDED = tuple(name for name, each in CostIn.model_fields.items() if each.is_required())
_NUMBERS = frozenset(
    {
        "timestamp",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "cost_usd_micros",
    }
)
_MOST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values, or why it has none."""

    line: int
    values: dict[str, object] = field(default_factory=dict)
    fault: str = ""
    #: What could not be read.
    raw: str = ""


class UsageFile(RowFile[Row]):
    """A file of usage that is open."""

    before_damage = "Rows before that may be recorded, and count once."

    def _read(self, form: Form) -> Iterator[Row]:
        return self._csv() if form == "csv" else self._json()

    def _json(self) -> Iterator[Row]:
        for number, line in enumerate(self._lines(), 1):
            text = line.removeprefix(BOM).strip() if number == 1 else line.strip()
            if text:
                yield _json_row(number, text)

    def _lines(self) -> Iterator[bytes]:
        """The lines, however long; of one that is too long, the beginning."""
        while line := self._stream.readline(_MOST_BYTES + 1):
            rest = line
            while not rest.endswith(b"\n") and (rest := self._stream.readline(_MOST_BYTES)):
                pass
            yield line

    def _csv(self) -> Iterator[Row]:
        text = io.TextIOWrapper(self._stream, "utf-8-sig", errors="replace", newline="")
        self._stack.callback(text.detach)
        reader = csv.reader(text)
        head = self._head(next(reader, []))
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield Row(reader.line_num, fault=f"is no row of CSV: {error}")
                continue
            if cells is None:
                return
            if cells:
                yield _csv_row(reader.line_num, head, cells)

    def _head(self, cells: Sequence[str]) -> tuple[str, ...]:
        head = tuple(cell.strip() for cell in cells)
        unknown = [name for name in head if name not in COLUMNS]
        missing = [name for name in NEEDED if name not in head]
        if not head:
            return head
        if unknown or missing or len(set(head)) < len(head):
            raise self._unusable(_about_head(unknown, missing))
        return head


def _about_head(unknown: Sequence[str], missing: Sequence[str]) -> str:
    if unknown:
        return (
            f"Its first line has to name the columns, and there is no column "
            f"{', '.join(map(repr, unknown))}. These can be: {', '.join(COLUMNS)}."
        )
    if missing:
        return f"Its first line does not name the column {', '.join(map(repr, missing))}."
    return "Its first line names a column twice."


def _json_row(number: int, text: bytes) -> Row:
    raw = text[:2000].decode(errors="replace")
    if len(text) > _MOST_BYTES:
        return Row(number, fault=f"is longer than {_MOST_BYTES} bytes", raw=raw)
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return Row(number, fault=f"is no JSON: {error}", raw=raw)
    if not isinstance(found, dict):
        return Row(number, fault="is no JSON object", raw=raw)
    return Row(number, found)


def _csv_row(number: int, head: Sequence[str], cells: Sequence[str]) -> Row:
    if len(cells) != len(head):
        fault = f"has {len(cells)} cells, and there are {len(head)} columns"
        return Row(number, fault=fault, raw=",".join(cells)[:2000])
    values = {
        name: _number(cell) if name in _NUMBERS else cell
        for name, cell in zip(head, map(str.strip, cells), strict=True)
        if cell
    }
    return Row(number, values)


def _number(cell: str) -> object:
    """A number where it is one; what it should be is for the body to say."""
    return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 20 else cell
