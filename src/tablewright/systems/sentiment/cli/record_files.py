"""Files of records, row by row.

The rows are read as uploads are (:mod:`tablewright.systems.sentiment.rules.lines`), so that a file
means the same wherever it comes in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tablewright.service.row_files import Form, RowFile
from tablewright.systems.sentiment.bodies.ingest import RecordIn, reason_of
from tablewright.systems.sentiment.rules.lines import BadFile, Line, lines_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.rules.records import Record

_PIECE = 64 * 1024

#: A line's number, and its record or what is wrong with it.
Row = tuple[int, "Record | str"]


class RecordFile(RowFile[Row]):
    """A file of records that is open."""

    before_damage = "What was read before that is stored."

    def _read(self, form: Form) -> Iterator[Row]:
        reader = lines_of(form)
        try:
            while piece := self._stream.read1(_PIECE):
                yield from map(_row, reader.feed(piece))
            yield from map(_row, reader.end())
        except BadFile as bad:
            raise self._unusable(str(bad)) from None


def _row(line: Line) -> Row:
    if line.members is None:
        return line.number, line.reason
    try:
        return line.number, RecordIn.model_validate(line.members).record()
    except ValidationError as error:
        return line.number, reason_of(error)
