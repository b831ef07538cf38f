"""Files of usage, row by row: JSON lines or CSV, plain or gzipped, or standard input.

A row that cannot be read is given too, with what is wrong with it: one bad line does not stop a
file of a million. What is wrong with all rows (a column that nobody knows) does.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, Self, TypeAlias

import orjson

from tablewright.service.piped import Piped
from tablewright.service.problems import Problem
from tablewright.service.typed import STDIN, file_name
from tablewright.systems.pricekeeper.bodies import CostIn

if TYPE_CHECKING:
    from types import TracebackType

    from tablewright.service.commands import Desk

Form: TypeAlias = Literal["jsonl", "csv"]

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
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values, or why it has none."""

    line: int
    values: dict[str, object] = field(default_factory=dict)
    fault: str = ""
    #: What could not be read.
    raw: str = ""


class UsageFile(AbstractContextManager["UsageFile"]):
    """A file of usage that is open."""

    def __init__(self, path: Path, desk: Desk, form: Form | None = None) -> None:
        self._stack = ExitStack()
        self._name = file_name(path)
        self._under: IO[bytes] | None = None
        self._size = 0
        self._stream = self._opened(path, desk)
        self._rows = self._all(form or _form_of(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def take(self, count: int) -> list[Row]:
        """The next rows; none at the end."""
        try:
            return list(islice(self._rows, count))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            why = f"It is damaged: {error}. Rows before that may be recorded, and count once."
            raise self._unusable(why) from None

    def share(self) -> float | None:
        """How much of it is read; None if nobody knows how much there is."""
        if self._under is None or not self._size:
            return None
        return min(self._under.tell() / self._size, 1.0)

    # --- inside ----------------------------------------------------------------------------------

    def _opened(self, path: Path, desk: Desk) -> io.BufferedReader | gzip.GzipFile:
        if path == STDIN:
            return io.BufferedReader(self._stack.enter_context(Piped(desk.stdin)))
        file = self._stack.enter_context(path.open("rb"))
        self._under, self._size = file, os.fstat(file.fileno()).st_size
        if path.suffix == ".gz":
            return self._stack.enter_context(gzip.open(file))
        return file

    def _all(self, form: Form | None) -> Iterator[Row]:
        yield from self._csv() if (form or self._sniffed()) == "csv" else self._json()

    def _sniffed(self) -> Form:
        head = self._stream.peek(64).removeprefix(_BOM).lstrip()
        if head.startswith(b"["):
            raise self._unusable("It is a JSON document; what is read is one object on each line.")
        return "jsonl" if not head or head.startswith(b"{") else "csv"

    def _unusable(self, why: str) -> Problem:
        return Problem(400, "UNUSABLE_FILE", f"{self._name} cannot be used. {why}")

    def _json(self) -> Iterator[Row]:
        for number, line in enumerate(self._lines(), 1):
            text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
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


def _form_of(path: Path) -> Form | None:
    """What the name says."""
    suffixes = [each.lower() for each in path.suffixes if each.lower() != ".gz"]
    last = suffixes[-1] if suffixes else ""
    if last == ".csv":
        return "csv"
    return "jsonl" if last in (".jsonl", ".ndjson") else None


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
