"""Cells of CSV (RFC 4180), none of which a spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

#: What a spreadsheet may take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def text_cell(text: str) -> str:
    """A text that stays one in a spreadsheet."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def lines(rows: Iterable[Sequence[object]]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()
