"""Files of records, row by row: JSON lines or CSV, plain or gzipped, or standard input.

The rows are read as uploads are (:mod:`tablewright.systems.sentiment.rules.lines`), so that a file
means the same wherever it comes in.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from pydantic import ValidationError

from tablewright.service.piped import Piped
from tablewright.service.problems import Problem
from tablewright.service.typed import STDIN, file_name
from tablewright.systems.sentiment.bodies.ingest import RecordIn, reason_of
from tablewright.systems.sentiment.rules.lines import BadFile, FileKind, Line, lines_of

if TYPE_CHECKING:
    from types import TracebackType

    from tablewright.service.commands import Desk
    from tablewright.systems.sentiment.rules.records import Record

_PIECE = 64 * 1024
_KINDS: dict[str, FileKind] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
_BOM = b"\xef\xbb\xbf"

#: A line's number, and its record or what is wrong with it.
Row = tuple[int, "Record | str"]


class RecordFile:
    """A file of records that is open."""

    def __init__(self, path: Path, desk: Desk, kind: FileKind | None = None) -> None:
        self._stack = ExitStack()
        self._name = file_name(path)
        self._under: IO[bytes] | None = None
        self._size = 0
        self._stream = self._opened(path, desk)
        self._kind = kind or _kind_of(path)
        self._rows = self._all()

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
        except BadFile as bad:
            raise self._unusable(str(bad)) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            why = f"It is damaged: {error}. What was read before that is stored."
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

    def _all(self) -> Iterator[Row]:
        reader = lines_of(self._kind or self._sniffed())
        while piece := self._stream.read1(_PIECE):
            yield from map(_row, reader.feed(piece))
        yield from map(_row, reader.end())

    def _sniffed(self) -> FileKind:
        head = self._stream.peek(64).removeprefix(_BOM).lstrip()
        if head.startswith(b"["):
            raise self._unusable("It is a JSON document; what is read is one object on each line.")
        return "jsonl" if not head or head.startswith(b"{") else "csv"

    def _unusable(self, why: str) -> Problem:
        return Problem(400, "UNUSABLE_FILE", f"{self._name} cannot be used. {why}")


def _row(line: Line) -> Row:
    if line.members is None:
        return line.number, line.reason
    try:
        return line.number, RecordIn.model_validate(line.members).record()
    except ValidationError as error:
        return line.number, reason_of(error)


def _kind_of(path: Path) -> FileKind | None:
    """What the name says."""
    suffixes = [each.lower() for each in path.suffixes if each.lower() != ".gz"]
    return _KINDS.get(suffixes[-1] if suffixes else "")
