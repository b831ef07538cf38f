"""Files that commands are given, row by row: JSON lines or CSV, plain, gzipped or piped.

What a row is, each system says for itself; how a file is opened, recognised, measured and found to
be damaged is the same for all.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

from tablewright.service.piped import Piped
from tablewright.service.problems import Problem
from tablewright.service.typed import STDIN, file_name

if TYPE_CHECKING:
    from types import TracebackType

    from tablewright.service.commands import Desk

Form: TypeAlias = Literal["jsonl", "csv"]
R = TypeVar("R")

BOM = b"\xef\xbb\xbf"
_FORMS: dict[str, Form] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}


class RowFile(AbstractContextManager["RowFile[R]"], Generic[R]):
    """A file of rows that is open."""

    #: What has become of the rows before a place where the file is damaged.
    before_damage: ClassVar[str]

    def __init__(self, path: Path, desk: Desk, form: Form | None = None) -> None:
        self._stack = ExitStack()
        self._name = file_name(path)
        self._under: IO[bytes] | None = None
        self._size = 0
        self._stream = self._opened(path, desk)
        self._rows = self._all(form or _form_of(path))

    @abstractmethod
    def _read(self, form: Form) -> Iterator[R]:
        """All rows of ``self._stream``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def take(self, count: int) -> list[R]:
        """The next rows; none at the end."""
        try:
            return list(islice(self._rows, count))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self._unusable(f"It is damaged: {error}. {self.before_damage}") from None

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

    def _all(self, form: Form | None) -> Iterator[R]:
        yield from self._read(form or self._sniffed())

    def _sniffed(self) -> Form:
        head = self._stream.peek(64).removeprefix(BOM).lstrip()
        if head.startswith(b"["):
            raise self._unusable("It is a JSON document; what is read is one object on each line.")
        return "jsonl" if not head or head.startswith(b"{") else "csv"

    def _unusable(self, why: str) -> Problem:
        return Problem(400, "UNUSABLE_FILE", f"{self._name} cannot be used. {why}")


def _form_of(path: Path) -> Form | None:
    """What the name says."""
    suffixes = [each.lower() for each in path.suffixes if each.lower() != ".gz"]
    return _FORMS.get(suffixes[-1] if suffixes else "")
