"""Files of records as they arrive, in pieces: one record a line of JSON, or one a row of CSV.

What cannot be read is told with the number of its line, and the rest of the file is read all the
same. Only a first line that names no columns ends a file of rows, for nothing after it could be
understood.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

import orjson

FileKind: TypeAlias = Literal["jsonl", "csv"]

#: Bytes of one record. An article is told in much less.
LONGEST: Final = 65_536
COLUMNS: Final = ("title", "text", "url", "source", "author", "published_at")
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it stands in a file, or why there is none."""

    number: int
    members: Mapping[str, object] | None = None
    reason: str = ""


class BadFile(Exception):
    """Nothing of the file can be understood; says why."""


class Lines(Protocol):
    """Reads a file piece by piece."""

    def feed(self, piece: bytes) -> Iterator[Line]: ...

    def end(self) -> Iterator[Line]: ...


def lines_of(kind: FileKind) -> Lines:
    return CsvRows() if kind == "csv" else JsonLines()


class _Pieces:
    """Cuts pieces into lines, and does not keep what is too long."""

    def __init__(self) -> None:
        self._rest = b""
        self._begun = False
        self._skipping = False

    def feed(self, piece: bytes) -> Iterator[bytes | None]:
        """Whole lines with their ends; None for one that is too long."""
        if not self._begun:
            piece, self._rest = self._rest + piece, b""
            if len(piece) < len(_BOM):
                self._rest = piece
                return
            self._begun, piece = True, piece.removeprefix(_BOM)
        *whole, self._rest = (self._rest + piece).split(b"\n")
        for line in whole:
            yield None if self._skipping or len(line) > LONGEST else line + b"\n"
            self._skipping = False
        if len(self._rest) > LONGEST:
            self._rest, self._skipping = b"", True

    def end(self) -> Iterator[bytes | None]:
        if self._skipping:
            yield None
        elif self._rest:
            yield self._rest if self._begun else self._rest.removeprefix(_BOM)


class JsonLines:
    """An object on each line."""

    def __init__(self) -> None:
        self._pieces = _Pieces()
        self._number = 0

    def feed(self, piece: bytes) -> Iterator[Line]:
        yield from self._read(self._pieces.feed(piece))

    def end(self) -> Iterator[Line]:
        yield from self._read(self._pieces.end())

    def _read(self, lines: Iterator[bytes | None]) -> Iterator[Line]:
        for line in lines:
            self._number += 1
            if line is None:
                yield Line(self._number, reason=f"is longer than {LONGEST} bytes")
            elif line.strip():
                yield _of_json(self._number, line)


def _of_json(number: int, line: bytes) -> Line:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return Line(number, reason="is not JSON in UTF-8")
    if not isinstance(found, dict):
        return Line(number, reason="is not an object")
    return Line(number, found)


class CsvRows:
    """A row for each record, after a first one with the names of the columns."""

    def __init__(self) -> None:
        self._pieces = _Pieces()
        self._number = 0
        self._columns: tuple[str, ...] | None = None
        self._delimiter = ","
        #: Lines of a row whose quotes have not ended.
        self._open: list[bytes] = []
        self._first = 0

    def feed(self, piece: bytes) -> Iterator[Line]:
        yield from self._read(self._pieces.feed(piece))

    def end(self) -> Iterator[Line]:
        yield from self._read(self._pieces.end())
        if self._open:
            yield Line(self._first, reason="has a quote that does not end")
        if self._columns is None:
            raise BadFile("The file is empty: its first line has to name the columns.")

    def _read(self, lines: Iterator[bytes | None]) -> Iterator[Line]:
        for line in lines:
            self._number += 1
            row = self._row(line)
            if isinstance(row, Line):
                yield row
            elif row is None:
                continue
            elif self._columns is None:
                self._columns = self._header(row)
            else:
                yield self._record(row)

    def _row(self, line: bytes | None) -> Line | str | None:
        """A whole row, or what is wrong with it; None as long as it goes on."""
        if not self._open:
            self._first = self._number
        if line is None or sum(map(len, self._open)) + len(line) > LONGEST:
            self._open.clear()
            return Line(self._first, reason=f"is longer than {LONGEST} bytes")
        self._open.append(line)
        whole = b"".join(self._open)
        if whole.count(b'"') % 2:
            return None
        self._open.clear()
        if not whole.strip():
            return None
        try:
            return whole.decode()
        except UnicodeDecodeError:
            return Line(self._first, reason="is not UTF-8")

    def _header(self, row: str) -> tuple[str, ...]:
        self._delimiter = max(",;\t", key=row.count)
        try:
            names = tuple(name.strip().lower() for name in self._cells(row))
        except csv.Error:
            raise BadFile(
                "The first line has to name the columns, and is not a row of CSV."
            ) from None
        missing = [] if "title" in names else ["title"]
        if not {"url", "published_at"} & set(names):
            missing.append("url or published_at")
        if missing:
            told = " and ".join(missing)
            raise BadFile(f"The first line has to name the columns; {told} is missing.")
        if len(set(names)) < len(names):
            raise BadFile("The first line names a column twice.")
        return names

    def _record(self, row: str) -> Line:
        assert self._columns is not None
        try:
            cells = self._cells(row)
        except csv.Error:
            return Line(self._first, reason="is not a row of CSV")
        if len(cells) != len(self._columns):
            reason = f"has {len(cells)} values for {len(self._columns)} columns"
            return Line(self._first, reason=reason)
        told = zip(self._columns, cells, strict=True)
        # An empty cell says nothing; columns that nobody knows are somebody else's.
        return Line(self._first, {name: cell for name, cell in told if name in COLUMNS and cell})

    def _cells(self, row: str) -> Sequence[str]:
        reader = csv.reader([row], delimiter=self._delimiter, strict=True)
        return next(reader, [])
