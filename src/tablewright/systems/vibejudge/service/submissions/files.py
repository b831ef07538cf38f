"""Rows of a CSV file: ours, or Devpost's."""

from __future__ import annotations

from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.bodies.submissions import SubmissionIn
from tablewright.systems.vibejudge.rules.csv_rows import BadFile, Row, rows_of
from tablewright.systems.vibejudge.service.submissions.rows import (
    Given,
    NotedRow,
    RowResult,
    read_row,
)


def read_file(data: bytes) -> tuple[list[Given], list[int]]:
    """What a file says, and the line that each row begins at; a problem if it says nothing."""
    try:
        rows = rows_of(data)
    except BadFile as bad:
        raise Problem(422, "BAD_FILE", str(bad)) from None
    if not rows:
        raise Problem(422, "BAD_FILE", "The file has no rows after the names of its columns.")
    return [_given(row) for row in rows], [row.line for row in rows]


def _given(row: Row) -> Given:
    if row.members is None:
        return RowResult.refused(Problem(422, "INVALID", f"The row {row.reason}."))
    given = read_row(dict(row.members))
    return NotedRow(given, row.note) if row.note and isinstance(given, SubmissionIn) else given
