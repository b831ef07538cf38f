"""Cells of CSV (RFC 4180), none of which a spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

#: What a spreadsheet may take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def text_cell(text: str) -> str:
    """A text that stays one in a spreadsheet."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def text_of(cell: str) -> str:
    """The text that a cell was made of: an export can be read again."""
    bare = cell.removeprefix("'")
    return bare if cell != bare and text_cell(bare) == cell else cell


def lines(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as bytes; None is an empty cell."""
    written = io.StringIO()
    csv.writer(written).writerows([_cell(each) for each in row] for row in rows)
    return written.getvalue().encode()


def _cell(value: object) -> object:
    return text_cell(value) if isinstance(value, str) else value
